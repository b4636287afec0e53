import { describe, expect, it } from 'vitest'
import {
  carriersForm,
  defaultsForm,
  fleetForm,
  newScanRule,
  type ScanRuleRow,
  stationForm,
} from '../../../src/renderer/features/settings/form'
import {
  documentSizes,
  equalsSaved,
  isLabelPrinter,
  newPrinter,
  printersForm,
  readPrinter,
  rememberedKey,
  withoutForgotten,
  withStock,
} from '../../../src/renderer/features/settings/printers/form'
import { rulesForm } from '../../../src/renderer/features/settings/rules/form'
import type { PlacementRule } from '../../../src/shared/labels'
import { orderRuleSchema } from '../../../src/shared/orders'
import {
  type Printer,
  type RoutingRule,
  socketPrinterSchema,
  systemPrinterSchema,
} from '../../../src/shared/printing'
import { sampleSettings } from '../../support/screenSamples'

const settings = sampleSettings()

describe('the form of each settings tab', () => {
  it.each([
    ['carriers', () => carriersForm.read(carriersForm.toValues(settings), settings)],
    ['defaults', () => defaultsForm.read(defaultsForm.toValues(settings), settings)],
    ['printers', () => printersForm.read(printersForm.toValues(settings), settings)],
    ['station', () => stationForm.read(stationForm.toValues(settings), settings)],
  ])('returns %s unchanged when nothing was edited', (_name, roundTrip) => {
    const read = roundTrip()
    expect(read.ok).toBe(true)
    expect(settings).toMatchObject(read.ok ? read.value : {})
  })
})

it('the form of the Rules tab refuses a weight of 0 without calling it the minimum', () => {
  const orderRules = [orderRuleSchema.parse({ name: 'Books', when: {}, set: { content: 'books' } })]
  const values = rulesForm.toValues({ ...settings, orderRules })
  const edited = { orderRules: values.orderRules.map((row) => ({ ...row, weight: '0' })) }
  expect(rulesForm.read(edited, settings)).toEqual({
    ok: false,
    error: { 'orderRules.0.weight': { code: 'range' } },
  })
})

describe('the form of the Carriers tab', () => {
  it('reports the row and field of an issue', () => {
    const rows = [
      { key: 'a', name: 'PostNL', carrierId: '12', carrierOptionId: '34' },
      { key: 'b', name: ' ', carrierId: 'x', carrierOptionId: '-1' },
    ]
    expect(carriersForm.read({ carriers: rows }, settings)).toEqual({
      ok: false,
      error: {
        'carriers.1.name': { code: 'required' },
        'carriers.1.carrierId': { code: 'number' },
        'carriers.1.carrierOptionId': { code: 'at-least', limit: '0' },
      },
    })
  })
})

describe('the form of the Defaults tab', () => {
  it('keeps defaults that the tab does not show', () => {
    const provisioned = sampleSettings({ shipmentDefaults: { street: 'Dorpsstraat', weight: 1 } })
    const values = { ...defaultsForm.toValues(provisioned), weight: '', content: 'Books' }
    expect(defaultsForm.read(values, provisioned)).toEqual({
      ok: true,
      value: { shipmentDefaults: { street: 'Dorpsstraat', content: 'Books' } },
    })
  })

  it('rejects a weight that is not a number', () => {
    const values = { ...defaultsForm.toValues(settings), weight: 'heavy' }
    expect(defaultsForm.read(values, settings)).toEqual({
      ok: false,
      error: { weight: { code: 'number' } },
    })
  })
})

