import type { CustomsItem } from './customs'

/** Sums over the items of an invoice. */
export interface CustomsTotals {
  /** Kilograms as far as the app is concerned, to the gram. */
  weight: number
  /** In the invoice's currency, to the cent. */
  value: number
  pieces: number
}

/** Adds the items up: weight and price are those of one piece. */
export function customsTotals(
  items: readonly Pick<CustomsItem, 'quantity' | 'weight' | 'itemPrice'>[],
): CustomsTotals {
  const sum = (partOf: (item: Pick<CustomsItem, 'quantity' | 'weight' | 'itemPrice'>) => number) =>
    items.reduce((total, item) => total + partOf(item), 0)
  return {
    weight: rounded(
      sum((item) => item.quantity * item.weight),
      1000,
    ),
    value: rounded(
      sum((item) => item.quantity * item.itemPrice),
      100,
    ),
    pieces: rounded(
      sum((item) => item.quantity),
      1000,
    ),
  }
}

function rounded(value: number, steps: number): number {
  return Math.round(value * steps) / steps
}
