import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Lifecycle, LifecycleDeps } from '../../../src/main/app/lifecycle'
import { createProvisioningQueue, type FoundStationFile } from '../../../src/main/app/provisioning'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { createLogger } from '../../../src/main/log/logger'
import { createRedactor } from '../../../src/main/log/redactor'
import { createStationFileMark } from '../../../src/main/settings/stationFile'
import { placesIn } from '../../../src/main/storage/dataFolder'
import { ok } from '../../../src/shared/result'
import { plainJsonFile } from '../../support/plainJsonFile'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'
import { reversingCipher, simulatorWith, stationOn } from '../../support/testStation'

// This module needs Electron's store.
vi.mock('../../../src/main/app/configFile', () => ({ openConfigFile: vi.fn() }))

const path = '/etc/packbench/station.json'
const account = {
  baseUrl: 'https://carrier.example/api',
  userEnv: 'STATION_USER',
  passwordEnv: 'STATION_PASSWORD',
}
const environment = { STATION_USER: 'station-1', STATION_PASSWORD: 'a long password' }
const printers = [{ id: 'zebra', driver: 'socket', host: '192.0.2.10', dpi: 203 }]

const found = (content: object, variables: Record<string, string> = environment): FoundStationFile => ({
  file: ok({ path, text: JSON.stringify(content) }),
  environment: variables,
})

/** Starts a station on a computer with a station file and, if given, a provisioning file. */
async function startWith(
  data: string,
  stationFile: FoundStationFile,
  {
    provision = null,
    bus = createEventBus(),
    ...hearing
  }: Partial<LifecycleDeps> & { provision?: string | null } = {},
): Promise<Lifecycle> {
  const station = await stationOn(data, { onStarted: () => provisioning.apply(), bus, ...hearing })
  const mark = createStationFileMark(
    plainJsonFile(join(data, 'station-file.json')),
    plainJsonFile(join(data, 'settings.json')),
  )
  const provisioning = createProvisioningQueue(station, { ...stationFile, mark }, bus)
  expect(await station.start()).toMatchObject({ ok: true })
  await provisioning.enqueue({ provision, environment: {} })
  return station
}

/** All files in a folder and its subfolders, by their path in the folder. */
async function readFiles(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  return new Map(
    await Promise.all(paths.map(async (path) => [relative(folder, path), await readFile(path)] as const)),
  )
}

/** The bytes that a file contains as Base64. */
function decodeBase64(content: Buffer): Buffer[] {
  const texts = content.toString('latin1').match(/[A-Za-z0-9+/]{12,}={0,2}/g) ?? []
  return texts.map((text) => Buffer.from(text, 'base64'))
}

const getNotices = async (station: Lifecycle) => (await station.status()).notices