describe('the form of the Printers tab', () => {
  const values = printersForm.toValues(settings)

  it('lists rules for carrier options separately from the rule for everything', () => {
    expect(values.routing).toMatchObject([{ carrierOptionId: '51', printer: 'file', standby: '' }])
    expect(values).toMatchObject({ usual: 'zebra', usualStandby: 'file' })
  })

  it('lists and keeps rules for pages, and does not mistake one for all carrier options for the rule for everything', () => {
    const routing: RoutingRule[] = [
      { pages: 'larger-than-stock', printer: 'file' },
      { carrierOptionId: 51, pages: { widthMm: 215.9, heightMm: 279.4 }, printer: 'file', standby: 'zebra' },
      { printer: 'zebra' },
    ]
    const saved = sampleSettings({ ...settings, routing })
    const shown = printersForm.toValues(saved)
    expect(shown).toMatchObject({
      usual: 'zebra',
      routing: [
        { carrierOptionId: '', pages: 'larger-than-stock' },
        { carrierOptionId: '51', pages: documentSizes.Letter },
      ],
    })
    expect(printersForm.read(shown, saved)).toMatchObject({ ok: true, value: { routing } })
    const toFirst = printersForm.read({ ...shown, usual: '' }, saved)
    expect(toFirst).toMatchObject({ value: { routing: routing.slice(0, 2) } })
    const wrong = { ...shown, routing: shown.routing.map((route) => ({ ...route, pages: '0x297' })) }
    expect(printersForm.read(wrong, saved).ok).toBe(false)
  })

  it('gives a new printer an id that no removed one had', () => {
    const ids = Array.from({ length: 20 }, () => newPrinter('folder').id)
    expect(new Set(ids).size).toBe(20)
    expect(
      printersForm.read({ ...values, printers: [...values.printers, newPrinter('folder')] }, settings).ok,
    ).toBe(true)
  })

  it('rejects a rule whose printer no longer exists', () => {
    const without = { ...values, printers: values.printers.filter((printer) => printer.id !== 'file') }
    expect(printersForm.read(without, settings)).toEqual({
      ok: false,
      error: { 'routing.0.printer': { code: 'invalid' }, usualStandby: { code: 'invalid' } },
    })
  })

  it('reports the missing fields of a network printer', () => {
    const printer = { ...newPrinter('socket'), port: '99999', copies: '' }
    const read = printersForm.read(
      { printers: [printer], routing: [], usual: '', usualStandby: '', forgotten: [] },
      settings,
    )
    expect(read).toEqual({
      ok: false,
      error: {
        'printers.0.host': { code: 'required' },
        'printers.0.port': { code: 'at-most', limit: '65535' },
        'printers.0.copies': { code: 'required' },
      },
    })
  })

  it('accepts a preset size and a custom size', () => {
    const preset = withStock({ ...newPrinter('system'), queue: 'LABEL' }, 'a6')
    const custom = {
      ...preset,
      id: 'own',
      preset: 'custom' as const,
      stock: { widthMm: '59', heightMm: '191,5' },
    }
    const read = printersForm.read(
      { printers: [preset, custom], routing: [], usual: '', usualStandby: '', forgotten: [] },
      settings,
    )
    expect(read).toMatchObject({
      ok: true,
      value: {
        printers: [{ stock: { widthMm: 105, heightMm: 148 } }, { stock: { widthMm: 59, heightMm: 191.5 } }],
        routing: [],
      },
    })
  })

  it.each([
    {},
    { language: 'epl2', copies: 3, collate: false },
    { language: 'tspl', printMode: 'peel-off', speed: 4 },
    { stockTracking: 'continuous', printMode: 'cutter', darkness: 12, darknessChange: -3, speed: 6 },
  ])('returns a network printer unchanged, with %j', (profile) => {
    const printer = socketPrinterSchema.parse({ id: 'z', driver: 'socket', host: '192.0.2.10', ...profile })
    const saved = sampleSettings({ printers: [printer], routing: [{ printer: 'z' }] })
    expect(printersForm.read(printersForm.toValues(saved), saved)).toEqual({
      ok: true,
      value: { printers: [printer], routing: [{ printer: 'z' }] },
    })
  })

  it.each([
    { language: 'epl2' as const, typed: { darknessChange: '99', printMode: 'cutter' }, left: {} },
    {
      language: 'tspl' as const,
      typed: { darknessChange: '-3', printMode: 'cutter' },
      left: { printMode: 'cutter' },
    },
  ])('omits the fields that $language does not have, whatever was typed for another language', (each) => {
    const row = { ...newPrinter('socket'), host: '192.0.2.10', language: each.language, ...each.typed }
    const printer = { id: row.id, driver: 'socket', host: row.host, language: each.language, ...each.left }
    expect(readPrinter(row)).toEqual(socketPrinterSchema.parse(printer))
  })

  it('omits the fields of label printers where the queue’s driver renders', () => {
    const typed = {
      stockTracking: 'mark',
      printMode: 'cutter',
      darknessChange: '-3',
      greys: 'dither',
    } as const
    const row = { ...newPrinter('system'), queue: 'LABEL', ...typed }
    const queue = { id: row.id, driver: 'system', queue: 'LABEL' }
    expect(readPrinter(row)).toEqual(systemPrinterSchema.parse(queue))
    const { darknessChange: _, ...kept } = typed
    expect(readPrinter({ ...row, language: 'tspl' })).toEqual(
      systemPrinterSchema.parse({ ...queue, ...kept, language: 'tspl' }),
    )
  })

  it.each(['/etc/passwd', '/dev/', '/dev/../etc/passwd', 'a b', 'http://192.0.2.4', '192.0.2.4/raw'])(
    'rejects %j as an address',
    (host) => {
      const row = { ...newPrinter('socket'), host }
      expect(printersForm.read({ ...values, printers: [row], routing: [] }, settings)).toMatchObject({
        error: { 'printers.0.host': { code: 'printer-address' } },
      })
    },
  )

  it.each([
    'zebra',
    'label_1.example.',
    'drücker',
    '192.0.2.4',
    '2001:db8::7',
    'fe80::1%eth0',
    '/dev/usb/lp0',
  ])('accepts %j as an address', (host) => {
    expect(readPrinter({ ...newPrinter('socket'), host })).toMatchObject({ host })
  })

  it('requires no port for a device', () => {
    const row = { ...newPrinter('socket'), host: ' /dev/usb/lp0', port: 'none' }
    expect(readPrinter(row)).toMatchObject({ host: '/dev/usb/lp0' })
  })

  it.each([
    ['\u22125', -5],
    ['-5', -5],
    ['+3', 3],
  ])('reads the sign of %s', (darknessChange, number) => {
    const row = {
      ...newPrinter('socket'),
      host: 'h',
      darknessChange,
      offsetMm: { x: darknessChange, y: '' },
    }
    expect(readPrinter(row)).toMatchObject({ darknessChange: number, offsetMm: { x: number } })
  })

  it('reports which values must be whole numbers and which are required', () => {
    const row = { ...newPrinter('socket'), host: 'h', port: ' ' }
    const stock = { preset: 'custom' as const, stock: { widthMm: '', heightMm: '150' } }
    const typed = { ...row, ...stock, darkness: '12.5', speed: 'fast' }
    expect(
      printersForm.read({ ...values, printers: [typed], routing: [], usual: '', usualStandby: '' }, settings),
    ).toEqual({
      ok: false,
      error: {
        'printers.0.stock.widthMm': { code: 'required' },
        'printers.0.port': { code: 'required' },
        'printers.0.darkness': { code: 'whole-number' },
        'printers.0.speed': { code: 'number' },
      },
    })
  })

  it('keeps rules after the one for everything while their printers exist', () => {
    const first: RoutingRule[] = [{ carrierOptionId: 51, printer: 'file' }, { printer: 'zebra' }]
    const rest: RoutingRule[] = [
      { carrierOptionId: 34, printer: 'zebra', standby: 'file' },
      { printer: 'zebra' },
    ]
    const saved = sampleSettings({ ...settings, routing: [...first, ...rest] })
    const shown = printersForm.toValues(saved)
    expect(shown.routing).toHaveLength(1)
    expect(printersForm.read(shown, saved)).toMatchObject({ value: { routing: saved.routing } })
    const usual = printersForm.read({ ...shown, usual: '' }, saved)
    expect(usual).toMatchObject({ value: { routing: [{}, { printer: 'zebra' }, ...rest] } })
    const without = { ...shown, routing: [], printers: shown.printers.filter(({ id }) => id !== 'file') }
    expect(printersForm.read(without, saved)).toMatchObject({
      value: { routing: [{ printer: 'zebra' }, { printer: 'zebra' }] },
    })
  })

  it('detects whether a typed printer differs from the saved one', () => {
    const saved = socketPrinterSchema.parse({ id: 'z', driver: 'socket', host: '192.0.2.10', speed: 4 })
    const [row] = printersForm.toValues(sampleSettings({ printers: [saved] })).printers
    if (row?.driver !== 'socket') throw new Error('There was to be a network printer.')
    expect(equalsSaved(row, [saved])).toBe(true)
    expect(equalsSaved({ ...row, speed: ' 4' }, [saved])).toBe(true)
    expect(equalsSaved({ ...row, speed: '5' }, [saved])).toBe(false)
    expect(equalsSaved({ ...row, language: 'tspl' }, [saved])).toBe(false)
    expect(equalsSaved({ ...row, id: 'new' }, [saved])).toBe(false)
  })

  it.each([
    {
      ...{ dpi: 300, paper: 'User defined', stock: { widthMm: 68, heightMm: 36 } },
      sheet: { columns: 3, rows: 8, marginMm: { x: 0, y: 4.5 }, gapMm: { x: 2.5, y: 0 } },
    },
    { language: 'zpl', darkness: 12, speed: 4 },
    { language: 'tspl', dpi: 203 },
    {
      ...{ language: 'zpl', stockTracking: 'mark', printMode: 'cutter', darknessChange: -3, greys: 'dither' },
    },
    { stockTracking: 'continuous', printMode: 'cutter', darknessChange: -3, greys: 'dither' },
  ])('keeps the hidden fields of a queue, its paper and its language: %j', (fields) => {
    const queue = systemPrinterSchema.parse({ id: 'cups', driver: 'system', queue: 'LABEL', ...fields })
    const with300 = sampleSettings({ printers: [queue], routing: [{ printer: 'cups' }] })
    expect(printersForm.read(printersForm.toValues(with300), with300)).toMatchObject({
      ok: true,
      value: { printers: [queue] },
    })
  })

  it('takes what is typed for a saved raw queue without language, and drops the fields of another queue and of a language that is taken away', () => {
    const raw = { id: 'cups', driver: 'system', queue: 'RAW', printMode: 'cutter', stockTracking: 'mark' }
    const [saved, zpl] = [{}, { language: 'zpl' }].map((more) =>
      systemPrinterSchema.parse({ ...raw, ...more }),
    )
    if (saved === undefined || zpl === undefined) throw new Error('Both printers were to be parsed.')
    const rowOf = (printer: Printer) => {
      const [row] = printersForm.toValues(sampleSettings({ printers: [printer] })).printers
      if (row?.driver !== 'system') throw new Error('There was to be a system printer.')
      return row
    }
    const typed = { ...rowOf(saved), printMode: 'peel-off' } as const
    expect(readPrinter({ ...typed, language: 'zpl' })).toEqual({ ...zpl, printMode: 'peel-off' })
    expect(isLabelPrinter(typed)).toBe(true)
    expect(readPrinter(typed)).toEqual({ ...saved, printMode: 'peel-off' })
    expect(equalsSaved(typed, [saved])).toBe(false)
    expect(equalsSaved(rowOf(saved), [saved])).toBe(true)
    const { printMode: _mode, stockTracking: _tracking, ...bare } = saved
    expect(readPrinter({ ...typed, printMode: '', stockTracking: '' })).toEqual(bare)
    const otherQueue = { ...typed, queue: 'WITH-DRIVER' }
    expect(isLabelPrinter(otherQueue)).toBe(false)
    expect(readPrinter(otherQueue)).toEqual({ ...bare, queue: 'WITH-DRIVER' })
    expect(readPrinter({ ...rowOf(zpl), language: '' })).toEqual(bare)
    expect(equalsSaved(rowOf(zpl), [saved])).toBe(false)
    expect(equalsSaved(rowOf(systemPrinterSchema.parse(bare)), [saved])).toBe(false)
  })

  it('forgets the paper of a queue with its label size, but not the paper of a sheet', () => {
    const row = { ...newPrinter('system'), queue: 'LABEL', paper: 'w288h432' }
    expect(withStock(row, '59x191')).toMatchObject({ paper: '', stock: { widthMm: '59', heightMm: '191' } })
    expect(withStock(row, 'custom').paper).toBe('w288h432')
    const sheet = { ...row.sheet, columns: '2', rows: '2' }
    expect(withStock({ ...row, sheet }, 'a6').paper).toBe('w288h432')
  })

  it.each([
    { stock: { widthMm: 105, heightMm: 148 }, columns: 3, rows: 2, faulty: ['columns'] },
    {
      stock: { widthMm: 70, heightMm: 37 },
      columns: 3,
      rows: 8,
      gapMm: { x: 2, y: 1 },
      faulty: ['columns', 'rows'],
    },
    { stock: { widthMm: 70, heightMm: 37 }, columns: 3, rows: 8, marginMm: { x: 0, y: 4 }, faulty: ['rows'] },
    { stock: { widthMm: 70.3, heightMm: 37.25 }, columns: 3, rows: 8, faulty: [] },
  ])(
    'reports the counts of a sheet whose labels extend past its edge by more than 1 mm: %j',
    ({ stock, faulty, ...sheet }) => {
      const text = (measure: number | undefined) => String(measure ?? '')
      const row = {
        ...newPrinter('system'),
        ...{ queue: 'LASER', preset: 'custom' as const },
        stock: { widthMm: text(stock.widthMm), heightMm: text(stock.heightMm) },
        sheet: {
          ...{ columns: text(sheet.columns), rows: text(sheet.rows), widthMm: '210', heightMm: '297' },
          gapMm: { x: text(sheet.gapMm?.x), y: text(sheet.gapMm?.y) },
          marginMm: { x: text(sheet.marginMm?.x), y: text(sheet.marginMm?.y) },
        },
      }
      const values = { printers: [row], routing: [], usual: '', usualStandby: '', forgotten: [] }
      const error = Object.fromEntries(
        faulty.map((side) => [`printers.0.sheet.${side}`, { code: 'past-sheet-edge' }]),
      )
      expect(printersForm.read(values, settings)).toMatchObject(
        faulty.length === 0 ? { ok: true } : { ok: false, error },
      )
      expect(readPrinter(row) === undefined).toBe(faulty.length > 0)
    },
  )
})

