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

/** The sheet places of a station in a real database, and a driver that records its print contexts. */
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

/**
 * The places of each sheet that hold a label. The mark of a label lies 20 mm right of and 15 mm below the corner of
 * the place.
 */
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

it('starts at the place that the operator sets, and continues on new sheets', async () => {
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

it('prints a sheet in its own size, in one copy, without turn or offset', async () => {
  const station = await openStation()
  await station.print({ ...laser, copies: 2, offsetMm: { x: 1, y: 1 } })
  expect(station.given[0]?.printer).toMatchObject({
    stock: { widthMm: 210, heightMm: 297 },
    rotate: 0,
    copies: 1,
  })
  expect(station.given[0]?.printer.offsetMm).toBeUndefined()
})

it('reuses a place only when it is certain that nothing was printed on it', async () => {
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

it('frees the place of a label that is cancelled before its first byte, but not after it', async () => {
  const station = await openStation()
  station.outcome = { kind: 'cancelled' }
  station.begins = false
  await station.print()
  expect(await station.places.next('laser', 4)).toBe(0)
  station.begins = true
  await station.print()
  expect(await station.places.next('laser', 4)).toBe(1)
})

it('frees the place and reports that nothing was printed when the sheet cannot be written', async () => {
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

it('frees the place when the driver throws before the first byte, but not after it', async () => {
  const station = await openStation()
  Object.assign(station, { hasBug: true, begins: false })
  await expect(station.print()).rejects.toThrow('a bug')
  expect(await station.places.next('laser', 4)).toBe(0)
  station.begins = true
  await expect(station.print()).rejects.toThrow('a bug')
  expect(await station.places.next('laser', 4)).toBe(1)
})

it('keeps the place that the operator sets while a label is being printed', async () => {
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

it('uses no place of a sheet for a ZPL label or an unreadable label', async () => {
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

it('prints nothing and uses no place when a label would lie beyond the edge of its sheet', async () => {
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

it('passes a printer without sheets unchanged to its driver', async () => {
  const station = await openStation()
  const { sheet: _none, ...plain } = laser
  await station.print(plain)
  expect(station.given[0]?.printer).toEqual(plain)
})
