import type { TFunction } from 'i18next'
import type { ItemField } from './customsForm'

/** What the fields of an item are called, by their texts. */
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
 * Where a fault of the customs data is, as a person calls it.
 * @param path e.g. `items.0.weight` or `recipient.country`
 */
export function faultPlace(t: TFunction, path: string): string {
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
