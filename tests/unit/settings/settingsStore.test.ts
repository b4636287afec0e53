import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { openSettings, type SettingsStore } from '../../../src/main/settings/settingsStore'
import type { Printer } from '../../../src/shared/printing'
import { defaultSettings, type Settings } from '../../../src/shared/settings'
import { MemoryJsonFile } from './memoryJsonFile'

const zebra: Printer = {
  id: 'zebra',
  driver: 'socket',
  host: '192.0.2.10',
  port: 9100,
  dpi: 203,
  stock: { widthMm: 100, heightMm: 150 },
  rotate: 0,
  copies: 1,
}

function open(file: MemoryJsonFile, bus = createEventBus()): SettingsStore {
  const opened = openSettings(file, bus)
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}

function refusal(content: unknown): { message: string; where: string | undefined; writes: number } {
  const file = new MemoryJsonFile(content)
  const opened = openSettings(file, createEventBus())
  if (opened.ok) throw new Error('the settings were accepted')
  expect(opened.error.code).toBe('settings-invalid')
  expect(opened.error.details?.path).toBe('/data/settings.json')
  expect(opened.error.message).toContain('/data/settings.json')
  return { message: opened.error.message, where: opened.error.details?.where, writes: file.writes }
}

describe('opening the settings', () => {
  it('gives default settings when there is no file, and writes none', () => {
    const file = new MemoryJsonFile()
    expect(open(file).current()).toEqual(defaultSettings)
    expect(file.writes).toBe(0)
  })

  it('accepts a sheet whose labels extend past its edge, also when another setting is changed', () => {
    const laser: Printer = {
      ...{ id: 'laser', driver: 'system', queue: 'LASER', rotate: 0, copies: 1 },
      stock: { widthMm: 105, heightMm: 148 },
      sheet: { widthMm: 210, heightMm: 297, columns: 3, rows: 2 },
    }
    const file = new MemoryJsonFile({ ...defaultSettings, printers: [laser] })
    const store = open(file)
    expect(store.current().printers).toEqual([laser])
    expect(store.change({ language: 'nl' }).ok).toBe(true)
    expect(file.content).toMatchObject({ language: 'nl', printers: [laser] })
  })

  it('drops the ports of label hosts, which are allowed at each port', () => {
    const labelHosts = ['10.0.0.5:8443', 'labels.corp:80', '[fd00::1]:8443', '[fd00::1]']
    const store = open(new MemoryJsonFile({ ...defaultSettings, labelHosts }))
    expect(store.current().labelHosts).toEqual(['10.0.0.5', 'labels.corp', '[fd00::1]', '[fd00::1]'])
  })

  it('fills in keys that are missing in the file, also in nested objects', () => {
    const { appearance, labelDelivery, ...older } = defaultSettings
    const file = new MemoryJsonFile({ ...older, language: 'nl', network: { answerTimeoutMs: 5000 } })
    const settings = open(file).current()
    expect(settings).toMatchObject({ appearance, labelDelivery, language: 'nl' })
    expect(settings.network).toEqual({ connectTimeoutMs: 10_000, answerTimeoutMs: 5000 })
  })

  it.each([
    [{ ...defaultSettings, retentionDays: 'ninety' }, 'retentionDays', 'a number'],
    [{ ...defaultSettings, language: 'fr' }, 'language', '"en", "nl"'],
    [{ ...defaultSettings, printers: [{ ...zebra, port: 70_000 }] }, 'printers[0].port', 'at most 65535'],
    [{ ...defaultSettings, printers: [{ ...zebra, driver: 'usb' }] }, 'printers[0].driver', '"socket"'],
    [{ ...defaultSettings, printers: [{ ...zebra, rotate: 45 }] }, 'printers[0].rotate', '0, 90, 180, 270'],
    [{ ...defaultSettings, printers: [{ driver: 'folder', id: 'f' }] }, 'printers[0].path', 'is missing'],
    [{ ...defaultSettings, shipmentDefaults: { country: 'nl' } }, 'shipmentDefaults.country', 'country code'],
    [{ ...defaultSettings, routing: [{ printer: 'gone' }] }, 'routing[0].printer', '«gone»'],
    [{ ...defaultSettings, version: 2, language: 'fr' }, 'version', 'newer Packbench'],
    [{ ...defaultSettings, version: 'one' }, 'version', 'whole number'],
    [[], '', 'one object'],
  ])('refuses a file with an invalid value, version or form (case %#)', (content, where, words) => {
    const refused = refusal(content)
    expect(refused.where).toBe(where)
    expect(refused.message).toContain(words)
    expect(refused.writes).toBe(0)
  })

  it('lists the first issues of a file and the number of the others', () => {
    const printers = Array.from({ length: 8 }, (_, index) => ({ ...zebra, id: `p${index}`, port: 0 }))
    const { message } = refusal({ ...defaultSettings, printers })
    expect(message).toContain('printers[4].port')
    expect(message).toContain('and 3 more')
  })
})