describe('the station file of a computer', () => {
  it('sets up a new station with its account', async () => {
    const data = await temporaryFolder()
    const station = await startWith(data, found({ account, printers, language: 'nl' }))
    expect(station.settings()).toMatchObject({ language: 'nl', printers: [{ id: 'zebra' }] })
    expect((await station.status()).account).toMatchObject({ host: 'carrier.example' })
  })

  it('leaves its user, password and key readable in no file of the data folder', async () => {
    const data = await temporaryFolder()
    const secrets = { user: 'station-1', password: 'a long password', apiKey: 'k3y-0f-this-station' }
    const { baseUrl } = await simulatorWith(secrets)
    const redactor = createRedactor()
    const log = createLogger({ folder: placesIn(data).logs, redactor })
    const stationFile = found({ account: { ...account, baseUrl }, printers, language: 'nl' })
    const station = await startWith(data, stationFile, { redactor, log })
    const services = station.services()
    if (!services.ok) throw new Error(services.error.message)
    expect(await services.value.session.key()).toMatchObject({ value: { apiKey: secrets.apiKey } })
    await station.stop()
    // Every line of the log is on the disk then.
    await log.close()
    const files = await readFiles(data)
    expect([...files.keys()]).toEqual(
      expect.arrayContaining([
        ...['packbench.db', 'settings.json', 'station-file.json', 'vault.json'],
        join('logs', 'packbench.log'),
      ]),
    )
    for (const [name, content] of files) {
      const readable = [content, ...decodeBase64(content)]
      for (const secret of Object.values(secrets)) {
        expect(
          readable.some((bytes) => bytes.includes(secret)),
          `${secret} in ${name}`,
        ).toBe(false)
      }
    }
    const again = await stationOn(data)
    const restarted = await again.start()
    if (!restarted.ok) throw new Error(restarted.error.message)
    expect(await restarted.value.session.key()).toMatchObject({ value: { apiKey: secrets.apiKey } })
  })

  it('keeps later changes by people until the file changes', async () => {
    const data = await temporaryFolder()
    const first = await startWith(data, found({ printers, language: 'nl' }))
    const services = first.services()
    if (!services.ok) throw new Error(services.error.message)
    services.value.settings.change({ language: 'en', retentionDays: 30 })
    await first.stop()
    const second = await startWith(data, found({ printers, language: 'nl' }))
    expect(second.settings()).toMatchObject({ language: 'en', retentionDays: 30 })
    await second.stop()
    const third = await startWith(data, found({ printers, language: 'nl', guardDays: 900 }))
    expect(third.settings()).toMatchObject({ language: 'nl', guardDays: 900, retentionDays: 30 })
  })

  it('is applied before the file of the command line, which overrides it', async () => {
    const data = await temporaryFolder()
    const provision = join(data, 'own.json')
    await plainJsonFile(provision).write({ language: 'en', routing: [{ printer: 'zebra' }] })
    const station = await startWith(data, found({ printers, language: 'nl' }), { provision })
    expect(station.settings()).toMatchObject({
      language: 'en',
      printers: [{ id: 'zebra' }],
      routing: [{ printer: 'zebra' }],
    })
  })

  it('provides only its account again at each start without a keyring', async () => {
    const data = await temporaryFolder()
    const cipher = { ...reversingCipher, available: () => 'none' as const }
    const first = await startWith(data, found({ account, language: 'nl' }), { cipher })
    const services = first.services()
    if (!services.ok) throw new Error(services.error.message)
    services.value.settings.change({ language: 'en' })
    await first.stop()
    const second = await startWith(data, found({ account, language: 'nl' }), { cipher })
    expect((await second.status()).account).toMatchObject({ host: 'carrier.example' })
    expect(second.settings().language).toBe('en')
  })

  it('provides its account without a keyring also when the rest of it no longer fits what people changed', async () => {
    const data = await temporaryFolder()
    const cipher = { ...reversingCipher, available: () => 'none' as const }
    const content = { account, printers }
    const first = await startWith(data, found(content), { cipher })
    const services = first.services()
    if (!services.ok) throw new Error(services.error.message)
    const office = { driver: 'folder' as const, id: 'office', path: 'out' }
    const own = {
      printers: [...services.value.settings.current().printers, office],
      routing: [{ printer: 'office' }],
    }
    expect(services.value.settings.change(own)).toMatchObject({ ok: true })
    await first.stop()
    const second = await startWith(data, found(content), { cipher })
    expect((await second.status()).account).toMatchObject({ host: 'carrier.example' })
    expect((await getNotices(second)).map(({ code }) => code)).not.toContain('station-file-invalid')
    expect(second.settings().routing).toEqual(own.routing)
  })

  it('that holds secrets is reported by a notice that names it and does not advise to delete it', async () => {
    const secrets = { baseUrl: account.baseUrl, user: 'station-1', password: 'a long password' }
    const station = await startWith(await temporaryFolder(), found({ account: secrets }, {}))
    const notices = (await getNotices(station)).filter(({ code }) => code.endsWith('holds-secrets'))
    expect(notices).toMatchObject([{ code: 'station-file-holds-secrets', details: { path } }])
  })

  it('does not bring an account back that somebody forgot where a keyring keeps it', async () => {
    const data = await temporaryFolder()
    const first = await startWith(data, found({ account }))
    const services = first.services()
    if (!services.ok) throw new Error(services.error.message)
    services.value.session.forget()
    await first.stop()
    const second = await startWith(data, found({ account }))
    expect((await second.status()).account).toMatchObject({ state: 'none' })
  })

  it('provides its account again as soon as there is a keyring to keep it', async () => {
    const data = await temporaryFolder()
    const cipher = { ...reversingCipher, available: () => 'none' as const }
    const first = await startWith(data, found({ account }), { cipher })
    await first.stop()
    const second = await startWith(data, found({ account }))
    expect((await second.status()).account).toMatchObject({ host: 'carrier.example', storage: 'keyring' })
  })

  it('provides a changed account at each start with a locked keyring, until an unlocked one keeps it; a later account stays', async () => {
    const data = await temporaryFolder()
    const first = await startWith(data, found({ account }))
    await first.stop()
    const other = { ...account, baseUrl: 'https://other.example/api' }
    const stillLocked = async () => false
    const cipher = {
      ...{ ...reversingCipher, available: () => 'locked' as const },
      ...{ checkUnlocked: stillLocked, unlock: stillLocked },
    }
    for (const _ of ['first', 'second']) {
      const locked = await startWith(data, found({ account: other }), { cipher })
      const { account, notices } = await locked.status()
      expect(account).toMatchObject({ host: 'other.example', storage: 'memory' })
      expect(notices.map(({ code }) => code)).toContain('credentials-not-stored')
      await locked.stop()
    }
    let kind: 'locked' | 'keyring' = 'locked'
    const unlock = async () => {
      kind = 'keyring'
      return true
    }
    const unlocked = await startWith(data, found({ account: other }), {
      cipher: { ...reversingCipher, available: () => kind, unlock },
    })
    const services = unlocked.services()
    if (!services.ok) throw new Error(services.error.message)
    await services.value.handlers.testAccount(undefined)
    expect(services.value.session.status()).toMatchObject({ host: 'other.example', storage: 'keyring' })
    const typed = { baseUrl: 'https://typed.example/api', user: 'station-2', password: 'a long password' }
    services.value.session.provision(typed)
    await unlocked.stop()
    const last = await startWith(data, found({ account: other }))
    expect((await last.status()).account).toMatchObject({ host: 'typed.example' })
  })

  it('with an error changes nothing, is reported in a notice, and is applied at the next start without the error', async () => {
    const data = await temporaryFolder()
    const first = await startWith(data, found({ account, language: 'nl' }, {}))
    expect(first.settings().language).toBe('en')
    expect(await getNotices(first)).toContainEqual(
      expect.objectContaining({
        code: 'station-file-invalid',
        details: { path, reason: expect.stringContaining('STATION_USER is not set') },
      }),
    )
    await first.stop()
    const second = await startWith(data, found({ account, language: 'nl' }))
    expect(second.settings().language).toBe('nl')
    expect(await getNotices(second)).not.toContainEqual(
      expect.objectContaining({ code: 'station-file-invalid' }),
    )
  })

  it('is recorded again when the earlier record was written incompletely', async () => {
    const data = await temporaryFolder()
    await writeFile(join(data, 'station-file.json'), '')
    const station = await startWith(data, found({ language: 'nl' }))
    expect(station.settings().language).toBe('nl')
    expect(await getNotices(station)).toEqual([])
    expect(await readFile(join(data, 'station-file.json'), 'utf8')).toContain('sha256')
  })

  it('is applied even when it cannot be recorded, which a notice reports', async () => {
    const data = await temporaryFolder()
    await mkdir(join(data, 'station-file.json', 'in-the-way'), { recursive: true })
    await mkdir(join(data, 'station-file.json.aside', 'in-the-way'), { recursive: true })
    const station = await startWith(data, found({ language: 'nl' }))
    expect(station.settings().language).toBe('nl')
    const { startError, notices } = await station.status()
    expect(startError).toBeNull()
    expect(notices).toContainEqual(expect.objectContaining({ code: 'station-file-not-noted' }))
  })

  it.each(['untrusted', 'unreadable'] as const)(
    'is not used, and is named in a notice, when it is %s',
    async (kind) => {
      const refusal = { kind, path, reason: 'it belongs to user 1000' }
      const station = await startWith(await temporaryFolder(), {
        file: { ok: false, error: refusal },
        environment: {},
      })
      expect(await getNotices(station)).toContainEqual(
        expect.objectContaining({ code: `station-file-${kind}`, details: { path, reason: refusal.reason } }),
      )
    },
  )
})

