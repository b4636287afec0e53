import { z } from 'zod'
import { maxDraftLength } from '../../../shared/app'
import type { BridgeClient } from '../../../shared/bridge'
import { orderItemSchema, orderSchema } from '../../../shared/orders'
import { toResult } from '../../bridge'
import { type CustomsStore, hasCustomsInput } from './customs/customsStore'
import { type DraftForm, textFields } from './form'
import type { ShipStore } from './shipStore'

const formSchema = z.object({
  texts: z.record(z.enum(textFields), z.string()),
  others: z.object({
    isCompany: z.boolean(),
    signatureRequired: z.boolean(),
    returnLabel: z.boolean(),
    carrier: z.string(),
  }),
})

const itemSchema = z.object({
  ...{ key: z.string(), productCode: z.string(), product: z.string(), quantity: z.string() },
  ...{ hsCode: z.string(), countryOfOrigin: z.string(), weight: z.string(), itemPrice: z.string() },
})

const customsSchema = z.object({
  on: z.boolean(),
  unknownCode: z.string().nullable(),
  usual: z.object({ terms: z.string(), currency: z.string(), reason: z.string() }).nullable(),
  form: z.object({
    ...{ invoiceNumber: z.string(), invoiceDate: z.string(), terms: z.string(), currency: z.string() },
    ...{ reason: z.string(), senderId: z.string(), consigneeVat: z.string(), consigneeEori: z.string() },
    consigneeType: z.enum(['Y', 'N']),
    items: z.array(itemSchema),
  }),
})

/** The contents of the Ship form, as main keeps them in memory. */
const keptSchema = z.object({
  form: formSchema,
  moreOpen: z.boolean(),
  isWeightTyped: z.boolean(),
  combined: z
    .object({
      references: z.array(z.string()),
      items: z.array(orderItemSchema.extend({ currency: z.string().optional() })),
      consigneeKey: z.string().optional(),
      before: formSchema,
    })
    .nullable(),
  kept: z.array(z.object({ code: z.string(), isScanned: z.boolean() })),
  /** The order as it was when it filled in the form; it is compared with its current values. */
  order: orderSchema.nullable(),
  printer: z.string().nullable(),
  customs: customsSchema,
})
type KeptForm = z.infer<typeof formSchema>

interface KeptDraftDeps {
  bridge: Pick<BridgeClient, 'keepDraft' | 'takeDraft'>
  ship: ShipStore
  customs: CustomsStore
}

/** Sends a copy of the Ship form to main, which survives a crash of the page. */
export function keepDraft({ bridge, ship, customs }: KeptDraftDeps): void {
  let isDue = false
  let last: string | null = null
  const keep = () => {
    isDue = false
    const draft = toText(ship, customs)
    if (draft === last) return
    last = draft
    void toResult(bridge.keepDraft({ draft }))
  }
  // One copy for all changes of a task. It is not delayed further, since the page may crash in the next task.
  const keepSoon = () => {
    if (!isDue) queueMicrotask(keep)
    isDue = true
  }
  ship.subscribe(keepSoon)
  customs.subscribe(keepSoon)
}

/** Restores the form after the page crashed. */
export async function restoreDraft({ bridge, ship, customs }: KeptDraftDeps): Promise<void> {
  const taken = await toResult(bridge.takeDraft(undefined))
  const kept = taken.ok && taken.value !== null ? readKept(taken.value) : undefined
  if (kept === undefined) return
  const { combined } = kept
  const form = fromKept(kept.form)
  ship.setState({
    form,
    moreOpen: kept.moreOpen,
    weighed: kept.isWeightTyped ? 'typed' : null,
    kept: kept.kept,
    order: kept.order,
    printer: kept.printer,
    combined:
      combined === null
        ? null
        : {
            references: combined.references,
            items: combined.items,
            before: fromKept(combined.before),
            ...(combined.consigneeKey !== undefined && { consigneeKey: combined.consigneeKey }),
          },
  })
  customs.getState().restore(kept.customs)
  // Also shows earlier shipments of the reference that were made meanwhile.
  ship.getState().leave('reference')
  await ship.getState().takeOrderAgain()
}

function toText(ship: ShipStore, customs: CustomsStore): string | null {
  const { form, moreOpen, weighed, combined, kept, order, printer, isUntouched } = ship.getState()
  const { on, form: block, unknownCode, usual } = customs.getState()
  if (kept.length === 0 && isUntouched() && !hasCustomsInput({ on, form: block })) return null
  const text = JSON.stringify({
    form: toKept(form),
    moreOpen,
    isWeightTyped: weighed === 'typed',
    combined: combined && {
      references: combined.references,
      items: combined.items,
      consigneeKey: combined.consigneeKey,
      before: toKept(combined.before),
    },
    kept,
    order,
    printer,
    customs: { on, unknownCode, usual, form: block },
  })
  return text.length > maxDraftLength ? null : text
}

function readKept(text: string) {
  try {
    return keptSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function toKept(form: DraftForm): KeptForm {
  const { isCompany, signatureRequired, returnLabel, carrier, ...texts } = form
  return { texts, others: { isCompany, signatureRequired, returnLabel, carrier } }
}

function fromKept({ texts, others }: KeptForm): DraftForm {
  return { ...texts, ...others }
}