describe('the form of the Station tab', () => {
  it('reads time-outs in seconds and reports the one that is out of range', () => {
    const values = {
      ...stationForm.toValues(settings),
      network: { connectTimeoutMs: '0,5', answerTimeoutMs: '900' },
    }
    expect(stationForm.read(values, settings)).toEqual({
      ok: false,
      error: { 'network.answerTimeoutMs': { code: 'at-most', limit: '600' } },
    })
    expect(
      stationForm.read({ ...values, network: { ...values.network, answerTimeoutMs: '30' } }, settings),
    ).toMatchObject({
      ok: true,
      value: { network: { connectTimeoutMs: 500, answerTimeoutMs: 30_000 } },
    })
  })

  it('reads label hosts without their ports, and reports what is no host', () => {
    const byUrl = { ...stationForm.toValues(settings), labelDelivery: 'by-url' as const }
    const read = (labelHosts: string) => stationForm.read({ ...byUrl, labelHosts }, settings)
    expect(read('10.0.0.5:8443, Labels.corp')).toMatchObject({
      ok: true,
      value: { labelHosts: ['10.0.0.5', 'labels.corp'] },
    })
    for (const wrong of ['https://labels.corp', 'labels.corp/path', 'fd00::1', 'a:1:2']) {
      expect(read(wrong)).toMatchObject({ ok: false, error: { labelHosts: expect.anything() } })
    }
  })

  it('saves whatever was typed into a field that is hidden now, and keeps that field as it was', () => {
    const scanner = { ...settings.scanner, commandPrefix: 'CMD' }
    const saved = sampleSettings({ labelHosts: ['labels.corp'], scanner })
    const values = stationForm.toValues(saved)
    const typed = {
      ...values,
      labelHosts: 'https://labels.corp/',
      scanner: { ...values.scanner, commandPrefix: 'é1' },
    }
    expect(stationForm.read({ ...typed, labelDelivery: 'by-url' }, saved)).toEqual({
      ok: false,
      error: { labelHosts: expect.anything(), 'scanner.commandPrefix': expect.anything() },
    })
    const hidden = {
      ...typed,
      labelDelivery: 'in-answer' as const,
      scanner: { ...typed.scanner, commands: false },
    }
    expect(stationForm.read(hidden, saved)).toMatchObject({
      ok: true,
      value: { labelHosts: ['labels.corp'], scanner: { commands: false, commandPrefix: 'CMD' } },
    })
  })

  it('requires a path when the hot folder is on', () => {
    const values = {
      ...stationForm.toValues(settings),
      hotFolder: { on: true, path: '', print: true, mode: 'ship' as const, mapping: '', shared: false },
    }
    expect(stationForm.read(values, settings)).toEqual({
      ok: false,
      error: { 'hotFolder.path': { code: 'required' } },
    })
  })

  it('stores a mapping for tables of the hot folder only if one was chosen', () => {
    const hotFolder = { path: 'exchange', print: true, mode: 'hold' as const, mapping: 'ERP' }
    const values = stationForm.toValues(sampleSettings({ hotFolder }))
    expect(stationForm.read(values, settings)).toMatchObject({ ok: true, value: { hotFolder } })
    const { mapping: _, ...without } = hotFolder
    const unnamed = { ...values, hotFolder: { ...values.hotFolder, mapping: '', shared: false } }
    const read = stationForm.read(unnamed, settings)
    expect(read.ok && read.value.hotFolder).toEqual(without)
  })
})

