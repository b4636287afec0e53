import type { PageSize } from '../layout/stock'
import { sameSize } from '../layout/stock'
import type { WindowsPaper } from './windowsQueues'

const mmPerInch = 25.4
const namedSizes: Record<string, PageSize> = {
  a4: { widthMm: 210, heightMm: 297 },
  a5: { widthMm: 148, heightMm: 210 },
  a6: { widthMm: 105, heightMm: 148 },
  letter: { widthMm: 215.9, heightMm: 279.4 },
  legal: { widthMm: 215.9, heightMm: 355.6 },
}
const twoNumbers =
  /(?<width>\d+(?:[.,]\d+)?)\s*(?:mm|cm|in|inch(?:es)?|"|'')?\s*[x×*]\s*(?<height>\d+(?:[.,]\d+)?)/i
/** A roll without gaps, whose labels are as long as they are printed: «62mm». */
const rollWidth = /^(?<width>\d+(?:[.,]\d+)?)\s*mm(?:\s*(?:continuous|endless|tape|roll))?$/i

/** How a label is asked for at a Windows driver. */
export interface PaperChoice {
  /** What SumatraPDF takes as the paper: its name, or its number where the name holds a comma. */
  paper: string
  /**
   * How SumatraPDF is to turn the page. It goes by the paper alone: a page that is wider than high is turned upright on
   * a high paper, and the other way round. Missing where the paper's sides are not known.
   */
  orientation?: 'portrait' | 'landscape'
}

/**
 * The paper of a Windows driver for a stock: by the size that the driver states, else by what its name says («A6»,
 * «100 x 150 mm», «4" x 6"», «62mm»). Sides may be swapped.
 * @param wanted the name that a person chose in the settings, if any
 * @returns undefined when no paper is known to be the stock
 */
export function choosePaper(
  papers: readonly WindowsPaper[],
  stock: PageSize,
  wanted?: string,
): PaperChoice | undefined {
  if (wanted !== undefined) {
    const paper = papers.find(({ name }) => name.trim().toLowerCase() === wanted.trim().toLowerCase())
    return paper && toChoice(paper, paper.size ?? possibleSizes(paper.name)[0] ?? stock)
  }
  const swapped = { widthMm: stock.heightMm, heightMm: stock.widthMm }
  for (const side of [stock, swapped]) {
    for (const listSizes of [statedSizes, namedOrRoll(side)]) {
      for (const paper of papers) {
        const choice = listSizes(paper).some((size) => sameSize(size, side))
          ? toChoice(paper, side)
          : undefined
        if (choice !== undefined) return choice
      }
    }
  }
  return undefined
}

function statedSizes({ size }: WindowsPaper): PageSize[] {
  return size === undefined ? [] : [size]
}

/** A stated size is never overruled by a name, but for rolls, whose drivers state some length or other. */
function namedOrRoll(side: PageSize): (paper: WindowsPaper) => PageSize[] {
  return ({ name, size }) => {
    const roll = rollWidth.exec(name.trim())?.groups?.width
    if (roll !== undefined) return [{ widthMm: Number(roll.replace(',', '.')), heightMm: side.heightMm }]
    return size === undefined ? possibleSizes(name) : []
  }
}

function toChoice({ name, kind }: WindowsPaper, size: PageSize): PaperChoice | undefined {
  // SumatraPDF splits its settings at commas.
  const paper = name.includes(',') ? kind?.toString() : name
  if (paper === undefined) return undefined
  return { paper, orientation: size.widthMm > size.heightMm ? 'landscape' : 'portrait' }
}

/** Without a unit the numbers may be millimetres or inches; no label is both 4 x 6 mm and 4 x 6 inches. */
function possibleSizes(name: string): PageSize[] {
  const named = namedSizes[name.trim().toLowerCase()]
  if (named !== undefined) return [named]
  const numbers = twoNumbers.exec(name)?.groups
  if (numbers === undefined) return []
  const width = Number(numbers.width?.replace(',', '.'))
  const height = Number(numbers.height?.replace(',', '.'))
  return toScales(name).map((scale) => ({ widthMm: width * scale, heightMm: height * scale }))
}

function toScales(name: string): number[] {
  if (/mm/i.test(name)) return [1]
  if (/cm/i.test(name)) return [10]
  if (/in|"|''/i.test(name)) return [mmPerInch]
  return [1, mmPerInch]
}
