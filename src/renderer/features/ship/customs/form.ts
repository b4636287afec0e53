import type { TFunction } from 'i18next'
import { z } from 'zod'
import {
  type Customs,
  type CustomsParty,
  customsSchema,
  type Product,
  type SenderProfile,
} from '../../../../shared/customs'
import { isCurrencyCode, readNumber } from '../../../../shared/fields'
import type { Order, OrderItem } from '../../../../shared/orders'
import { issuesByPath, type ValidationIssue } from '../../../ui/validation'
import type { DraftForm } from '../form'

/** One item as typed; `key` identifies it in the list. */
const itemFormSchema = z.object({
  ...{ key: z.string(), productCode: z.string(), product: z.string(), quantity: z.string() },
  ...{ hsCode: z.string(), countryOfOrigin: z.string(), weight: z.string(), itemPrice: z.string() },
})
export type ItemForm = z.infer<typeof itemFormSchema>
export type ItemField = Exclude<keyof ItemForm, 'key'>

/**
 * The customs block as typed. The recipient is the shipment's consignee, the sender one of the station's profiles.
 */
export const customsFormSchema = z.object({
  ...{ invoiceNumber: z.string(), invoiceDate: z.string(), terms: z.string(), currency: z.string() },
  ...{ reason: z.string(), senderId: z.string(), consigneeType: z.enum(['Y', 'N']) },
  ...{ consigneeVat: z.string(), consigneeEori: z.string(), items: z.array(itemFormSchema) },
})
export type CustomsForm = z.infer<typeof customsFormSchema>

export function blankItem(key: string): ItemForm {
  return {
    key,
    productCode: '',
    product: '',
    quantity: '1',
    hsCode: '',
    countryOfOrigin: '',
    weight: '',
    itemPrice: '',
  }
}

/** The item of a product. A weight or price of 0 stays empty, since an empty cell or a missing column is 0 too. */
export function toItem(key: string, product: Product): ItemForm {
  return {
    key,
    productCode: product.code,
    product: product.name,
    quantity: '1',
    hsCode: product.hsCode,
    countryOfOrigin: product.countryOfOrigin,
    weight: toKnown(product.weight),
    itemPrice: toKnown(product.price),
  }
}

function toKnown(value: number): string {
  return value === 0 ? '' : String(value)
}

/** An item of an order. `price` is in the order's currency, which is unknown if omitted or empty. */
export type OrderedItem = OrderItem & { currency?: string | undefined }

export function toOrderedItems({ items, currency }: Pick<Order, 'items' | 'currency'>): OrderedItem[] {
  return items.map((item) => ({ ...item, currency }))
}

/** The common currency of all prices: empty if none is given, undefined if they differ or one is invalid. */
export function findCurrency(goods: readonly OrderedItem[]): string | undefined {
  const priced = goods.filter(({ price }) => price !== '')
  const [first = '', ...others] = new Set(priced.map(({ currency }) => currency ?? ''))
  return others.length === 0 && (first === '' || isCurrencyCode(first)) ? first : undefined
}

/** Converts the goods of orders to invoice items. Those that are alike but for the quantity are merged if it is a number. */
export function toItems(goods: readonly OrderItem[], newKey: () => string): ItemForm[] {
  const items: ItemForm[] = []
  for (const { sku, name, quantity, hsCode, countryOfOrigin, weight, price } of goods) {
    const item = {
      ...{ productCode: sku, product: name || sku, hsCode, countryOfOrigin, weight, itemPrice: price },
      quantity: quantity || '1',
    }
    const same = items.find(({ key: _, ...each }) => {
      const sum = readNumber(each.quantity) + readNumber(item.quantity)
      return (
        !Number.isNaN(sum) && JSON.stringify({ ...each, quantity: item.quantity }) === JSON.stringify(item)
      )
    })
    if (same === undefined) items.push({ ...item, key: newKey() })
    else same.quantity = toSum(same.quantity, item.quantity)
  }
  return items
}

/** The sum of two quantities, to three decimals, so that 0.1 and 0.2 are 0.3. */
function toSum(one: string, other: string): string {
  return String(Math.round((readNumber(one) + readNumber(other)) * 1000) / 1000)
}

/**
 * The profile of a sender: the one with the same data, otherwise, since they may have been corrected, the only one with the same
 * EORI number, VAT number or name.
 */