it('the form of the Fleet tab saves whatever was typed as certificate file of a connection without TLS', () => {
  const fleet = {
    ...{ host: 'localhost', port: 5432, database: 'packbench', user: 'packbench', station: 'Table 1' },
    ...{ tls: 'verify' as const, caFile: '/etc/fleet.pem', whenUnreachable: 'hold' as const },
  }
  const saved = sampleSettings({ fleet })
  const typed = { ...fleetForm.toValues(saved), caFile: 'fleet.pem' }
  expect(fleetForm.read(typed, saved)).toEqual({ ok: false, error: { caFile: expect.anything() } })
  const read = fleetForm.read({ ...typed, tls: 'off' as const }, saved)
  expect(read).toEqual({ ok: true, value: { fleet: { ...fleet, tls: 'off' } } })
})

describe('rules for scanning back', () => {
  const rules = [
    { carrierOptionId: 34, match: { kind: 'prefix' as const, prefix: 'JJD' } },
    { carrierOptionId: 51, match: { kind: 'length' as const, length: 13 } },
    { carrierOptionId: 52, match: { kind: 'part' as const, least: 6 } },
  ]
  const withRules = sampleSettings({ scanBack: { on: true, required: false, rules } })
  const values = stationForm.toValues(withRules)
  const withRows = (change: (row: ScanRuleRow, index: number) => ScanRuleRow) => ({
    ...values,
    scanBack: { on: true, required: false, rules: values.scanBack.rules.map(change) },
  })

  it('are returned unchanged when nothing was edited', () => {
    expect(stationForm.read(values, withRules)).toMatchObject({
      ok: true,
      value: { scanBack: { on: true, required: false, rules } },
    })
  })

  it('can change to another kind with the value typed for it', () => {
    const edited = withRows((row) => ({ ...row, kind: 'part', signs: ' 10 ' }))
    expect(stationForm.read(edited, withRules)).toMatchObject({
      value: { scanBack: { rules: rules.map(() => ({ match: { kind: 'part', least: 10 } })) } },
    })
  })

  it('report the field of an issue', () => {
    const edited = withRows((row, index) => ({ ...row, prefix: ' ', signs: index === 1 ? '3' : 'six' }))
    expect(stationForm.read(edited, withRules)).toEqual({
      ok: false,
      error: {
        'scanBack.rules.0.prefix': { code: 'required' },
        'scanBack.rules.1.signs': { code: 'at-least', limit: '4' },
        'scanBack.rules.2.signs': { code: 'number' },
      },
    })
  })

  it('reject a second rule for a carrier option, which would never apply', () => {
    const edited = withRows((row, index) => (index === 2 ? { ...row, carrierOptionId: '34' } : row))
    expect(stationForm.read(edited, withRules)).toEqual({
      ok: false,
      error: { 'scanBack.rules.2.carrierOptionId': { code: 'invalid' } },
    })
  })

  it('start with the carrier option only', () => {
    const added = { ...values, scanBack: { on: true, required: false, rules: [newScanRule('34')] } }
    expect(stationForm.read(added, withRules)).toEqual({
      ok: false,
      error: { 'scanBack.rules.0.prefix': { code: 'required' } },
    })
  })
})

