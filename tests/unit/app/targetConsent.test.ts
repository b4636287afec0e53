import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, it, vi } from 'vitest'
import { createTargetConsent, findRestoredTargets } from '../../../src/main/app/targetConsent'
import type { Target } from '../../../src/main/lib/desktop'
import { fleetSettingsSchema } from '../../../src/shared/fleet'
import { type Printer, printerSchema } from '../../../src/shared/printing'
import { defaultSettings, type Settings, type SettingsChange } from '../../../src/shared/settings'
import { makePrivateAuthority } from '../../support/network/privateAuthority'
import { temporaryFolder } from '../../support/temporaryFolder'

const zebra = printerSchema.parse({ driver: 'socket', id: 'zebra', host: '192.0.2.10' })
const file = printerSchema.parse({ driver: 'folder', id: 'file', path: 'labels' })
const settings: Settings = { ...defaultSettings, printers: [zebra, file] }

/** A folder outside of the data folder; on Windows with its drive. */
const share = resolve('/mnt/share')

function consentWith(answer: boolean) {
  const ask = vi.fn(async (_targets: readonly Target[]) => answer)
  return { ask, consent: createTargetConsent({ dataFolder: '/data', ask }) }
}

function printerAt(change: object): Printer {
  return printerSchema.parse({ ...zebra, ...change })
}

describe('consent to a change of the settings from the window', () => {
  it('needs no question when no label or order goes to a new place', async () => {
    const { ask, consent } = consentWith(false)
    const renamed = { ...zebra, id: 'other', darkness: 20 }
    const sameFolder = { ...file, path: '/data/labels' }
    const change: SettingsChange = { printers: [renamed, sameFolder], language: 'nl', hotFolder: null }
    expect(await consent.forChange(change, settings)).toMatchObject({ ok: true })
    expect(await consent.forChange({ printers: [] }, settings)).toMatchObject({ ok: true })
    expect(ask).not.toHaveBeenCalled()
  })

  it.each([
    ['a printer’s host', { printers: [printerAt({ host: '198.51.100.9' })] }, '198.51.100.9:9100'],
    ['a printer’s port', { printers: [printerAt({ port: 9101 })] }, '192.0.2.10:9101'],
    ['a printer’s folder', { printers: [{ ...file, path: '/mnt/share' }] }, share],
    ['a folder outside by a relative path', { printers: [{ ...file, path: '../out' }] }, resolve('/out')],
    ['the hot folder', { hotFolder: { path: '/mnt/share', print: true } }, share],
    ['a host for labels', { labelHosts: ['10.0.0.8'] }, '10.0.0.8'],
    ['weak storage of the credentials', { allowWeakStorage: true }, join('/data', 'vault.json')],
    ['another computer’s queue', { printers: [{ ...systemPrinter(), queue: '\\\\evil\\q' }] }, '\\\\evil\\q'],
  ])('asks about %s, and is refused when the person says no', async (_name, change, place) => {
    const { ask, consent } = consentWith(false)
    const result = await consent.forChange(change, settings)
    expect(ask.mock.calls.map(([targets]) => targets.map((target) => target.place))).toEqual([[place]])
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'change-not-confirmed', details: { places: place } },
    })
  })

  it('asks one question about all new places, and none about places that were agreed to', async () => {
    const { ask, consent } = consentWith(true)
    const change = {
      printers: [zebra, printerAt({ id: 'new', host: '198.51.100.9' })],
      hotFolder: { path: 'exchange', print: true },
    }
    expect(await consent.forPrinter(printerAt({ id: 'new', host: '198.51.100.9' }), settings)).toMatchObject({
      ok: true,
    })
    expect(await consent.forChange(change, settings)).toMatchObject({ ok: true })
    expect(await consent.forChange(change, settings)).toMatchObject({ ok: true })
    expect(ask.mock.calls.map(([targets]) => targets.map(({ place }) => place))).toEqual([
      ['198.51.100.9:9100'],
      [resolve('/data', 'exchange')],
    ])
  })

  it('needs no question for a folder that was chosen in the system’s dialog', async () => {
    const { ask, consent } = consentWith(false)
    consent.noteChosenFolder(share)
    const change = {
      printers: [{ ...file, path: '/mnt/share' }],
      hotFolder: { path: '/mnt/share', print: true },
    }
    expect(await consent.forChange(change, settings)).toMatchObject({ ok: true })
    expect(ask).not.toHaveBeenCalled()
  })

  it.each([
    ['the hot folder', { hotFolder: { path: '/mnt/share', print: true } }],
    ['a printer’s folder', { printers: [{ ...file, path: '/mnt/share' }] }],
  ])(
    'asks about copies of the station to %s, also after it was chosen in the system’s dialog',
    async (_name, use) => {
      const { ask, consent } = consentWith(true)
      consent.noteChosenFolder(share)
      const present = { ...settings, ...use }
      const change = { backup: { folder: '/mnt/share', keep: 7 } }
      expect(await consent.forChange(change, present)).toMatchObject({ ok: true })
      expect(await consent.forChange(change, { ...present, ...change })).toMatchObject({ ok: true })
      expect(ask.mock.calls).toEqual([[[{ kind: 'backup-folder', place: share }]]])
    },
  )

  it('asks about the hot folder that has the copies of the station, and about a folder for copies by its exact name', async () => {
    const { ask, consent } = consentWith(false)
    const present = { ...settings, backup: { folder: '/mnt/share', keep: 7 } }
    const hotFolder = { path: '/mnt/share', print: true }
    expect(await consent.forChange({ hotFolder }, present)).toMatchObject({ ok: false })
    const backup = { folder: '/mnt/Share', keep: 7 }
    expect(await consent.forChange({ backup }, present)).toMatchObject({ ok: false })
    expect(ask).toHaveBeenCalledTimes(2)
  })

  it('is refused while a question about another change is open', async () => {
    const answers: ((yes: boolean) => void)[] = []
    const consent = createTargetConsent({
      dataFolder: '/data',
      ask: () => new Promise((resolve) => answers.push(resolve)),
    })
    const first = consent.forChange({ labelHosts: ['a.example'] }, settings)
    expect(await consent.forChange({ labelHosts: ['b.example'] }, settings)).toMatchObject({ ok: false })
    answers[0]?.(true)
    expect(await first).toMatchObject({ ok: true })
    expect(answers).toHaveLength(1)
  })
})

