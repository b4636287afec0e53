import type { PageSize } from '../stock'
import { sameSize } from '../stock'

const mmPerInch = 25.4
const namedSizes: Record<string, PageSize> = {
  a4: { widthMm: 210, heightMm: 297 },
  a5: { widthMm: 148, heightMm: 210 },
  a6: { widthMm: 105, heightMm: 148 },
}
const twoNumbers =
  /(?<width>\d+(?:[.,]\d+)?)\s*(?:mm|cm|in|inch(?:es)?|"|'')?\s*[x×*]\s*(?<height>\d+(?:[.,]\d+)?)/i

/**
 * The name by which a Windows driver knows a stock; undefined when none is known, and then the driver's own setting
 * holds. Names are free text: «A6», «100 x 150 mm», «4" x 6"».
 * @param names the driver's paper names
 */
export function paperForStock(names: string[], stock: PageSize): string | undefined {
  return names.find((name) => {
    // SumatraPDF parts its settings at commas.
    if (name.includes(',')) return false
    return possibleSizes(name).some((size) => sameSize(size, stock))
  })
}

/** Without a unit the numbers may be millimetres or inches; no label is both 4 x 6 mm and 4 x 6 inches. */
function possibleSizes(name: string): PageSize[] {
  const named = namedSizes[name.trim().toLowerCase()]
  if (named !== undefined) return [named]
  const numbers = twoNumbers.exec(name)?.groups
  if (numbers === undefined) return []
  const width = Number(numbers.width?.replace(',', '.'))
  const height = Number(numbers.height?.replace(',', '.'))
  return scalesOf(name).map((scale) => ({ widthMm: width * scale, heightMm: height * scale }))
}

function scalesOf(name: string): number[] {
  if (/mm/i.test(name)) return [1]
  if (/cm/i.test(name)) return [10]
  if (/in|"|''/i.test(name)) return [mmPerInch]
  return [1, mmPerInch]
}