describe('a settings file of a newer version', () => {
  const zebraRule = {
    carrierOptionId: 34,
    stock: { widthMm: 100, heightMm: 150 },
    areas: [{ xMm: 0, yMm: 0, widthMm: 100, heightMm: 150 }],
    turn: 0 as const,
    scale: 1,
  }
  const cups: Printer = {
    ...{ id: 'cups', driver: 'system', queue: 'LABEL', rotate: 0, copies: 1 },
    stock: zebra.stock,
  }
  const carrier = { name: 'Parcel', carrierId: 1, carrierOptionId: 11 }
  const newer = {
    ...defaultSettings,
    theme: { accent: 'teal' },
    network: { ...defaultSettings.network, proxy: 'none' },
    shipmentDefaults: { country: 'NL', insured: true },
    carriers: [{ ...carrier, colour: 'red' }],
    printers: [
      { ...zebra, media: 'gap', stock: { ...zebra.stock, gapMm: 3 } },
      { ...cups, tray: 2 },
    ],
    routing: [{ carrierOptionId: 11, printer: 'zebra', days: [1, 2] }, { printer: 'cups' }],
  }
  const keys = [
    'theme',
    'carriers[0].colour',
    'shipmentDefaults.insured',
    'printers[0].stock.gapMm',
    'printers[0].media',
    'printers[1].tray',
    'routing[0].days',
    'network.proxy',
  ]

  it('is read without the keys that this version does not know, and reports them', () => {
    const file = new MemoryJsonFile(newer)
    const store = open(file)
    expect(store.current()).toEqual({
      ...defaultSettings,
      shipmentDefaults: { country: 'NL' },
      carriers: [carrier],
      printers: [zebra, cups],
      routing: [{ carrierOptionId: 11, printer: 'zebra' }, { printer: 'cups' }],
    })
    expect(store.getUnknownContent().unknownKeys.toSorted()).toEqual(keys.toSorted())
    expect(store.getUnknownContent().newerVersion).toBeNull()
    expect(file.writes).toBe(0)
  })

  it('keeps unknown keys at every level when settings are saved repeatedly', () => {
    const file = new MemoryJsonFile(newer)
    const store = open(file)
    store.change({ language: 'nl' })
    store.change({ network: { connectTimeoutMs: 200, answerTimeoutMs: 300 }, shipmentDefaults: {} })
    store.change({ carriers: [{ ...carrier, name: 'Renamed' }] })
    expect(file.content).toEqual({
      ...newer,
      language: 'nl',
      network: { connectTimeoutMs: 200, answerTimeoutMs: 300, proxy: 'none' },
      shipmentDefaults: { insured: true },
      carriers: [{ ...carrier, name: 'Renamed', colour: 'red' }],
    })
    expect(open(file).getUnknownContent().unknownKeys.toSorted()).toEqual(keys.toSorted())
  })

  it('keeps unknown keys with their list entry, wherever it moves', () => {
    const file = new MemoryJsonFile(newer)
    const store = open(file)
    const added = { ...zebra, id: 'second' }
    const moved = { ...zebra, host: '192.0.2.11', port: 9101 }
    store.change({ printers: [added, cups, moved] })
    expect(file.content).toMatchObject({
      printers: [
        added,
        { ...cups, tray: 2 },
        { ...moved, media: 'gap', stock: { ...zebra.stock, gapMm: 3 } },
      ],
    })
    store.change({ printers: [added, cups], routing: [{ printer: 'cups' }] })
    // Unknown keys of the removed printer are not given to another one.
    expect(file.content).toMatchObject({
      printers: [added, { ...cups, tray: 2 }],
      routing: [{ printer: 'cups' }],
    })
    expect(JSON.stringify(file.content)).not.toMatch(/gapMm|media|days/)
    store.change({ printers: [zebra, cups] })
    expect(JSON.stringify(file.content)).not.toContain('gapMm')
  })

  it('does not give the unknown key of a removed rule to another rule', () => {
    const rule = { ...zebraRule, page: { widthMm: 210, heightMm: 297 } }
    const other = { ...zebraRule, page: { widthMm: 148, heightMm: 210 } }
    const file = new MemoryJsonFile({
      ...defaultSettings,
      labelRules: { placements: [{ ...rule, mirror: true }, other], zplCommands: [], losses: [] },
    })
    const store = open(file)
    store.change({ labelRules: { placements: [other], zplCommands: [], losses: [] } })
    expect(JSON.stringify(file.content)).not.toContain('mirror')
  })

  it('is used when it is valid for this version, and keeps its version number when it is saved', () => {
    const file = new MemoryJsonFile({ ...newer, version: 7 })
    const store = open(file)
    expect(store.current().version).toBe(1)
    expect(store.getUnknownContent()).toMatchObject({ newerVersion: 7 })
    store.change({ language: 'nl' })
    expect(file.content).toEqual({ ...newer, version: 7, language: 'nl' })
    expect(open(file).current().language).toBe('nl')
  })

  it('is refused for an invalid value, not for unknown keys', () => {
    const { where, message } = refusal({ ...newer, retentionDays: 'ninety' })
    expect(where).toBe('retentionDays')
    expect(message).not.toContain('theme')
  })
})

