import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import {
  nothingPrinted,
  type PrintContext,
  type PrinterDriver,
  type PrintOutcome,
} from '../../../src/main/printing/drivers/driver'
import { getSheetPlace, setSheetPlace, withSheets } from '../../../src/main/printing/drivers/sheets'
import type { MonoBitmap } from '../../../src/main/printing/layout/labelLayout'
import { createSheetPlaceRepository } from '../../../src/main/printing/queue/printerRepository'
import type { Rasterizer } from '../../../src/main/printing/raster/rasterizer'
import { appError } from '../../../src/shared/errors'
import { type SystemPrinter, systemPrinterSchema } from '../../../src/shared/printing'
import { ok } from '../../../src/shared/result'
import { openTestDatabase } from '../../support/databaseWorker'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelWith, markedPdf } from '../../support/printing/labels'
import { contextFor, staysOpen } from '../../support/printing/printContext'
import { temporaryFolder } from '../../support/temporaryFolder'

const rasterizer = createInlineRasterizer()
/** Four A6 labels on A4. */
const laser: SystemPrinter = systemPrinterSchema.parse({
  ...{ id: 'laser', driver: 'system', queue: 'LASER', stock: { widthMm: 105, heightMm: 148 }, dpi: 203 },
  sheet: { columns: 2, rows: 2 },
})
const handedOver: PrintOutcome = { kind: 'handed-over' }
const notThere = nothingPrinted(appError('printer-unreachable'))

/** A station's places on sheets in a real database, and a driver that keeps what it is given. */
async function openStation(path?: string) {
  const file = path ?? join(await temporaryFolder(), 'packbench.db')
  const database = await openTestDatabase(file)
  if (!database.ok) throw new Error(database.error.message)
  const close = () => database.value.destroy()
  onTestFinished(close)
  const places = createSheetPlaceRepository(database.value)
  const given: PrintContext<SystemPrinter>[] = []
  const station = {
    ...{ file, close, places, given, outcome: handedOver, released: Promise.resolve() },
    ...{ begins: true, hasBug: false },
  }
  const inner: PrinterDriver<SystemPrinter> = {
    cancellable: true,
    async print(context) {
      given.push(context)
      await station.released
      if (station.begins) await context.claim()
      if (station.hasBug) throw new Error('a bug')
      return station.outcome
    },
  }
  const driver = withSheets(inner, { rasterizer, places })
  const print = async (printer = laser, pages = 1) => {
    const mark = { x: 10, y: 10, width: 20, height: 10 }
    const bytes = await markedPdf(105, 148, [mark], pages)
    return driver.print(contextFor(printer, labelWith({ bytes })), staysOpen)
  }
  return Object.assign(station, { print })
}

/** Which places of each sheet hold a label; its mark lies 20 mm right of and 15 mm below the place's corner. */
async function placesUsed(pdf: Buffer | undefined): Promise<number[][]> {
  const pages = await rasterizer.renderGrey(pdf ?? Buffer.alloc(0), 8)
  if (!pages.ok) throw new Error(pages.error.message)
  return pages.value.map(({ width, height, pixels }) => {
    expect([width, height]).toEqual([1680, 2376])
    return [0, 1, 2, 3].filter((place) => {
      const [x, y] = [(place % 2) * 105 + 20, Math.floor(place / 2) * 148 + 15]
      return pixels[y * 8 * width + x * 8] === 0
    })
  })
}

it('lays each label on the next free place of its sheet, also after a restart', async () => {
  const station = await openStation()
  expect(await station.print()).toEqual(handedOver)
  expect(await station.print()).toEqual(handedOver)
  await station.close()
  const restarted = await openStation(station.file)
  await restarted.print()
  const used = [...station.given, ...restarted.given].map(({ label }) => placesUsed(label.bytes))
  expect(await Promise.all(used)).toEqual([[[0]], [[1]], [[2]]])
})

it('begins where a person says, and goes on with new sheets', async () => {
  const station = await openStation()
  expect(await setSheetPlace(laser, 3, station.places)).toEqual({ ok: true, value: { place: 3, places: 4 } })
  await station.print({ ...laser, copies: 2 }, 2)
  expect(await placesUsed(station.given[0]?.label.bytes)).toEqual([
    [2, 3],
    [0, 1],
  ])
  expect(await getSheetPlace(laser, station.places)).toMatchObject({ value: { place: 3, places: 4 } })
  expect(await setSheetPlace(laser, 5, station.places)).toMatchObject({ error: { code: 'invalid-input' } })
})

