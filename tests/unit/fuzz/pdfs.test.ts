import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Rasterizer } from '../../../src/main/printing/raster/rasterizer'
import { modelRuns } from '../../support/modelRuns'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { markedPdf } from '../../support/printing/labels'
import { unusualPdfs } from '../../support/printing/unusualPdfs'
import { damagedPdfs } from './corpus'

let rasterizer: Rasterizer
let sound: Buffer
let pdfs: Buffer[]
beforeAll(async () => {
  rasterizer = createInlineRasterizer()
  sound = await markedPdf()
  pdfs = [sound, ...(await Promise.all(unusualPdfs.map(([, pdf]) => pdf())))]
})
afterAll(() => rasterizer.close())

/** Runs all operations on a label's PDF, at 1 dpi, since only the parsing matters here. */
async function runAllOperations(pdf: Buffer): Promise<void> {
  await rasterizer.measure(pdf)
  await rasterizer.renderGrey(pdf, 1, 0)
  const taken = await rasterizer.takePages(pdf, undefined)
  if (taken.ok) expect(taken.value.length).toBeGreaterThan(0)
}

const change = fc.oneof(
  fc.record({ kind: fc.constant('byte' as const), at: fc.nat(), byte: fc.nat(255) }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), byte: fc.constant(0) }),
  fc.record({ kind: fc.constant('digit' as const), at: fc.nat(), byte: fc.nat(9) }),
)

/** Changes a byte, truncates the file, or changes a digit: lengths, offsets and sizes are decimal numbers in a PDF. */
function damage(
  pdf: Buffer,
  { kind, at, byte }: { kind: 'byte' | 'cut' | 'digit'; at: number; byte: number },
): Buffer {
  if (kind === 'cut') return pdf.subarray(0, at % pdf.length)
  const changed = Buffer.from(pdf)
  if (kind === 'byte') {
    changed[at % changed.length] = byte
    return changed
  }
  const digits = [...changed.keys()].filter((each) => /[0-9]/.test(String.fromCharCode(changed[each] ?? 0)))
  changed[digits[at % digits.length] ?? 0] = 0x30 + byte
  return changed
}

describe('the rasterizer', () => {
  it('draws or refuses any damaged PDF without an exception, and then draws a sound PDF as before', async () => {
    const before = await rasterizer.renderGrey(sound, 1)
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(change, { minLength: 1, maxLength: 5 }), async (which, changes) => {
        await runAllOperations(changes.reduce(damage, pdfs[which % pdfs.length] ?? sound))
      }),
      { numRuns: Math.ceil(modelRuns / 2), examples: damagedPdfs },
    )
    expect(await rasterizer.renderGrey(sound, 1)).toEqual(before)
  })

  it('handles random bytes without an exception, with and without a PDF header', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        for (const pdf of [Buffer.from(bytes), Buffer.concat([Buffer.from('%PDF-1.7\n'), bytes])])
          await runAllOperations(pdf)
      }),
      { numRuns: Math.ceil(modelRuns / 5) },
    )
  })
})
