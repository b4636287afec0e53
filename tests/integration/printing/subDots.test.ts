import { afterAll, describe, expect, it } from 'vitest'
import { producerNames, type SubDotLabel, subDotLabels } from '../../support/printing/corpus/subDots'
import { symbols } from '../../support/printing/corpus/symbols'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { keptReadings } from '../../support/printing/keptReadings'
import { wholePages } from '../../support/printing/layouts'
import { scanDots } from '../../support/printing/scanner'

const rasterizer = createInlineRasterizer()
const readings = keptReadings('tests/integration/printing/subDots.json')
afterAll(() => readings.end())
const page = { widthMm: 100, heightMm: 100 }
const everything = process.env.PACKBENCH_GOLDEN === 'all'

/** Dots per millimetre of a print head, and the number of offsets between two dots at which a symbol is printed. */
const heads = [
  { dpi: 203, perMm: 8, places: 12 },
  { dpi: 300, perMm: 300 / 25.4, places: 6 },
  { dpi: 600, perMm: 600 / 25.4, places: everything ? 12 : 2 },
] as const

/** Counts the offsets between two dots at which the symbol is read from the dots that go to the printer. */
async function countRead(
  { producer, ...label }: Omit<SubDotLabel, 'shiftMm'>,
  perMm: number,
  places: number,
): Promise<number> {
  const labels = Array.from({ length: places }, (_, place) => ({ ...label, shiftMm: place / places / perMm }))
  const printed: Buffer[] = []
  for (const pdf of await subDotLabels(producer, labels)) {
    const zpl = await rasterizer.renderZpl(pdf, wholePages([page], perMm))
    if (!zpl.ok) throw new Error(zpl.error.message)
    printed.push(zpl.value.zpl)
  }
  const most = 1
  const { symbol, isTurned = false } = label
  const name = `${symbol.bcid}${isTurned ? ' on its side' : ''} drawn as ${producer} at ${Math.round(perMm * 25.4)} dpi`
  const read = await readings.read(name, printed, { most }, async () => {
    const texts: string[][] = []
    for (const zpl of printed) texts.push((await scanDots(zpl, most)).flat())
    return texts
  })
  return read.filter((texts) => texts.includes(symbol.text)).length
}

describe.each(heads)('a barcode at $dpi dpi, at each offset between two dots', ({ dpi, perMm, places }) => {
  // The producers after the first eight write the same shapes with other operators, so that one resolution is enough.
  describe.each(dpi === 203 ? producerNames : producerNames.slice(0, 8))('drawn as %s', (producer) => {
    it.each(['code128', 'itf', 'code39'] as const)(
      'is read when it is %s with bars of two dots',
      async (name) => {
        const symbol = { ...symbols[name], moduleMm: 2 / perMm }
        // Rounded to hundredths of a point, an edge in the middle of a dot falls to either side. pdftoppm also reads
        // 7 of 8.
        const minRead = producer === 'iText’s template' ? places - 1 : places
        expect(await countRead({ symbol, producer }, perMm, places)).toBeGreaterThanOrEqual(minRead)
      },
    )
  })

  it('is read when it is code128 on its side', async () => {
    const symbol = { ...symbols.code128, moduleMm: 2 / perMm }
    const label = { symbol, producer: 'rectangles one by one', isTurned: true } as const
    expect(await countRead(label, perMm, places)).toBe(places)
  })

  it.each(['qr', 'dataMatrix', 'pdf417'] as const)('is read when it is %s', async (name) => {
    const symbol = { ...symbols[name], moduleMm: (name === 'pdf417' ? 2 : 4) / perMm }
    const label = { symbol, producer: 'rectangles one by one' } as const
    const some = dpi === 600 ? 1 : 4
    expect(await countRead(label, perMm, some)).toBe(some)
  })
})
