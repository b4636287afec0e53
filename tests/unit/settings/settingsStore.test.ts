import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createSettingsStore, type SettingsStore } from '../../../src/main/settings/settingsStore'
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

function open(file: MemoryJsonFile): SettingsStore {
  const opened = createSettingsStore(file).open()
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}

function refusal(content: unknown): { message: string; where: string | undefined; writes: number } {
  const file = new MemoryJsonFile(content)
  const opened = createSettingsStore(file).open()
  if (opened.ok) throw new Error('the settings were accepted')
  expect(opened.error.code).toBe('settings-invalid')
  expect(opened.error.details?.path).toBe('/data/settings.json')
  expect(opened.error.message).toContain('/data/settings.json')
  return { message: opened.error.message, where: opened.error.details?.where, writes: file.writes }
}

describe('opening the settings', () => {
  it('starts with default settings when there is no file, and writes none', () => {
    const file = new MemoryJsonFile()
    expect(open(file).current()).toEqual(defaultSettings)
    expect(file.writes).toBe(0)
  })

  it('fills in keys that the file does not know yet, one level down too', () => {
    const { appearance, labelDelivery, ...older } = defaultSettings
    const file = new MemoryJsonFile({ ...older, language: 'nl', network: { answerTimeoutMs: 5000 } })
    const settings = open(file).current()
    expect(settings).toMatchObject({ appearance, labelDelivery, language: 'nl' })
    expect(settings.network).toEqual({ connectTimeoutMs: 10_000, answerTimeoutMs: 5000 })
  })

  it.each([
    [{ ...defaultSettings, retentionDays: 'ninety' }, 'retentionDays', 'a number'],
    [{ ...defaultSettings, langauge: 'en' }, 'langauge', 'not known'],
    [{ ...defaultSettings, language: 'fr' }, 'language', '"en", "nl"'],
    [{ ...defaultSettings, printers: [{ ...zebra, port: 70_000 }] }, 'printers[0].port', 'at most 65535'],
    [{ ...defaultSettings, printers: [{ ...zebra, driver: 'usb' }] }, 'printers[0].driver', '"socket"'],
    [{ ...defaultSettings, printers: [{ ...zebra, rotate: 45 }] }, 'printers[0].rotate', '0, 90, 180, 270'],
    [{ ...defaultSettings, printers: [{ driver: 'folder', id: 'f' }] }, 'printers[0].path', 'is missing'],
    [{ ...defaultSettings, shipmentDefaults: { contry: 'NL' } }, 'shipmentDefaults.contry', 'not known'],
    [{ ...defaultSettings, shipmentDefaults: { country: 'nl' } }, 'shipmentDefaults.country', 'country code'],
    [{ ...defaultSettings, routing: [{ printer: 'gone' }] }, 'routing[0].printer', '«gone»'],
    [{ ...defaultSettings, version: 2 }, 'version', 'newer Packbench'],
    [{ ...defaultSettings, version: 'one' }, 'version', 'whole number'],
    [[], '', 'one object'],
  ])('refuses what a hand left behind: %#', (content, where, words) => {
    const refused = refusal(content)
    expect(refused.where).toBe(where)
    expect(refused.message).toContain(words)
    expect(refused.writes).toBe(0)
  })

  it('names the faults of a file with many', () => {
    const printers = Array.from({ length: 8 }, (_, index) => ({ ...zebra, id: `p${index}`, port: 0 }))
    const { message } = refusal({ ...defaultSettings, printers })
    expect(message).toContain('printers[4].port')
    expect(message).toContain('and 3 more')
  })
})

describe('a settings file that is not JSON', () => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is refused with the place in the text', () => {
    const path = join(folder, 'settings.json')
    writeFileSync(path, '{\n  "version": 1,\n  "language": en\n}\n')
    const file = new MemoryJsonFile(undefined, path)
    file.failure = new SyntaxError('Unexpected token')
    const opened = createSettingsStore(file).open()
    expect(opened.ok ? undefined : opened.error.message).toContain(
      `${path} can't be used: line 3, column 15: a value is expected`,
    )
  })

  it('is refused with the reason when it can not even be read', () => {
    const file = new MemoryJsonFile(undefined, join(folder, 'nowhere', 'settings.json'))
    file.failure = new Error('EACCES: permission denied')
    const opened = createSettingsStore(file).open()
    expect(opened.ok ? undefined : opened.error.details?.problem).toContain('EACCES: permission denied')
  })
})

describe('changing the settings', () => {
  it('replaces the part that is given, on disk and in memory, and tells the listeners', () => {
    const file = new MemoryJsonFile()
    const store = open(file)
    const heard: Settings[] = []
    const stop = store.onChange((settings) => heard.push(settings))
    const changed = store.change({ printers: [zebra], routing: [{ printer: 'zebra' }] })
    expect(changed.ok).toBe(true)
    expect(store.current().printers).toEqual([zebra])
    expect(file.content).toEqual(store.current())
    expect(heard).toEqual([store.current()])
    stop()
    store.change({ language: 'nl' })
    expect(heard).toHaveLength(1)
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
  ])('refuses parts that contradict each other and keeps the old ones: %#', (change, where) => {
    const file = new MemoryJsonFile()
    const store = open(file)
    const changed = store.change(change)
    expect(changed.ok ? undefined : changed.error.code).toBe('invalid-input')
    expect(changed.ok ? undefined : changed.error.details?.where).toBe(where)
    expect(store.current()).toEqual(defaultSettings)
    expect(file.writes).toBe(0)
  })

  it('refuses to leave the routing without its printer', () => {
    const store = open(new MemoryJsonFile())
    store.change({ printers: [zebra], routing: [{ printer: 'zebra' }] })
    expect(store.change({ printers: [] }).ok).toBe(false)
    expect(store.change({ printers: [], routing: [] }).ok).toBe(true)
  })

  it('takes the same option number with two carriers', () => {
    const carriers = [
      { name: 'A', carrierId: 1, carrierOptionId: 2 },
      { name: 'B', carrierId: 7, carrierOptionId: 2 },
    ]
    expect(open(new MemoryJsonFile()).change({ carriers }).ok).toBe(true)
  })

  it('keeps memory as it was when the file can not be written', () => {
    const file = new MemoryJsonFile()
    const store = open(file)
    let told = false
    store.onChange(() => {
      told = true
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
    expect(told).toBe(false)
  })
})