describe('consent to a test of the connection', () => {
  const none = { state: 'none', baseUrl: null } as const
  const connected = { state: 'connected', baseUrl: new URL('https://api.example/v1') } as const
  const evil = new URL('https://data.evil.example:22')

  it('needs no question for the account’s own host, and needs one for any other', async () => {
    const { ask, consent } = consentWith(false)
    const own = new URL('https://api.example/v2')
    expect(await consent.forNetworkTest(own, settings, settings, connected)).toMatchObject({ ok: true })
    expect(ask).not.toHaveBeenCalled()
    expect(await consent.forNetworkTest(evil, settings, settings, connected)).toMatchObject({
      ok: false,
      error: { details: { places: 'https://data.evil.example:22' } },
    })
  })

  it('needs no question for a host typed at set-up, but needs one after the account was forgotten', async () => {
    const { consent } = consentWith(false)
    expect(await consent.forNetworkTest(evil, settings, settings, none)).toMatchObject({ ok: true })
    consent.noteForgotten(connected)
    expect(await consent.forNetworkTest(evil, settings, settings, none)).toMatchObject({ ok: false })
  })

  it('names the certificates of a file in its question, and asks again when the file has others', async () => {
    const { ask, consent } = consentWith(true)
    const file = join(await temporaryFolder(), 'company.pem')
    const certificates = { system: true, file }
    await writeFile(file, makePrivateAuthority('Company Root').pem)
    expect(await consent.forChange({ certificates }, settings)).toMatchObject({ ok: true })
    expect(ask.mock.calls[0]?.[0][0]?.place).toMatch(
      /^SHA-256 [0-9A-F:]{95}, CN=Company Root: .*company\.pem$/,
    )
    await writeFile(file, makePrivateAuthority('Somebody').pem)
    expect(await consent.forChange({ certificates }, settings)).toMatchObject({ ok: true })
    expect(ask.mock.calls[1]?.[0][0]?.place).toContain('CN=Somebody')
  })

  it('names each of ten certificates, but more than ten in one line, as text and in a file', async () => {
    const { ask, consent } = consentWith(false)
    const file = join(await temporaryFolder(), 'company.pem')
    async function placesOf(certificates: { pem: string } | { file: string }) {
      await consent.forChange({ certificates: { system: true, ...certificates } }, settings)
      return ask.mock.lastCall?.[0].map(({ place }) => place)
    }
    const ten = rootCertificates.slice(0, 10).join('\n')
    expect(new Set(await placesOf({ pem: ten })).size).toBe(10)
    const eleven = rootCertificates.slice(0, 11).join('\n')
    await writeFile(file, eleven)
    const fingerprint = `SHA-256 ${createHash('sha256').update(eleven).digest('hex')}`
    expect(await placesOf({ pem: eleven })).toEqual([fingerprint])
    expect(await placesOf({ file })).toEqual([`${fingerprint}: ${file}`])
  })
})

