import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PDFDocument, PDFName } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { createFolderDriver } from '../../../src/main/printing/drivers/folder'
import { createSocketDriver } from '../../../src/main/printing/drivers/socket'
import { createWindowsDriver } from '../../../src/main/printing/drivers/windows'
import { pointsPerMm } from '../../../src/main/printing/layout/geometry'
import { previewPrint } from '../../../src/main/printing/queue/printPreview'
import {
  folderPrinterSchema,
  type PageRange,
  type SystemPrinter,
  socketPrinterSchema,
  systemPrinterSchema,
} from '../../../src/shared/printing'
import { ok } from '../../../src/shared/result'
import { startByteSink } from '../../support/printing/byteSink'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelWith, type Mark, markedPdf, marks } from '../../support/printing/labels'
import { contextFor, staysOpen } from '../../support/printing/printContext'
import {
  annotatedPdf,
  hiddenMark,
  layeredPdf,
  printLayerPdf,
  secondMarks,
  shownMark,
  unusualPdfs,
} from '../../support/printing/unusualPdfs'
import { readZplPictures } from '../../support/printing/zplPicture'
import { temporaryFolder } from '../../support/temporaryFolder'

const rasterizer = createInlineRasterizer()
const stock = { widthMm: 100, heightMm: 150 }
const onePage = [{ page: 0, area: { xMm: 0, yMm: 0, ...stock }, turn: 0, scale: 1 }] as const
const shift = { x: 3, y: 3 }

type Picture = { size: [widthMm: number, heightMm: number]; black(xMm: number, yMm: number): boolean }

async function toPictures(pdf: Buffer): Promise<Picture[]> {
  const drawn = await rasterizer.renderGrey(pdf, 8)
  if (!drawn.ok) throw new Error(drawn.error.message)
  return drawn.value.map(({ width, height, pixels }) => ({
    size: [Math.round(width / 8), Math.round(height / 8)],
    black: (x, y) => (pixels[Math.round(y * 8) * width + Math.round(x * 8)] ?? 255) < 128,
  }))
}

/** Expects each mark at its place and in its size. */
function expectMarks(picture: Picture | undefined, drawn: readonly Mark[], shift = 0): void {
  expect(picture?.size).toEqual([100, 150])
  for (const { x, y, width, height } of drawn) {
    const [left, top, right, bottom] = [x + shift, y + shift, x + shift + width, y + shift + height]
    expect([picture?.black(left + 0.5, top + 0.5), picture?.black(right - 0.5, bottom - 0.5)]).toEqual([
      true,
      true,
    ])
    expect([picture?.black(left - 0.5, top + 0.5), picture?.black(right + 0.5, bottom - 0.5)]).toEqual([
      false,
      false,
    ])
  }
}

async function printOnSocket(bytes: Buffer): Promise<Picture[]> {
  const sink = await startByteSink()
  const printer = socketPrinterSchema.parse({
    ...{ id: 'z', driver: 'socket', host: '127.0.0.1', port: sink.port, stock },
  })
  const driver = createSocketDriver(rasterizer)
  expect(await driver.print(contextFor(printer, labelWith({ bytes })), staysOpen)).toEqual({
    kind: 'handed-over',
  })
  return readZplPictures(sink.received().toString('latin1')).map((picture) => ({
    size: [picture.width / 8, picture.height / 8],
    black: (x, y) => picture.dot(Math.round(x * 8), Math.round(y * 8)),
  }))
}

/** Returns the PDF that SumatraPDF receives. */
async function printOnWindows(bytes: Buffer, fields: Partial<SystemPrinter> = {}): Promise<Buffer> {
  const printed: Buffer[] = []
  const driver = createWindowsDriver({
    load: async () => ({ print: async (file) => void printed.push(await readFile(file)) }),
    sumatraPdfPath: 'SumatraPDF.exe',
    rasterizer,
    readStatus: async () => ok([]),
    readQueues: async () =>
      ok([{ name: 'Q', isDefault: false, papers: [{ name: 'Label', size: stock, kind: undefined }] }]),
  })
  const printer = systemPrinterSchema.parse({ id: 'w', driver: 'system', queue: 'Q', stock, ...fields })
  expect(await driver.print(contextFor(printer, labelWith({ bytes })), staysOpen)).toEqual({
    kind: 'handed-over',
  })
  const [pdf] = printed
  if (pdf === undefined) throw new Error('nothing was printed')
  return pdf
}