function findProfile(sender: CustomsParty, profiles: readonly SenderProfile[]): SenderProfile | undefined {
  const same = profiles.find(({ party }) => JSON.stringify(party) === JSON.stringify(sender))
  if (same !== undefined) return same
  const toName = ({ companyName, name }: CustomsParty) => companyName || name
  const ways: readonly ((party: CustomsParty) => boolean)[] = [
    ({ eoriNumber }) => eoriNumber !== '' && eoriNumber === sender.eoriNumber,
    ({ vatNumber }) => vatNumber !== '' && vatNumber === sender.vatNumber,
    (party) => toName(party) === toName(sender),
  ]
  const found = ways.map((isAlike) => profiles.filter(({ party }) => isAlike(party)))
  return found.find((alike) => alike.length === 1)?.[0]
}

/** The form for existing customs data. The sender is left open if no profile is recognised as it. */
export function toCustomsForm(
  { sender, recipient, items, ...plain }: Customs,
  profiles: readonly SenderProfile[],
  newKey: () => string,
): CustomsForm {
  return {
    ...plain,
    senderId: findProfile(sender, profiles)?.id ?? '',
    consigneeType: recipient.type,
    consigneeVat: recipient.vatNumber,
    consigneeEori: recipient.eoriNumber,
    items: items.map((item) => ({
      ...item,
      key: newKey(),
      quantity: String(item.quantity),
      weight: String(item.weight),
      itemPrice: String(item.itemPrice),
    })),
  }
}

/** The items' numbers, for totals while they are typed; invalid numbers count as 0. */
export function itemNumbers(
  items: readonly ItemForm[],
): { quantity: number; weight: number; itemPrice: number }[] {
  const read = (text: string) => {
    const value = readNumber(text)
    return Number.isNaN(value) ? 0 : value
  }
  return items.map((item) => ({
    quantity: read(item.quantity),
    weight: read(item.weight),
    itemPrice: read(item.itemPrice),
  }))
}

export type ReadCustoms =
  | { ok: true; customs: Customs }
  | { ok: false; issues: Record<string, ValidationIssue> }

/** Validates the block: the customs data, or issues by field path, e.g. `items.0.weight`. */
export function readCustoms(
  form: CustomsForm,
  consignee: DraftForm,
  sender: CustomsParty | undefined,
): ReadCustoms {
  const parsed = customsSchema.safeParse({
    invoiceNumber: form.invoiceNumber,
    invoiceDate: form.invoiceDate,
    terms: form.terms,
    currency: form.currency,
    reason: form.reason,
    sender: sender ?? null,
    recipient: toCustomsRecipient(form, consignee),
    items: form.items.map(({ key: _, ...item }) => ({
      ...item,
      quantity: readNumber(item.quantity),
      weight: readNumber(item.weight),
      itemPrice: readNumber(item.itemPrice),
    })),
  })
  if (parsed.success) return { ok: true, customs: parsed.data }
  return { ok: false, issues: issuesByPath(parsed.error) }
}

function toCustomsRecipient(form: CustomsForm, consignee: DraftForm): CustomsParty {
  return {
    companyName: consignee.companyName,
    name: `${consignee.firstName} ${consignee.lastName}`.trim(),
    street: consignee.street,
    houseNumber: consignee.houseNumber,
    postalCode: consignee.postalCode,
    city: consignee.city,
    country: consignee.country,
    email: consignee.email,
    phoneNumber: consignee.phoneNumber,
    type: form.consigneeType,
    vatNumber: form.consigneeVat,
    eoriNumber: form.consigneeEori,
  }
}

/** Text keys of the item fields. */
export const itemLabels = {
  productCode: 'code',
  product: 'product',
  quantity: 'quantity',
  hsCode: 'hsCode',
  countryOfOrigin: 'origin',
  weight: 'weight',
  itemPrice: 'price',
} as const satisfies Record<ItemField, string>

const plainFields = ['invoiceNumber', 'invoiceDate', 'terms', 'currency', 'reason'] as const

/**
 * The name that a person uses for the place of an issue.
 * @param path e.g. `items.0.weight` or `recipient.country`
 */
export function issuePlace(t: TFunction, path: string): string {
  const [head, index, name] = path.split('.')
  if (head === 'sender') return t('customs.sender')
  if (head === 'recipient') return t('ship.groupConsignee')
  if (head === 'items') {
    const field = Object.entries(itemLabels).find(([key]) => key === name)?.[1]
    if (field === undefined) return t('customs.itemsNeeded')
    return t('customs.itemField', { field: t(`customs.${field}`), row: Number(index) + 1 })
  }
  const plain = plainFields.find((field) => field === head)
  return plain === undefined ? path : t(`customs.${plain}`)
}