describe('consent to the service that receives the credentials', () => {
  const none = { state: 'none', baseUrl: null } as const
  const connected = { state: 'connected', baseUrl: new URL('https://api.example/v1') } as const

  it('is not needed while the station has no account', async () => {
    const { ask, consent } = consentWith(false)
    expect(await consent.forAccount('https://api.example', none)).toMatchObject({ ok: true })
    expect(await consent.forAccount('https://other.example', none)).toMatchObject({ ok: true })
    expect(ask).not.toHaveBeenCalled()
  })

  it('is needed for another host than before, also after the account was forgotten', async () => {
    const { ask, consent } = consentWith(false)
    consent.noteForgotten(connected)
    expect(await consent.forAccount('https://API.example/v2/', none)).toMatchObject({ ok: true })
    expect(ask).not.toHaveBeenCalled()
    const refused = { ok: false, error: { details: { places: 'https://evil.example' } } }
    expect(await consent.forAccount('https://evil.example/v1', connected)).toMatchObject(refused)
    expect(await consent.forAccount('https://evil.example/v1', none)).toMatchObject(refused)
    expect(await consent.forAccount('https://api.example', none)).toMatchObject({ ok: true })
    expect(ask).toHaveBeenCalledTimes(2)
  })

  it('is needed when the stored account can’t be read', async () => {
    const { ask, consent } = consentWith(true)
    expect(await consent.forAccount('https://api.example', { state: 'locked', baseUrl: null })).toMatchObject(
      { ok: true },
    )
    expect(ask).toHaveBeenCalledOnce()
  })
})

describe('consent to the fleet’s database', () => {
  const fleet = fleetSettingsSchema.parse({
    ...{ host: 'localhost', database: 'packbench', user: 'packbench', station: 'Bench 1' },
    caFile: '/etc/packbench/ca.pem',
  })

  it('is needed when another certificate file, no file or no encryption is chosen', async () => {
    const { ask, consent } = consentWith(false)
    const forged = { ...fleet, caFile: '/etc/packbench/CA.pem' }
    const { caFile, ...known } = fleet
    for (const wanted of [forged, known, { ...fleet, tls: 'off' as const }]) {
      expect(await consent.forFleet(wanted, fleet)).toMatchObject({ ok: false })
    }
    expect(await consent.forFleet({ ...fleet, station: 'Bench 2' }, fleet)).toMatchObject({ ok: true })
    expect(ask.mock.calls.map(([targets]) => targets.map(({ place }) => place))).toEqual([
      ['localhost:5432/packbench, caFile: /etc/packbench/CA.pem'],
      ['localhost:5432/packbench'],
      ['localhost:5432/packbench, tls: off'],
    ])
  })

  it.each([
    ['C:\\packbench\\ca.pem', true],
    ['/etc/packbench/ca.pem', true],
    ['ca.pem', false],
    ['..\\ca.pem', false],
    ['\\\\evil\\share\\ca.pem', false],
    ['//evil/share/ca.pem', false],
    ['/\\evil\\share\\ca.pem', false],
    ['\\\\?\\UNC\\evil\\share\\ca.pem', false],
  ])('accepts as file of certificates only one of this computer: %s (accepted: %s)', (caFile, isGood) => {
    expect(fleetSettingsSchema.safeParse({ ...fleet, caFile }).success).toBe(isGood)
  })
})

function systemPrinter(): Printer & { driver: 'system' } {
  const printer = printerSchema.parse({ driver: 'system', id: 'queue', queue: 'Q' })
  if (printer.driver !== 'system') throw new Error('not a system printer')
  return printer
}

describe('the places that a restored copy brings', () => {
  const copyWith = (content: string | undefined) => ({
    ...{ name: 'packbench-2026-11-22-1.db', day: '2026-11-22', shipments: 1, version: null },
    settings: content === undefined ? undefined : Buffer.from(content),
  })

  it('are those that the present settings do not have', async () => {
    const hotFolder = { path: 'exchange', print: true }
    const copied = {
      ...settings,
      printers: [zebra, printerAt({ id: 'new', host: '198.51.100.9' })],
      hotFolder,
    }
    const copy = copyWith(`\uFEFF${JSON.stringify(copied)}`)
    expect(await findRestoredTargets(copy, settings, '/data')).toEqual([
      { kind: 'printer', printer: 'new', place: '198.51.100.9:9100' },
      { kind: 'hot-folder', place: resolve('/data', 'exchange') },
    ])
    expect(await findRestoredTargets(copy, { ...settings, ...copied }, '/data')).toEqual([])
  })

  it.each([
    ['no settings', undefined],
    ['settings that are not JSON', '{'],
    ['settings that are not valid', '{"version":1,"printers":5}'],
  ])('are none for a copy with %s', async (_name, content) => {
    expect(await findRestoredTargets(copyWith(content), settings, '/data')).toEqual([])
  })
})