describe('a settings file that is not JSON', () => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is refused with line and column of the mistake', () => {
    const path = join(folder, 'settings.json')
    writeFileSync(path, '{\n  "version": 1,\n  "language": en\n}\n')
    const file = new MemoryJsonFile(undefined, path)
    file.failure = new SyntaxError('Unexpected token')
    const opened = openSettings(file, createEventBus())
    expect(opened.ok ? undefined : opened.error.message).toContain(
      `${path} can’t be used: correct the file, or set it aside to start with default settings. Reason: line 3, column 15: a value is expected.`,
    )
  })

  it('is refused with the system’s error when it can’t be read', () => {
    const file = new MemoryJsonFile(undefined, join(folder, 'nowhere', 'settings.json'))
    file.failure = new Error('EACCES: permission denied')
    const opened = openSettings(file, createEventBus())
    expect(opened.ok ? undefined : opened.error.details?.problem).toContain('EACCES: permission denied')
  })
})

describe('changing the settings', () => {
  it('replaces the given parts on disk and in memory, and notifies listeners until they unsubscribe', () => {
    const file = new MemoryJsonFile()
    const bus = createEventBus()
    const store = open(file, bus)
    const received: Settings[] = []
    const stop = bus.on('settingsChanged', (settings) => received.push(settings))
    const changed = store.change({ printers: [zebra], routing: [{ printer: 'zebra' }] })
    expect(changed.ok).toBe(true)
    expect(store.current().printers).toEqual([zebra])
    expect(file.content).toEqual(store.current())
    expect(received).toEqual([store.current()])
    stop()
    store.change({ language: 'nl' })
    expect(received).toHaveLength(1)
    expect(open(file).current().language).toBe('nl')
  })

  it.each([
    [{ printers: [zebra, zebra] }, 'printers[1].id'],
    [{ routing: [{ printer: 'zebra' }] }, 'routing[0].printer'],
    [{ printers: [zebra], routing: [{ printer: 'zebra', standby: 'cups' }] }, 'routing[0].standby'],
    [
      {
        carriers: [
          { name: 'A', carrierId: 1, carrierOptionId: 2 },
          { name: 'B', carrierId: 1, carrierOptionId: 2 },
        ],
      },
      'carriers[1]',
    ],
  ])('refuses parts that contradict each other and keeps the old ones (case %#)', (change, where) => {
    const file = new MemoryJsonFile()
    const store = open(file)
    const changed = store.change(change)
    expect(changed.ok ? undefined : changed.error.code).toBe('invalid-input')
    expect(changed.ok ? undefined : changed.error.details?.where).toBe(where)
    expect(store.current()).toEqual(defaultSettings)
    expect(file.writes).toBe(0)
  })

  it('refuses to remove a printer that the routing names', () => {
    const store = open(new MemoryJsonFile())
    store.change({ printers: [zebra], routing: [{ printer: 'zebra' }] })
    expect(store.change({ printers: [] }).ok).toBe(false)
    expect(store.change({ printers: [], routing: [] }).ok).toBe(true)
  })

  it('accepts the same option number for two carriers', () => {
    const carriers = [
      { name: 'A', carrierId: 1, carrierOptionId: 2 },
      { name: 'B', carrierId: 7, carrierOptionId: 2 },
    ]
    expect(open(new MemoryJsonFile()).change({ carriers }).ok).toBe(true)
  })

  it('keeps the old settings in memory when the file can’t be written', () => {
    const file = new MemoryJsonFile()
    const bus = createEventBus()
    const store = open(file, bus)
    let isNotified = false
    bus.on('settingsChanged', () => {
      isNotified = true
    })
    file.failure = new Error('ENOSPC: no space left on device')
    const changed = store.change({ language: 'nl' })
    expect(changed).toMatchObject({
      ok: false,
      error: {
        code: 'settings-not-saved',
        details: { path: '/data/settings.json', reason: 'ENOSPC: no space left on device' },
      },
    })
    expect(store.current().language).toBe('en')
    expect(isNotified).toBe(false)
  })
})