it('prints the sheet in its own size, once and unturned', async () => {
  const station = await openStation()
  await station.print({ ...laser, copies: 2, offsetMm: { x: 1, y: 1 } })
  expect(station.given[0]?.printer).toMatchObject({
    stock: { widthMm: 210, heightMm: 297 },
    rotate: 0,
    copies: 1,
  })
  expect(station.given[0]?.printer.offsetMm).toBeUndefined()
})

it('uses a place again only when it is certain that nothing was printed on it', async () => {
  const station = await openStation()
  station.outcome = notThere
  await station.print()
  expect(await getSheetPlace(laser, station.places)).toMatchObject({ value: { place: 1 } })
  station.outcome = { kind: 'unconfirmed', error: appError('print-unconfirmed') }
  await station.print()
  expect(await getSheetPlace(laser, station.places)).toMatchObject({ value: { place: 2 } })
  station.outcome = {
    kind: 'failed',
    nothingPrinted: false,
    error: appError('printer-failed'),
  }
  await station.print()
  expect(await getSheetPlace(laser, station.places)).toMatchObject({ value: { place: 3 } })
})

it('gives the place back when a person stops the label before its first byte, and not after it', async () => {
  const station = await openStation()
  station.outcome = { kind: 'cancelled' }
  station.begins = false
  await station.print()
  expect(await station.places.next('laser', 4)).toBe(0)
  station.begins = true
  await station.print()
  expect(await station.places.next('laser', 4)).toBe(1)
})

it('gives the place back when its sheet can’t be written, and says that nothing was printed', async () => {
  const station = await openStation()
  const full: Pick<Rasterizer, 'renderZpl'> = {
    async renderZpl(pdf, layout) {
      const drawn = await rasterizer.renderZpl(pdf, layout)
      if (!drawn.ok) return drawn
      const [bitmap] = drawn.value.bitmaps
      if (bitmap === undefined) throw new Error('no label')
      const lost = {
        ...bitmap,
        get bits(): MonoBitmap['bits'] {
          throw new RangeError('Array buffer allocation failed')
        },
      }
      return ok({ ...drawn.value, bitmaps: [lost] })
    },
  }
  const driver = withSheets(
    { cancellable: true, print: async () => handedOver },
    { rasterizer: full, places: station.places },
  )
  const label = labelWith({ bytes: await markedPdf(105, 148) })
  expect(await driver.print(contextFor(laser, label), staysOpen)).toMatchObject({
    kind: 'failed',
    nothingPrinted: true,
    error: { code: 'printer-failed', says: [{ words: 'Array buffer allocation failed' }] },
  })
  expect(await station.places.next('laser', 4)).toBe(0)
})

it('gives the place back when the driver fails before the first byte, and keeps it after', async () => {
  const station = await openStation()
  Object.assign(station, { hasBug: true, begins: false })
  await expect(station.print()).rejects.toThrow('a bug')
  expect(await station.places.next('laser', 4)).toBe(0)
  station.begins = true
  await expect(station.print()).rejects.toThrow('a bug')
  expect(await station.places.next('laser', 4)).toBe(1)
})

it('keeps the place that a person sets while a label is on its way', async () => {
  const station = await openStation()
  let release: () => void = () => undefined
  station.released = new Promise((resolve) => {
    release = resolve
  })
  station.outcome = notThere
  const print = station.print()
  await expect.poll(() => station.given.length).toBe(1)
  await station.places.set('laser', 3)
  release()
  await print
  expect(await station.places.next('laser', 4)).toBe(3)
})

it('takes no place for a label that can’t be drawn, or in ZPL', async () => {
  const station = await openStation()
  const driver = withSheets(
    { cancellable: true, print: async () => handedOver },
    { rasterizer, places: station.places },
  )
  for (const label of [
    labelWith({ kind: 'zpl', bytes: Buffer.from('^XA^XZ') }),
    labelWith({ bytes: Buffer.from('no PDF') }),
  ]) {
    expect(await driver.print(contextFor(laser, label), staysOpen)).toMatchObject({ nothingPrinted: true })
  }
  expect(await station.places.next('laser', 4)).toBe(0)
})

it('prints nothing and takes no place where a label would lie off its sheet', async () => {
  const station = await openStation()
  const off = { ...laser, sheet: { widthMm: 210, heightMm: 297, columns: 3, rows: 2 } }
  expect(await station.print(off)).toMatchObject({
    kind: 'failed',
    nothingPrinted: true,
    error: { code: 'labels-past-sheet-edge' },
  })
  expect(station.given).toEqual([])
  expect(await station.places.next('laser', 6)).toBe(0)
})

it('leaves a printer without sheets to its driver', async () => {
  const station = await openStation()
  const { sheet: _none, ...plain } = laser
  await station.print(plain)
  expect(station.given[0]?.printer).toEqual(plain)
})
