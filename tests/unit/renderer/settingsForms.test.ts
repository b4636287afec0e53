import { describe, expect, it, vi } from 'vitest'
import { carriersForm } from '../../../src/renderer/features/settings/carriersForm'
import { defaultsForm } from '../../../src/renderer/features/settings/defaultsForm'
import {
  documentSizes,
  isAsSaved,
  newPrinter,
  printerOfRow,
  printersForm,
  withStock,
} from '../../../src/renderer/features/settings/printersForm'
import { rememberedKey, withoutForgotten } from '../../../src/renderer/features/settings/rememberedForm'
import { newScanRule, type ScanRuleRow } from '../../../src/renderer/features/settings/scanRulesForm'
import { stationForm } from '../../../src/renderer/features/settings/stationForm'
import { createTabStore } from '../../../src/renderer/features/settings/tabStore'
import { appError } from '../../../src/shared/errors'
import type { PlacementRule } from '../../../src/shared/labels'
import { type RoutingRule, socketPrinterSchema, systemPrinterSchema } from '../../../src/shared/printing'
import { err } from '../../../src/shared/result'
import { createFakeBridge } from '../../support/fakeBridge'
import { sampleSettings } from '../../support/screenSamples'

const settings = sampleSettings()

describe('every tab', () => {
  it.each([
    ['carriers', () => carriersForm.toChange(carriersForm.fromSettings(settings), settings)],
    ['defaults', () => defaultsForm.toChange(defaultsForm.fromSettings(settings), settings)],
    ['printers', () => printersForm.toChange(printersForm.fromSettings(settings), settings)],
    ['station', () => stationForm.toChange(stationForm.fromSettings(settings), settings)],
  ])('gives %s back as they were when nothing was edited', (_name, roundTrip) => {
    const read = roundTrip()
    expect(read.ok).toBe(true)
    expect(settings).toMatchObject(read.ok ? read.change : {})
  })
})

describe('carriers', () => {
  it('names the row and field that are wrong', () => {
    const rows = [
      { key: 'a', name: 'PostNL', carrierId: '12', carrierOptionId: '34' },
      { key: 'b', name: ' ', carrierId: 'x', carrierOptionId: '-1' },
    ]
    expect(carriersForm.toChange(rows, settings)).toEqual({
      ok: false,
      faults: {
        '1.name': { code: 'required' },
        '1.carrierId': { code: 'number' },
        '1.carrierOptionId': { code: 'at-least', limit: '0' },
      },
    })
  })
})

describe('defaults', () => {
  it('keeps defaults that the tab does not show', () => {
    const provisioned = sampleSettings({ shipmentDefaults: { street: 'Dorpsstraat', weight: 1 } })
    const values = { ...defaultsForm.fromSettings(provisioned), weight: '', content: 'Books' }
    expect(defaultsForm.toChange(values, provisioned)).toEqual({
      ok: true,
      change: { shipmentDefaults: { street: 'Dorpsstraat', content: 'Books' } },
    })
  })

  it('refuses a weight that is no number', () => {
    const values = { ...defaultsForm.fromSettings(settings), weight: 'heavy' }
    expect(defaultsForm.toChange(values, settings)).toEqual({
      ok: false,
      faults: { weight: { code: 'number' } },
    })
  })
})