describe('a file of --provision', () => {
  it('with an error that only the running station can see is reported on standard error, in its log and in a notice', async () => {
    const data = await temporaryFolder()
    const provision = join(data, 'own.json')
    const output = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => output.mockRestore())
    const log = { ...silentLog, warn: vi.fn() }
    const own = { account, language: 'nl', retentionDays: 0 }
    await plainJsonFile(provision).write(own)
    const station = await startWith(data, { file: ok(undefined), environment: {} }, { provision, log })
    expect(station.settings().language).toBe('en')
    const notice = {
      code: 'provisioning-failed',
      details: { path: provision, reason: expect.stringContaining('STATION_USER is not set') },
    }
    expect(await getNotices(station)).toContainEqual(expect.objectContaining(notice))
    expect(log.warn).toHaveBeenCalledWith(expect.stringContaining(provision), { code: notice.code })
    expect(output).toHaveBeenCalledWith(expect.stringContaining('STATION_USER is not set'))
  })

  it('is no longer reported once it has been corrected and applied', async () => {
    const data = await temporaryFolder()
    const provision = join(data, 'own.json')
    const output = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => output.mockRestore())
    await writeFile(provision, '{ "language": "de" }')
    const station = await startWith(data, { file: ok(undefined), environment: {} }, { provision })
    const wasNotApplied = expect.objectContaining({ code: 'provisioning-failed' })
    expect(await getNotices(station)).toContainEqual(wasNotApplied)
    const mark = createStationFileMark(
      plainJsonFile(join(data, 'station-file.json')),
      plainJsonFile(join(data, 'settings.json')),
    )
    const handed = createProvisioningQueue(
      station,
      { file: ok(undefined), environment: {}, mark },
      createEventBus(),
    )
    await writeFile(provision, '{ "language": "nl" }')
    await handed.enqueue({ provision, environment: {} })
    expect(station.settings().language).toBe('nl')
    expect(await getNotices(station)).not.toContainEqual(wasNotApplied)
  })

  it('with an account is not applied in the demo, and a notice says why', async () => {
    const data = await temporaryFolder()
    const provision = join(data, 'own.json')
    const output = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => output.mockRestore())
    const given = { baseUrl: 'https://carrier.example', user: 'station-7', password: 'a long password' }
    await plainJsonFile(provision).write({ account: given, language: 'nl' })
    const simulatorUrl = 'http://127.0.0.1:40123/api'
    const nothing = { file: ok(undefined), environment: {} }
    const station = await startWith(data, nothing, { provision, simulatorUrl })
    const { account: present, language, notices } = await station.status()
    expect({ present, language }).toMatchObject({ present: { state: 'none' }, language: 'en' })
    const reason = expect.stringContaining('The demo uses only its simulator')
    expect(notices).toContainEqual(
      expect.objectContaining({ code: 'provisioning-failed', details: { path: provision, reason } }),
    )
  })

  it('that holds secrets is reported by one notice, however often it is applied', async () => {
    const station = await startWith(await temporaryFolder(), { file: ok(undefined), environment: {} })
    for (const language of ['nl', 'en'] as const) {
      await station.provision({ settingsChange: { language }, holdsSecrets: true })
    }
    const notices = await getNotices(station)
    expect(notices.filter(({ code }) => code === 'provisioning-holds-secrets')).toHaveLength(1)
  })
})
