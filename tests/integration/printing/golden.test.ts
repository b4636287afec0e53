import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toZplLayout } from '../../../src/main/printing/layout/labelLayout'
import type { Turn } from '../../../src/shared/labels'
import { socketPrinterSchema } from '../../../src/shared/printing'
import { type CorpusLabel, corpus } from '../../support/printing/corpus/corpus'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { keptReadings } from '../../support/printing/keptReadings'
import { scanDots, scanZpl } from '../../support/printing/scanner'

const rasterizer = createInlineRasterizer()
const readings = keptReadings('tests/integration/printing/golden.json')
afterAll(() => readings.end())

type Pass = { dpi: 203 | 300 | 600; rotate: Turn; how: 'as drawn by a renderer' | 'dot for dot' }

const dpis = [203, 300, 600] as const
const rotations = [0, 90, 180, 270] as const

/**
 * The renderer takes seconds at 600 dpi, so labels alternate: each is drawn at 203 and 300 dpi in one rotation, every
 * fourth at 600 dpi; the other rotations and resolutions are read from the dots. Earlier readings of the same ZPL are
 * kept in golden.json; PACKBENCH_GOLDEN=all draws and reads everything.
 */
function listPasses(index: number): Pass[] {
  const all = dpis.flatMap((dpi, fineness) =>
    rotations.map((rotate, turn): Pass => {
      const mine = turn === (index + fineness) % rotations.length
      const drawn = process.env.PACKBENCH_GOLDEN === 'all' || (mine && (dpi !== 600 || index % 4 === 0))
      return { dpi, rotate, how: drawn ? 'as drawn by a renderer' : 'dot for dot' }
    }),
  )
  return all.filter(({ dpi, how }, place) => how !== 'dot for dot' || dpi === 203 || place % 4 === index % 4)
}

/** The ZPL of a label for a printer that holds its stock turned. */
async function toZpl(label: CorpusLabel, pdf: Buffer, dpi: 203 | 300 | 600, rotate: Turn) {
  const { widthMm, heightMm } = label.stock
  const stock = rotate % 180 === 0 ? label.stock : { widthMm: heightMm, heightMm: widthMm }
  const printer = socketPrinterSchema.parse({ id: 'z', driver: 'socket', host: 'h', dpi, rotate, stock })
  const question = { printer, carrierOptionId: 34, rules: label.rules }
  const zpl = await rasterizer.renderZpl(pdf, toZplLayout(printer, question))
  if (!zpl.ok) throw new Error(zpl.error.message)
  return { zpl: zpl.value.zpl, stock }
}

describe('the barcodes of the corpus after printing', () => {
  it('are those of at least 30 labels with distinct names', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(30)
    expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length)
  })

  describe.each(corpus.map((label, index) => [label.name, label, index] as const))(
    'the label «%s»',
    (_, label, index) => {
      let pdf: Buffer
      beforeAll(async () => {
        pdf = await label.pdf()
      })

      it.each(listPasses(index))(
        'are all read at $dpi dpi, turned by $rotate degrees, $how',
        async ({ dpi, rotate, how }) => {
          const { zpl, stock } = await toZpl(label, pdf, dpi, rotate)
          const name = `${label.name}, ${dpi} dpi, ${rotate}°, ${how}`
          const read = await readings.read(name, [zpl], { stock, dpi, how }, () =>
            how === 'as drawn by a renderer' ? scanZpl(zpl, stock, dpi) : scanDots(zpl),
          )
          expect(read.map((texts) => [...texts].sort())).toEqual(
            label.texts.map((texts) => [...texts].sort()),
          )
        },
      )
    },
  )
})