describe('remembered decisions about labels', () => {
  const placement = (carrierOptionId: number, turn: 0 | 90): PlacementRule => ({
    carrierOptionId,
    page: { widthMm: 210, heightMm: 297 },
    stock: { widthMm: 105, heightMm: 148 },
    areas: [{ xMm: 0, yMm: 0, widthMm: 105, heightMm: 148 }],
    turn,
    scale: 1,
  })
  const consent = { carrierOptionId: 34, commands: ['^JU'] }
  const loss = { carrierOptionId: 34, printerId: 'zebra', kind: 'font-missing' as const, name: 'SimSun' }
  const labelRules = {
    placements: [placement(34, 0), placement(51, 0)],
    zplCommands: [consent],
    losses: [loss],
  }
  const values = { ...printersForm.toValues(settings), forgotten: [rememberedKey(placement(34, 0))] }

  it('are kept unless they were removed', () => {
    expect(withoutForgotten(labelRules, [rememberedKey(consent)])).toEqual({ ...labelRules, zplCommands: [] })
    expect(withoutForgotten(labelRules, [rememberedKey(loss)])).toEqual({ ...labelRules, losses: [] })
  })

  it('are not written when none was removed', () => {
    const read = printersForm.read({ ...values, forgotten: [] }, sampleSettings({ labelRules }))
    expect(read.ok && Object.keys(read.value)).toEqual(['printers', 'routing'])
  })

  it('are saved with the rest of the tab', () => {
    expect(printersForm.read(values, sampleSettings({ labelRules }))).toMatchObject({
      ok: true,
      value: { labelRules: { placements: [placement(51, 0)], zplCommands: [consent] } },
    })
  })
})