async function printToFolder(bytes: Buffer, range?: PageRange): Promise<Buffer> {
  const folder = await temporaryFolder()
  const printer = folderPrinterSchema.parse({ id: 'f', driver: 'folder', path: 'labels' })
  const context = { ...contextFor(printer, labelWith({ bytes })), ...(range !== undefined && { range }) }
  expect(await createFolderDriver(folder, rasterizer).print(context, staysOpen)).toMatchObject({
    kind: 'done',
  })
  const [file = ''] = await readdir(join(folder, 'labels'))
  return readFile(join(folder, 'labels', file))
}

describe.each(unusualPdfs)('a label %s', (_, pdf) => {
  it('is printed unscaled on a label printer, and shown in its size in the preview', async () => {
    const [first, second] = await printOnSocket(await pdf())
    expectMarks(first, marks)
    expectMarks(second, secondMarks)
    const printer = systemPrinterSchema.parse({ id: 's', driver: 'system', queue: 'Q', stock })
    const preview = await previewPrint(
      { label: labelWith({ bytes: await pdf() }), printer, dpi: 203, rules: [] },
      rasterizer,
    )
    expect(preview).toMatchObject({ problem: null, pictures: [{ width: 800 }, { height: 1200 }] })
  })

  it('goes to Windows as a complete PDF without UserUnit and encryption', async () => {
    const given = await printOnWindows(await pdf())
    expect(given.includes('/UserUnit')).toBe(false)
    expect(given.includes('/Encrypt')).toBe(false)
    expect(given.subarray(-10).includes('%%EOF')).toBe(true)
    const [first, second] = await toPictures(given)
    expectMarks(first, marks)
    expectMarks(second, secondMarks)
  })

  it('is shifted on Windows by the offset in the printer settings', async () => {
    const [first, second] = await toPictures(await printOnWindows(await pdf(), { offsetMm: { x: 3, y: 3 } }))
    expectMarks(first, marks, 3)
    expectMarks(second, secondMarks, 3)
  })

  it('is written to a folder in part when a page range is given', async () => {
    const [page, ...others] = await toPictures(await printToFolder(await pdf(), { from: 2, to: 2 }))
    expect(others).toEqual([])
    expectMarks(page, secondMarks)
  })

  it('is written to a folder as a complete PDF', async () => {
    const written = await printToFolder(await pdf())
    expect(written.subarray(-20).includes('%%EOF')).toBe(true)
    const text = written.toString('latin1')
    const references = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(text)?.[1])
    expect(text.slice(references, references + 20)).toMatch(/^(xref|\d+ \d+ obj)\b/)
    const [first, second] = await toPictures(written)
    expectMarks(first, marks)
    expectMarks(second, secondMarks)
  })
})