describe('the prefixes of badges and command barcodes', () => {
  const alike = { ...defaultSettings.scanner, commandPrefix: 'PB', badgePrefix: 'PBBADGE' }

  it('are refused when one begins with the other', () => {
    const store = open(new MemoryJsonFile())
    const refused = store.change({ scanner: alike })
    expect(refused).toMatchObject({ ok: false, error: { code: 'invalid-input' } })
    expect(JSON.stringify(refused)).toContain('scanner.badgePrefix')
    expect(store.change({ scanner: { ...alike, commands: false } }).ok).toBe(true)
  })

  it('are accepted at the start and with other changes when they were stored before', () => {
    const store = open(new MemoryJsonFile({ ...defaultSettings, scanner: alike }))
    expect(store.current().scanner).toEqual(alike)
    expect(store.change({ retentionDays: 30 }).ok).toBe(true)
  })
})

describe('import folder and hot folder', () => {
  const withFolders = (imported: string, hot: string) => ({
    orderImport: { path: imported, onDuplicate: 'skip' as const },
    hotFolder: { path: hot, print: true },
  })

  it.each([
    ['/srv/exchange', '/srv/exchange'],
    ['/srv/exchange/', '/srv//exchange'],
    ['\\\\server\\Exchange\\in', '\\\\server\\exchange'],
    ['exchange/done', './exchange'],
    ['exchange', 'exchange/work'],
  ])('are refused when they would take each other’s files: %s and %s', (imported, hot) => {
    const { orderImport, hotFolder } = withFolders(imported, hot)
    for (const [before, change] of [
      [{ orderImport }, { hotFolder }],
      [{ hotFolder }, { orderImport }],
    ]) {
      const refused = open(new MemoryJsonFile({ ...defaultSettings, ...before })).change(change ?? {})
      expect(refused).toMatchObject({ ok: false, error: { code: 'invalid-input' } })
      expect(JSON.stringify(refused)).toContain('orderImport.path')
    }
  })

  it.each([
    ['/srv/orders', '/srv/exchange'],
    ['/srv/exchange/orders', '/srv/exchange'],
    ['/srv', '/srv/exchange'],
    ['/exchange', 'exchange'],
  ])('are accepted when they do not meet: %s and %s', (imported, hot) => {
    expect(open(new MemoryJsonFile()).change(withFolders(imported, hot)).ok).toBe(true)
  })

  it('are accepted at the start and with other changes when they were stored before', () => {
    const store = open(new MemoryJsonFile({ ...defaultSettings, ...withFolders('same', 'same') }))
    expect(store.change({ retentionDays: 30 }).ok).toBe(true)
  })
})

describe('badges that differ only by the badge prefix', () => {
  const people = {
    ...defaultSettings.people,
    operators: [
      { name: 'Anna', badge: '7' },
      { name: 'Bob', badge: 'OP-7' },
    ],
  }
  const scanner = { ...defaultSettings.scanner, badgePrefix: 'OP-' }

  it.each([
    ['the operators', { scanner }, { people }],
    ['the prefix', { people }, { scanner }],
  ])('are refused when %s are changed', (_, before, change) => {
    const store = open(new MemoryJsonFile({ ...defaultSettings, ...before }))
    const refused = store.change(change)
    expect(refused).toMatchObject({ ok: false, error: { code: 'invalid-input' } })
    expect(JSON.stringify(refused)).toContain('people.operators[1].badge')
  })

  it('are accepted at the start and with other changes when they were stored before', () => {
    const store = open(new MemoryJsonFile({ ...defaultSettings, people, scanner }))
    expect(store.current().people).toEqual(people)
    expect(store.change({ retentionDays: 30 }).ok).toBe(true)
  })
})
