import { z } from 'zod'
import { maxDraftLength } from '../../../shared/app'
import type { BridgeClient } from '../../../shared/bridge'
import { orderItemSchema, orderSchema } from '../../../shared/orders'
import { toResult } from '../../bridge'
import { type CustomsStore, hasCustomsInput } from './customs/customsStore'
import { customsFormSchema } from './customs/form'
import { draftFormSchema } from './form'
import type { ShipStore } from './shipStore'

const combinedSchema = z
  .object({
    references: z.array(z.string()),
    items: z.array(orderItemSchema.extend({ currency: z.string().optional() })),
    orderIds: z.array(z.string()).optional(),
    consigneeKey: z.string().optional(),
    before: draftFormSchema,
    after: draftFormSchema,
  })
  .nullable()

/** The contents of the Ship form, as main keeps them in memory. */
const keptSchema = z.object({
  form: draftFormSchema,
  moreOpen: z.boolean(),
  isWeightTyped: z.boolean(),
  chosenCarrier: z.string(),
  combined: combinedSchema,
  kept: z.array(z.object({ code: z.string(), isScanned: z.boolean() })),
  /** The order as it was when it filled in the form; it is compared with its current values. */
  order: orderSchema.nullable(),
  source: z
    .object({
      order: orderSchema.nullable(),
      before: z
        .object({
          form: draftFormSchema,
          // A round of the scale means nothing to the next page.
          weighed: z.literal('typed').nullable().catch(null),
          combined: combinedSchema,
          printer: z.string().nullable(),
        })
        .nullable(),
    })
    .nullable(),
  printer: z.string().nullable(),
  customs: z.object({
    on: z.boolean(),
    unknownCode: z.string().nullable(),
    usual: z
      .object({ terms: z.string(), currency: z.string(), reason: z.string(), senderId: z.string() })
      .nullable(),
    form: customsFormSchema,
    isToBeChecked: z.boolean(),
  }),
})

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
  const { isWeightTyped, customs: block, ...input } = kept
  ship.setState({ ...input, weighed: isWeightTyped ? 'typed' : null })
  customs.getState().restore(block)
  // Also shows earlier shipments of the reference that were made meanwhile.
  ship.getState().leave('reference')
  await ship.getState().takeOrderAgain()
}

function toText(ship: ShipStore, customs: CustomsStore): string | null {
  const { form, moreOpen, weighed, chosenCarrier, combined, kept, ...others } = ship.getState()
  const { order, source, printer, isUntouched } = others
  const { on, form: block, unknownCode, usual, isToBeChecked } = customs.getState()
  if (kept.length === 0 && isUntouched() && !hasCustomsInput({ on, form: block })) return null
  const text = JSON.stringify({
    form,
    moreOpen,
    isWeightTyped: weighed === 'typed',
    chosenCarrier,
    combined,
    kept,
    order,
    source,
    printer,
    customs: { on, unknownCode, usual, form: block, isToBeChecked },
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
