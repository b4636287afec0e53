import type { OrderIssue, OrderValueField, OrderValues } from '../../shared/orders'
import { orderValueFields } from '../../shared/orders'
import { type CodePrefixes, readScan } from '../../shared/scanner'
import { emptyDraft, type ShipmentDefaults, shipmentDraftSchema } from '../../shared/shipments'

/** What may still be missing when an order comes to the bench: the scale and the operator fill it in. */
const fillable = { ...emptyDraft, weight: 1 }

const numericFields = ['weight', 'numberOfPackages', 'length', 'width', 'height', 'carrierOptionId'] as const

/**
 * What of an order has to be corrected before it can be shipped, by the same rules as the form's. Weight, packages and
 * carrier option may be missing, but not be wrong.
 */
export function checkOrder(values: OrderValues, defaults: ShipmentDefaults): OrderIssue[] {
  const numbers = Object.fromEntries(
    numericFields.flatMap((field) => {
      const text = values[field]
      return text === undefined ? [] : [[field, readNumber(text)]]
    }),
  )
  const draft = { ...fillable, ...defaults, ...values, ...numbers }
  const parsed = shipmentDraftSchema.safeParse(draft)
  const issues: OrderIssue[] = []
  for (const { path, message } of parsed.error?.issues ?? []) {
    const field = orderValueFields.find((each) => each === path[0])
    if (field !== undefined && !hasIssue(issues, field)) issues.push({ field, code: message })
  }
  // The schema looks at the whole only when the parts are right; a person wants everything at once.
  const isNameless = `${draft.companyName}${draft.firstName}${draft.lastName}`.trim() === ''
  if (isNameless && !hasIssue(issues, 'lastName')) issues.push({ field: 'lastName', code: 'name-required' })
  return issues
}

/** Issues of references that a scanner could not be told apart from something else. */
export const scannedAs = { command: 'scanned-as-command', badge: 'scanned-as-badge' } as const

/** Whether a scan of the reference would do something else than find the order: at most one issue. */
export function checkReference({ reference = '' }: OrderValues, scanner: CodePrefixes): OrderIssue[] {
  const { kind } = readScan(reference.trim(), scanner)
  return kind === 'code' ? [] : [{ field: 'reference', code: scannedAs[kind] }]
}

/** A number as orders keep it, with a point or a typed comma; NaN for what is none. */
export function readNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text.trim().replace(',', '.'))
}

function hasIssue(issues: readonly OrderIssue[], field: OrderValueField): boolean {
  return issues.some((issue) => issue.field === field)
}
