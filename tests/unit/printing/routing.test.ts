import { describe, expect, it } from 'vitest'
import {
  choosePrinter,
  findPrinter,
  findStandbyPrinter,
  withPrintMode,
} from '../../../src/main/printing/queue/routing'
import { getPrinterName, type Printer, printerSchema } from '../../../src/shared/printing'

const folder = (id: string): Printer => printerSchema.parse({ id, driver: 'folder', path: id })
const [zebra, cups, file] = [folder('zebra'), folder('cups'), folder('file')]
const printers = [zebra, cups, file]

describe('choosing a printer', () => {
  it('takes the first rule that matches', () => {
    const rules = [
      { carrierOptionId: 34, printer: 'zebra' },
      { carrierOptionId: 34, printer: 'file' },
      { printer: 'cups' },
    ]
    expect(choosePrinter(rules, printers, 34)).toEqual({ ok: true, value: zebra })
    expect(choosePrinter(rules, printers, 35)).toEqual({ ok: true, value: cups })
  })

  it('takes the first printer when no rule matches', () => {
    const rules = [{ carrierOptionId: 34, printer: 'zebra' }]
    expect(choosePrinter(rules, [file], 35)).toEqual({ ok: true, value: file })
    expect(choosePrinter([], [file], 0)).toEqual({ ok: true, value: file })
    expect(choosePrinter(rules, [file, zebra], 35)).toEqual({ ok: true, value: file })
    expect(choosePrinter([], printers, 35)).toEqual({ ok: true, value: zebra })
    expect(choosePrinter([], [], 35)).toMatchObject({ error: { code: 'no-printer' } })
  })

  it('never chooses another printer than the one that the rule names', () => {
    expect(choosePrinter([{ printer: 'gone' }], [file], 1)).toMatchObject({
      error: { code: 'printer-not-found', details: { printer: 'gone' } },
    })
  })
})

describe('the print mode of a device with several printer entries', () => {
  const socket = (fields: object) => printerSchema.parse({ id: 'a', driver: 'socket', host: 'h', ...fields })
  const plain = socket({ language: 'tspl' })
  const cutting = socket({ id: 'b', language: 'tspl', printMode: 'cutter' })

  it('is set for each entry once one entry sets it, because the device stores it', () => {
    expect(withPrintMode(plain, [plain, cutting])).toEqual({ ...plain, printMode: 'tear-off' })
    expect(withPrintMode(cutting, [plain, cutting])).toBe(cutting)
    const queue = printerSchema.parse({ id: 'q', driver: 'system', queue: 'Q', language: 'zpl' })
    const peeling = printerSchema.parse({ ...queue, id: 'r', printMode: 'peel-off' })
    expect(withPrintMode(queue, [peeling, queue])).toMatchObject({ printMode: 'tear-off' })
  })

  it.each([
    ['no other entry states it', plain, [plain, socket({ id: 'b' })]],
    [
      'the other entry is another device',
      plain,
      [plain, socket({ id: 'b', port: 9101, printMode: 'cutter' })],
    ],
    [
      'a driver draws its labels',
      printerSchema.parse({ id: 'q', driver: 'system', queue: 'Q' }),
      [printerSchema.parse({ id: 'r', driver: 'system', queue: 'Q', language: 'zpl', printMode: 'cutter' })],
    ],
    ['it is a folder', file, [cutting]],
  ] as const)('is left as configured when %s', (_, printer, others) => {
    expect(withPrintMode(printer, others)).toBe(printer)
  })
})

describe('the standby', () => {
  const rules = [
    { carrierOptionId: 34, printer: 'zebra', standby: 'cups' },
    { printer: 'cups', standby: 'cups' },
  ]

  it('belongs to the printer of the matching rule', () => {
    expect(findStandbyPrinter(rules, printers, 34, 'zebra')).toEqual(cups)
    expect(findStandbyPrinter(rules, printers, 34, 'file')).toBeUndefined()
    expect(findStandbyPrinter(rules, printers, 35, 'zebra')).toBeUndefined()
  })

  it('comes from the first rule with a standby, even after a rule for some pages', () => {
    const pages = { widthMm: 210, heightMm: 297 }
    const byPage = [
      { pages, printer: 'zebra' },
      { printer: 'zebra', standby: 'cups' },
    ]
    expect(findStandbyPrinter(byPage, printers, 34, 'zebra')).toEqual(cups)
  })

  it('is never the failed printer itself nor one that does not exist', () => {
    expect(findStandbyPrinter(rules, printers, 35, 'cups')).toBeUndefined()
    expect(findStandbyPrinter([{ printer: 'zebra', standby: 'gone' }], printers, 1, 'zebra')).toBeUndefined()
  })
})

it('finds a printer by its id, and shows its name or else its id', () => {
  const named = printerSchema.parse({ id: 'a', name: 'Bench 1', driver: 'folder', path: 'x' })
  expect(findPrinter([named], 'a')).toEqual({ ok: true, value: named })
  expect(getPrinterName(named)).toBe('Bench 1')
  expect(getPrinterName(file)).toBe('file')
})