describe('a truncated label', () => {
  it('is refused with the same error by the drivers, the layout on stock and the preview', async () => {
    const complete = await markedPdf(100, 150, marks, 2)
    // Cuts the PDF inside its last object.
    const bytes = complete.subarray(0, complete.lastIndexOf('endobj') - 40)
    const label = labelWith({ bytes })
    const missing = { code: 'label-unreadable' }
    const socket = socketPrinterSchema.parse({ id: 'z', driver: 'socket', host: '127.0.0.1', port: 1 })
    const folder = folderPrinterSchema.parse({ id: 'f', driver: 'folder', path: 'labels' })
    const refused = { kind: 'failed', nothingPrinted: true, error: missing }
    expect(await createSocketDriver(rasterizer).print(contextFor(socket, label), staysOpen)).toMatchObject(
      refused,
    )
    const folderDriver = createFolderDriver(await temporaryFolder(), rasterizer)
    expect(await folderDriver.print(contextFor(folder, label), staysOpen)).toMatchObject(refused)
    const printer = systemPrinterSchema.parse({ id: 's', driver: 'system', queue: 'Q', stock })
    expect(await previewPrint({ label, printer, dpi: 203, rules: [] }, rasterizer)).toMatchObject({
      problem: missing,
    })
    expect(await rasterizer.layOnStock(bytes, { stock, copies: 1, placements: [] })).toMatchObject({
      error: missing,
    })
  })

  it('is refused when its last object is cut', async () => {
    const complete = Buffer.from(
      (await markedPdf(100, 150, marks)).toString('latin1').replace('startxref', '\nstartxref'),
      'latin1',
    )
    expect(await rasterizer.measure(complete)).toMatchObject({ ok: true })
    const objects = [...complete.toString('latin1').matchAll(/endobj/g)].map(({ index }) => index)
    const cut = complete.subarray(0, (objects.at(-2) ?? 0) + 20)
    expect(await rasterizer.measure(cut)).toMatchObject({ error: { code: 'label-unreadable' } })
  })
})

describe('a hidden layer', () => {
  it('stays hidden when the label is shifted', async () => {
    const [page] = await toPictures(await printOnWindows(await layeredPdf(), { offsetMm: { x: 3, y: 3 } }))
    expectMarks(page, [shownMark], 3)
    expect(page?.black(hiddenMark.x + 13, hiddenMark.y + 13)).toBe(false)
  })

  it('stays hidden when a page range is written to a folder', async () => {
    const [page] = await toPictures(await printToFolder(await layeredPdf(), { from: 2, to: 2 }))
    expectMarks(page, [shownMark])
    expect(page?.black(hiddenMark.x + 10, hiddenMark.y + 10)).toBe(false)
  })
})

describe('a layer that is on for print', () => {
  it('is drawn although it is off on screens, while a layer that is on only for screens is not drawn', async () => {
    const [page] = await toPictures(await printOnWindows(await printLayerPdf(), { offsetMm: { x: 3, y: 3 } }))
    expectMarks(page, [shownMark], 3)
    expect(page?.black(hiddenMark.x + 13, hiddenMark.y + 13)).toBe(false)
  })
})

describe.each(['stamp', 'field'] as const)('an annotation that is a %s', (kind) => {
  it.each([
    ['is printed when it is meant for print', 4, true],
    ['is printed when it is meant for print alone', 4 + 32, true],
    ['is not printed when it is meant for screens alone', 0, false],
    ['is not printed when it is hidden', 4 + 2, false],
  ] as const)('%s', async (_, flags, isPrinted) => {
    const pdf = await annotatedPdf(flags, kind)
    const [shown] = await toPictures(pdf)
    const laid = await rasterizer.layOnStock(pdf, { stock, copies: 1, placements: onePage, offsetMm: shift })
    const [rewritten] = laid.ok ? await toPictures(laid.value.pdf) : []
    const at = (by: number) => [shownMark.x + 10 + by, shownMark.y + 10 + by] as const
    expect([shown?.black(...at(0)), rewritten?.black(...at(3))]).toEqual([isPrinted, isPrinted])
  })

  it('is not sent as dots when its page inherits a size that begins left of its content', async () => {
    const document = await PDFDocument.load(await annotatedPdf(4, kind))
    const { node } = document.getPage(0)
    const left = 10 * pointsPerMm
    const size = [-left, 0, stock.widthMm * pointsPerMm - left, stock.heightMm * pointsPerMm]
    node.Parent()?.set(PDFName.of('MediaBox'), document.context.obj(size))
    node.delete(PDFName.of('MediaBox'))
    const pdf = Buffer.from(await document.save())
    const laid = await rasterizer.layOnStock(pdf, { stock, copies: 1, placements: onePage, offsetMm: shift })
    const sent = laid.ok ? laid.value.pdf : pdf
    const [rewritten] = await toPictures(sent)
    expect(rewritten?.black(shownMark.x + 23, shownMark.y + 13)).toBe(true)
    expect(sent.includes('/Image')).toBe(false)
  })
})