describe('printers', () => {
  const values = printersForm.fromSettings(settings)

  it('shows rules for carrier options apart from the one for everything', () => {
    expect(values.routes).toMatchObject([{ carrierOptionId: '51', printer: 'file', standby: '' }])
    expect(values).toMatchObject({ usual: 'zebra', usualStandby: 'file' })
  })

  it('shows rules for pages, keeps them as they are, and takes one for every carrier option for none for everything', () => {
    const routing: RoutingRule[] = [
      { pages: 'larger-than-stock', printer: 'file' },
      { carrierOptionId: 51, pages: { widthMm: 215.9, heightMm: 279.4 }, printer: 'file', standby: 'zebra' },
      { printer: 'zebra' },
    ]
    const saved = sampleSettings({ ...settings, routing })
    const shown = printersForm.fromSettings(saved)
    expect(shown).toMatchObject({
      usual: 'zebra',
      routes: [
        { carrierOptionId: '', pages: 'larger-than-stock' },
        { carrierOptionId: '51', pages: documentSizes.Letter },
      ],
    })
    expect(printersForm.toChange(shown, saved)).toMatchObject({ ok: true, change: { routing } })
    const toFirst = printersForm.toChange({ ...shown, usual: '' }, saved)
    expect(toFirst).toMatchObject({ change: { routing: [{}, {}, { printer: shown.printers[0]?.id }] } })
    const wrong = { ...shown, routes: shown.routes.map((route) => ({ ...route, pages: '0x297' })) }
    expect(printersForm.toChange(wrong, saved).ok).toBe(false)
  })

  it('gives each new printer an id of its own', () => {
    const first = newPrinter('folder', values.printers)
    const second = newPrinter('folder', [...values.printers, first])
    expect([first.id, second.id]).toEqual(['folder-1', 'folder-2'])
  })

  it('keeps a rule from naming a printer that is gone', () => {
    const without = { ...values, printers: values.printers.filter((printer) => printer.id !== 'file') }
    expect(printersForm.toChange(without, settings)).toEqual({
      ok: false,
      faults: { 'routing.0.printer': { code: 'invalid' }, usualStandby: { code: 'invalid' } },
    })
  })

  it('names what a network printer lacks', () => {
    const printer = { ...newPrinter('socket', []), port: '99999', copies: '' }
    const read = printersForm.toChange(
      { printers: [printer], routes: [], usual: '', usualStandby: '', forgotten: [] },
      settings,
    )
    expect(read).toEqual({
      ok: false,
      faults: {
        'printers.0.host': { code: 'required' },
        'printers.0.port': { code: 'at-most', limit: '65535' },
        'printers.0.copies': { code: 'required' },
      },
    })
  })

  it('takes a preset size and a size of its own', () => {
    const preset = withStock({ ...newPrinter('system', []), queue: 'LABEL' }, 'a6')
    const custom = { ...preset, id: 'own', stock: 'custom' as const, widthMm: '59', heightMm: '191,5' }
    const read = printersForm.toChange(
      { printers: [preset, custom], routes: [], usual: '', usualStandby: '', forgotten: [] },
      settings,
    )
    expect(read).toMatchObject({
      ok: true,
      change: {
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
  ])('gives a network printer back as it was, with %j', (profile) => {
    const printer = socketPrinterSchema.parse({ id: 'z', driver: 'socket', host: '192.0.2.10', ...profile })
    const saved = sampleSettings({ printers: [printer], routing: [{ printer: 'z' }] })
    expect(printersForm.toChange(printersForm.fromSettings(saved), saved)).toEqual({
      ok: true,
      change: { printers: [printer], routing: [{ printer: 'z' }] },
    })
  })

  it.each([
    { language: 'epl2', typed: { darknessChange: '99', printMode: 'cutter' }, left: {} },
    { language: 'tspl', typed: { darknessChange: '-3', printMode: 'cutter' }, left: { printMode: 'cutter' } },
  ])('leaves out what $language does not have, whatever was typed for another language', (each) => {
    const row = { ...newPrinter('socket', []), host: '192.0.2.10', language: each.language, ...each.typed }
    const printer = { id: row.id, driver: 'socket', host: row.host, language: each.language, ...each.left }
    expect(printerOfRow(row)).toEqual(socketPrinterSchema.parse(printer))
  })

  it.each(['/etc/passwd', '/dev/', '/dev/../etc/passwd', 'a b', 'http://192.0.2.4', '192.0.2.4/raw'])(
    'takes no %j for an address',
    (host) => {
      const row = { ...newPrinter('socket', []), host }
      expect(printersForm.toChange({ ...values, printers: [row], routes: [] }, settings)).toMatchObject({
        faults: { 'printers.0.host': { code: 'printer-address' } },
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
  ])('takes %j for an address', (host) => {
    expect(printerOfRow({ ...newPrinter('socket', []), host })).toMatchObject({ host })
  })

  it('asks for no port of a device', () => {
    const row = { ...newPrinter('socket', []), host: ' /dev/usb/lp0', port: 'none' }
    expect(printerOfRow(row)).toMatchObject({ host: '/dev/usb/lp0' })
  })

  it.each([
    ['\u22125', -5],
    ['-5', -5],
    ['+3', 3],
  ])('reads the sign of %s', (darknessChange, number) => {
    const row = { ...newPrinter('socket', []), host: 'h', darknessChange, offsetX: darknessChange }
    expect(printerOfRow(row)).toMatchObject({ darknessChange: number, offsetMm: { x: number } })
  })

  it('says what is to be a whole number and what is to be filled in', () => {
    const row = { ...newPrinter('socket', []), host: 'h', stock: 'custom' as const, widthMm: '', port: ' ' }
    const typed = { ...row, darkness: '12.5', speed: 'fast' }
    expect(
      printersForm.toChange(
        { ...values, printers: [typed], routes: [], usual: '', usualStandby: '' },
        settings,
      ),
    ).toEqual({
      ok: false,
      faults: {
        'printers.0.stock.widthMm': { code: 'required' },
        'printers.0.port': { code: 'required' },
        'printers.0.darkness': { code: 'whole-number' },
        'printers.0.speed': { code: 'number' },
      },
    })
  })

  it('keeps rules after the one for everything, as long as their printers are there', () => {
    const first: RoutingRule[] = [{ carrierOptionId: 51, printer: 'file' }, { printer: 'zebra' }]
    const rest: RoutingRule[] = [
      { carrierOptionId: 34, printer: 'zebra', standby: 'file' },
      { printer: 'zebra' },
    ]
    const saved = sampleSettings({ ...settings, routing: [...first, ...rest] })
    const shown = printersForm.fromSettings(saved)
    expect(shown.routes).toHaveLength(1)
    expect(printersForm.toChange(shown, saved)).toMatchObject({ change: { routing: saved.routing } })
    const usual = printersForm.toChange({ ...shown, usual: '' }, saved)
    expect(usual).toMatchObject({ change: { routing: [{}, { printer: 'zebra' }, ...rest] } })
    const without = { ...shown, routes: [], printers: shown.printers.filter(({ id }) => id !== 'file') }
    expect(printersForm.toChange(without, saved)).toMatchObject({
      change: { routing: [{ printer: 'zebra' }, { printer: 'zebra' }] },
    })
  })

  it('tells a printer as typed from the saved one', () => {
    const saved = socketPrinterSchema.parse({ id: 'z', driver: 'socket', host: '192.0.2.10', speed: 4 })
    const [row = newPrinter('socket', [])] = printersForm.fromSettings(
      sampleSettings({ printers: [saved] }),
    ).printers
    expect(isAsSaved(row, [saved])).toBe(true)
    expect(isAsSaved({ ...row, speed: ' 4' }, [saved])).toBe(true)
    expect(isAsSaved({ ...row, speed: '5' }, [saved])).toBe(false)
    expect(isAsSaved({ ...row, language: 'tspl' }, [saved])).toBe(false)
    expect(isAsSaved({ ...row, id: 'new' }, [saved])).toBe(false)
  })

  it.each([
    {
      ...{ dpi: 300, paper: 'User defined', stock: { widthMm: 68, heightMm: 36 } },
      sheet: { columns: 3, rows: 8, marginMm: { x: 0, y: 4.5 }, gapMm: { x: 2.5, y: 0 } },
    },
    { language: 'zpl', darkness: 12, speed: 4 },
    { language: 'tspl', dpi: 203 },
  ])('keeps what of a queue is not shown, its paper and its language: %j', (fields) => {
    const queue = systemPrinterSchema.parse({ id: 'cups', driver: 'system', queue: 'LABEL', ...fields })
    const with300 = sampleSettings({ printers: [queue], routing: [{ printer: 'cups' }] })
    expect(printersForm.toChange(printersForm.fromSettings(with300), with300)).toMatchObject({
      ok: true,
      change: { printers: [queue] },
    })
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
    'takes no sheet whose labels reach past its edge by more than 1 mm: %j',
    ({ stock, faulty, ...sheet }) => {
      const queue = { ...newPrinter('system', []), queue: 'LASER', stock: 'custom' as const }
      const row = {
        ...queue,
        ...{ widthMm: String(stock.widthMm), heightMm: String(stock.heightMm) },
        ...{ sheetColumns: String(sheet.columns), sheetRows: String(sheet.rows) },
        ...{ sheetGapX: String(sheet.gapMm?.x ?? ''), sheetGapY: String(sheet.gapMm?.y ?? '') },
        ...{ sheetMarginX: String(sheet.marginMm?.x ?? ''), sheetMarginY: String(sheet.marginMm?.y ?? '') },
      }
      const values = { printers: [row], routes: [], usual: '', usualStandby: '', forgotten: [] }
      const faults = Object.fromEntries(
        faulty.map((side) => [`printers.0.sheet.${side}`, { code: 'past-sheet-edge' }]),
      )
      expect(printersForm.toChange(values, settings)).toMatchObject(
        faulty.length === 0 ? { ok: true } : { ok: false, faults },
      )
      expect(printerOfRow(row) === undefined).toBe(faulty.length > 0)
    },
  )
})

describe('station', () => {
  it('reads waits in seconds and says which is out of range', () => {
    const values = { ...stationForm.fromSettings(settings), connectTimeout: '0,5', answerTimeout: '900' }
    expect(stationForm.toChange(values, settings)).toEqual({
      ok: false,
      faults: { answerTimeout: { code: 'at-most', limit: '600' } },
    })
    expect(stationForm.toChange({ ...values, answerTimeout: '30' }, settings)).toMatchObject({
      ok: true,
      change: { network: { connectTimeoutMs: 500, answerTimeoutMs: 30_000 } },
    })
  })

  it('wants a path when the hot folder is on', () => {
    const values = { ...stationForm.fromSettings(settings), hotFolder: true }
    expect(stationForm.toChange(values, settings)).toEqual({
      ok: false,
      faults: { 'hotFolder.path': { code: 'required' } },
    })
  })
})

describe('matching rules of scanning back', () => {
  const rules = [
    { carrierOptionId: 34, match: { kind: 'prefix' as const, prefix: 'JJD' } },
    { carrierOptionId: 51, match: { kind: 'length' as const, length: 13 } },
    { carrierOptionId: 52, match: { kind: 'part' as const, least: 6 } },
  ]
  const withRules = sampleSettings({ scanBack: { on: true, rules } })
  const values = stationForm.fromSettings(withRules)
  const withRows = (change: (row: ScanRuleRow, index: number) => ScanRuleRow) => ({
    ...values,
    scanBack: { on: true, rules: values.scanBack.rules.map(change) },
  })

  it('come back as they were when nothing was edited', () => {
    expect(stationForm.toChange(values, withRules)).toMatchObject({
      ok: true,
      change: { scanBack: { on: true, rules } },
    })
  })

  it('take on another kind with what was typed for it', () => {
    const edited = withRows((row) => ({ ...row, kind: 'part', signs: ' 10 ' }))
    expect(stationForm.toChange(edited, withRules)).toMatchObject({
      change: { scanBack: { rules: rules.map(() => ({ match: { kind: 'part', least: 10 } })) } },
    })
  })

  it('name the field that is wrong', () => {
    const edited = withRows((row, index) => ({ ...row, prefix: ' ', signs: index === 1 ? '3' : 'six' }))
    expect(stationForm.toChange(edited, withRules)).toEqual({
      ok: false,
      faults: {
        'scanBack.rules.0.match.prefix': { code: 'required' },
        'scanBack.rules.1.match.length': { code: 'at-least', limit: '4' },
        'scanBack.rules.2.match.least': { code: 'number' },
      },
    })
  })

  it('refuse a second rule for a carrier option, which would never count', () => {
    const edited = withRows((row, index) => (index === 2 ? { ...row, carrierOptionId: '34' } : row))
    expect(stationForm.toChange(edited, withRules)).toEqual({
      ok: false,
      faults: { 'scanBack.rules.2.carrierOptionId': { code: 'invalid' } },
    })
  })

  it('start with nothing but the carrier option', () => {
    const added = { ...values, scanBack: { on: true, rules: [newScanRule('new', '34')] } }
    expect(stationForm.toChange(added, withRules)).toEqual({
      ok: false,
      faults: { 'scanBack.rules.0.match.prefix': { code: 'required' } },
    })
  })
})

describe('what is remembered about labels', () => {
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
  const values = { ...printersForm.fromSettings(settings), forgotten: [rememberedKey(placement(34, 0))] }

  it('leaves what is not to be forgotten', () => {
    expect(withoutForgotten(labelRules, [rememberedKey(consent)])).toEqual({ ...labelRules, zplCommands: [] })
    expect(withoutForgotten(labelRules, [rememberedKey(loss)])).toEqual({ ...labelRules, losses: [] })
  })

  it('is left alone when nothing is to be forgotten', () => {
    const read = printersForm.toChange({ ...values, forgotten: [] }, sampleSettings({ labelRules }))
    expect(read.ok && Object.keys(read.change)).toEqual(['printers', 'routing'])
  })

  it('goes with the rest of the tab', () => {
    expect(printersForm.toChange(values, sampleSettings({ labelRules }))).toMatchObject({
      ok: true,
      change: { labelRules: { placements: [placement(51, 0)], zplCommands: [consent] } },
    })
  })

  it('keeps a choice that was made anew before the tab was saved', async () => {
    const fake = createFakeBridge()
    const change = vi.spyOn(fake.bridge, 'changeSettings')
    const tab = createTabStore(fake.bridge, printersForm, vi.fn())
    tab.getState().applySettings(sampleSettings({ labelRules }))
    tab.getState().edit(() => values)
    const anew = { placements: [placement(51, 0), placement(34, 90)], zplCommands: [consent], losses: [] }
    tab.getState().applySettings(sampleSettings({ labelRules: anew }))
    await tab.getState().save()
    expect(change).toHaveBeenCalledWith(expect.objectContaining({ labelRules: anew }))
  })
})

describe('saving a tab', () => {
  function makeTab() {
    const fake = createFakeBridge()
    const saved = vi.fn()
    const tab = createTabStore(fake.bridge, stationForm, saved)
    tab.getState().applySettings(settings)
    return { fake, tab, saved }
  }

  it('keeps what was typed when the settings change meanwhile, and until it is saved', async () => {
    const { tab, saved } = makeTab()
    tab.getState().edit((values) => ({ ...values, retentionDays: '30' }))
    tab.getState().applySettings(sampleSettings({ retentionDays: 365, language: 'nl' }))
    expect(tab.getState()).toMatchObject({ dirty: true, values: { retentionDays: '30', language: 'en' } })
    expect(await tab.getState().save()).toBe(true)
    expect(tab.getState()).toMatchObject({ dirty: false, justSaved: true })
    expect(saved).toHaveBeenCalledWith(expect.objectContaining({ retentionDays: 30 }))
  })

  it('keeps what was typed when saving fails', async () => {
    const { fake, tab, saved } = makeTab()
    const failure = appError('settings-not-saved', 'x')
    fake.bridge.changeSettings = () => Promise.resolve(err(failure))
    tab.getState().edit((values) => ({ ...values, retentionDays: '30' }))
    expect(await tab.getState().save()).toBe(false)
    expect(tab.getState()).toMatchObject({ dirty: true, error: failure, values: { retentionDays: '30' } })
    expect(saved).not.toHaveBeenCalled()
  })

  it('sends nothing while a field is wrong', async () => {
    const { fake, tab } = makeTab()
    const change = vi.spyOn(fake.bridge, 'changeSettings')
    tab.getState().edit((values) => ({ ...values, retentionDays: '0' }))
    expect(await tab.getState().save()).toBe(false)
    expect(tab.getState().faults).toEqual({ retentionDays: { code: 'at-least', limit: '1' } })
    expect(change).not.toHaveBeenCalled()
    tab.getState().discard()
    expect(tab.getState()).toMatchObject({ dirty: false, faults: {}, values: { retentionDays: '90' } })
  })
})
