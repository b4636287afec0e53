import type { CustomsItem } from './customs'

/** Sums over the items of an invoice. */
export interface CustomsTotals {
  /** Kilograms as far as the app is concerned, to the gram. */
  weight: number
  /** In the invoice's currency: the sum of the lines, each to the cent, as it is added up on paper. */
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
      sum((item) => rounded(item.quantity * item.itemPrice, 100)),
      100,
    ),
    pieces: rounded(
      sum((item) => item.quantity),
      1000,
    ),
  }
}

/** Halves go up by their decimal form: 1.005 is a little less in binary. */
function rounded(value: number, steps: number): number {
  return Math.round(Number((value * steps).toPrecision(12))) / steps
}
