import { PDFDocument } from 'pdf-lib'
import { expect, it } from 'vitest'
import { drawCommandLabel, makeCommandSheet } from '../../../src/main/printing/queue/testLabel'
import { commandCode, scanCommands, scannerSchema } from '../../../src/shared/scanner'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { scanPicture } from '../../support/printing/scanner'

const scanner = scannerSchema.parse({})
const codes = scanCommands.map((command) => commandCode(command, scanner))

const rasterizer = createInlineRasterizer()

/** Reads the codes from the dots of every page. */
async function scanPages(pdf: Uint8Array, dotsPerMm: number): Promise<string[]> {
  const drawn = await rasterizer.renderGrey(Buffer.from(pdf), dotsPerMm)
  const pages = drawn.ok ? drawn.value : []
  const found = await Promise.all(
    pages.map(({ width, height, pixels }) =>
      scanPicture({ width, height, dot: (x, y) => (pixels[y * width + x] ?? 255) < 128 }),
    ),
  )
  return found.flat().sort()
}

it.each(['en', 'nl'] as const)(
  'draws one A4 page on which a scanner reads every command, in %s',
  async (language) => {
    const pdf = await makeCommandSheet({ widthMm: 210, heightMm: 297 }, 12, language, scanner)
    expect((await PDFDocument.load(pdf)).getPageCount()).toBe(1)
    expect(await scanPages(pdf, 12)).toEqual([...codes].sort())
  },
)

it('draws the commands on several labels when one label is too small, and loses no command', async () => {
  const label = await drawCommandLabel(
    {
      ...{ driver: 'socket', id: 'zebra', host: '192.0.2.10', port: 9100, dpi: 203, rotate: 0, copies: 1 },
      stock: { widthMm: 100, heightMm: 50 },
    },
    'en',
    scanner,
  )
  expect((await PDFDocument.load(label.bytes)).getPageCount()).toBeGreaterThan(1)
  expect(await scanPages(label.bytes, 8)).toEqual([...codes].sort())
})
