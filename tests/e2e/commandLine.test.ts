import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { createClockRepository } from '../../src/main/app/clockRepository'
import { closeDatabase } from '../../src/main/storage/openDatabase'
import { defaultSettings } from '../../src/shared/settings'
import { openTestDatabase } from '../support/databaseWorker'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { launch } from './support/drivenApp'
import { startPlain } from './support/electron'
import { provisionSwitch, stationProvisioning } from './support/provisioned'

const getMode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

describe('command line switches', () => {
  it('--version and --help print, exit with 0 and leave the data folder untouched', async () => {
    const folder = join(await temporaryFolder(), 'data')
    const version = startPlain(folder, ['--version'])
    expect(await version.ended).toBe(0)
    expect(version.stdout()).toMatch(/^Packbench \d+\.\d+\.\d+$/m)
    const help = startPlain(folder, ['--help'])
    expect(await help.ended).toBe(0)
    expect(help.stdout()).toContain('--provision=FILE')
    // Chromium creates the given folder, but it contains no file of Packbench.
    for (const part of ['packbench.db', 'settings.json', 'logs']) {
      await expect(stat(join(folder, part))).rejects.toThrow()
    }
  })

  it('a switch without its value is rejected by name', async () => {
    const app = startPlain(await temporaryFolder(), ['--provision='])
    expect(await app.ended).toBe(2)
    expect(app.stderr()).toContain('--provision needs a value')
  })

  it.each([
    ['--hiden', '--hiden is not a switch of Packbench: write --hidden, or --help to see all switches.'],
    ['--hidden=1', '--hidden takes no value: write --hidden alone.'],
    ['--demo=yes', '--demo takes no value: write --demo alone.'],
  ])('%s is rejected with one line before a database is created', async (argument, words) => {
    const folder = join(await temporaryFolder(), 'data')
    const app = startPlain(folder, [argument])
    expect(await app.ended).toBe(2)
    expect(app.stderr().split('\n')).toContain(words)
    await expect(stat(join(folder, 'packbench.db'))).rejects.toThrow()
  })

  it('Chromium’s own switches are accepted', async () => {
    const app = startPlain(await temporaryFolder(), ['--disable-gpu', '--lang=nl', '--version'])
    expect(await app.ended).toBe(0)
    expect(app.stdout()).toMatch(/^Packbench \d/m)
  })

  it('SIGINT makes a hidden station exit cleanly', async () => {
    const folder = await temporaryFolder()
    const app = startPlain(folder, ['--hidden'])
    await expect.poll(() => readFile(join(folder, 'packbench.db')).catch(() => undefined)).toBeDefined()
    app.process.kill('SIGINT')
    expect(await app.ended).toBe(0)
    expect(await readFile(join(folder, 'logs', 'packbench.log'), 'utf8')).toContain('Packbench ends')
  })
})

describe('moving a station by the command line', () => {
  it('backs the station up while it runs, and restores it only after a confirmation of the consequences', async () => {
    const folder = await temporaryFolder()
    const [data, copies, moved] = ['data', 'copies', 'moved'].map((name) => join(folder, name))
    if (data === undefined || copies === undefined || moved === undefined) return
    await mkdir(data)
    await writeFile(
      join(data, 'settings.json'),
      JSON.stringify({ ...defaultSettings, labelHosts: ['10.0.0.8'] }),
    )
    const running = startPlain(data, ['--hidden'])
    await expect.poll(() => readFile(join(data, 'running.json')).catch(() => undefined)).toBeDefined()
    const backup = startPlain(data, [`--backup=${copies}`])
    expect(await backup.ended).toBe(0)
    expect(backup.stdout()).toContain('0 shipment(s)')
    expect(backup.stdout()).not.toContain('Nothing old was removed')
    const busy = startPlain(data, [`--restore=${copies}`, '--restore-confirmed'])
    expect(await busy.ended).toBe(1)
    expect(busy.stderr()).toContain('Nothing was changed')
    running.process.kill('SIGTERM')
    expect(await running.ended).toBe(0)
    expect(await readFile(join(data, 'logs', 'packbench.log'), 'utf8')).toContain('Packbench ends')
    await expect(stat(join(data, 'running.json'))).rejects.toThrow()

    const file = join(copies, '.packbench-backup')
    const unusable = startPlain(moved, [`--restore=${file}`])
    expect(await unusable.ended).toBe(1)
    expect(unusable.stderr()).toContain(file)
    const asked = startPlain(moved, [`--restore=${copies}`])
    expect(await asked.ended).toBe(2)
    expect(asked.stdout()).toContain('• Labels may be fetched from: 10.0.0.8')
    expect(asked.stdout()).toContain('it is NOT guarded')
    expect(asked.stdout()).toContain('until a provisioning file sets or removes the PIN')
    await expect(stat(join(moved, 'packbench.db'))).rejects.toThrow()
    const restored = startPlain(moved, [`--restore=${copies}`, '--restore-confirmed'])
    expect(await restored.ended).toBe(0)
    expect((await stat(join(moved, 'packbench.db'))).size).toBeGreaterThan(0)
  })

  it.runIf(process.platform === 'linux')(
    'a backup, a restore and diagnostics are made without a display, as over ssh',
    async () => {
      const data = await temporaryFolder()
      const copies = await temporaryFolder()
      const { page, close } = await launch(data)
      await page.evaluate(() => window.packbench.getAppStatus(undefined))
      await close()
      const noDisplay = { DISPLAY: '', WAYLAND_DISPLAY: '' }
      const run = async (argument: string) => {
        const app = startPlain(data, [argument], noDisplay)
        return { code: await app.ended, stdout: app.stdout() }
      }
      expect(await run(`--backup=${copies}`)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Nothing old was removed there: the station has no settings.json.'),
      })
      expect(await run(`--restore=${copies}`)).toMatchObject({ code: 2 })
      const file = join(copies, 'station.zip')
      expect(await run(`--export-diagnostics=${file}`)).toMatchObject({ code: 0 })
      expect(Object.keys(unzipSync(await readFile(file)))).toContain('about.json')
      const refused = await run(`--export-diagnostics=${join(copies, 'missing', 'station.zip')}`)
      expect(refused).toMatchObject({ code: 1 })
    },
  )

  it('a backup of a station that was closed for days removes nothing old, and says when this ends', async () => {
    const [data, copies] = [await temporaryFolder(), await temporaryFolder()]
    const database = await openTestDatabase(join(data, 'packbench.db'))
    if (!database.ok) throw new Error(database.error.message)
    await createClockRepository(database.value).write({
      trustedAt: '2026-01-01T00:00:00.000Z',
      trial: null,
      acceptedNumber: 0,
      misdated: null,
      correctedAt: null,
      removedAt: null,
    })
    await closeDatabase(database.value)
    const backup = startPlain(data, [`--backup=${copies}`])
    expect(await backup.ended).toBe(0)
    expect(backup.stdout()).toContain('Nothing old was removed there')
    expect(backup.stdout()).toContain('If the station was closed for that long, this ends')
  })

  it('a backup of a station whose settings cannot be used removes nothing old, and says why', async () => {
    const [data, copies] = [await temporaryFolder(), await temporaryFolder()]
    const database = await openTestDatabase(join(data, 'packbench.db'))
    if (!database.ok) throw new Error(database.error.message)
    await closeDatabase(database.value)
    await writeFile(join(data, 'settings.json'), '{ "backup": { "keep": 60 }')
    const old = Array.from({ length: 10 }, (_, index) => `packbench-2026-01-${index + 10}-0.db`)
    for (const name of old) await writeFile(join(copies, name), '')
    const backup = startPlain(data, [`--backup=${copies}`])
    expect(await backup.ended).toBe(0)
    expect(backup.stdout()).toContain('Nothing old was removed there')
    expect(backup.stdout()).toContain(join(data, 'settings.json'))
    expect(await readdir(copies)).toEqual(expect.arrayContaining(old))
  })
})

describe('restoring over a station with an unknown outcome', () => {
  it('is refused on the command line with the outcomes it would lose, unless a second switch confirms it', async () => {
    const folder = await temporaryFolder()
    const [data, copies, exchange] = [join(folder, 'data'), join(folder, 'copies'), join(folder, 'exchange')]
    const simulator = await testSimulator()
    const provision = await provisionSwitch(folder, {
      ...stationProvisioning(simulator.baseUrl),
      hotFolder: { path: exchange, print: true },
    })
    const app = startPlain(data, ['--hidden', provision])
    await expect.poll(() => stat(join(exchange, 'in')).catch(() => undefined)).toBeDefined()
    expect(await startPlain(data, [`--backup=${copies}`]).ended).toBe(0)
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'htmlError' }, times: 1 })
    const order = { reference: 'ORDER-1', last_name: 'de Vries', street: 'Damrak', city: 'Amsterdam' }
    await writeFile(join(exchange, 'a.json'), JSON.stringify(order))
    await rename(join(exchange, 'a.json'), join(exchange, 'in', 'a.json'))
    const result = join(exchange, 'failed', 'a.result.json')
    await expect.poll(() => readFile(result, 'utf8').catch(() => '')).toContain('"unknown"')
    app.process.kill('SIGTERM')
    expect(await app.ended).toBe(0)

    const restore = [`--restore=${copies}`, '--restore-confirmed']
    const refused = startPlain(data, restore)
    expect(await refused.ended).toBe(2)
    expect(refused.stdout()).toContain('1 unknown outcome(s)')
    expect(refused.stdout()).toContain('1 shipment(s) of the current database are not in the copy')
    expect(refused.stdout()).toContain('To restore it, add --forget-open-work.')
    expect((await readdir(data)).filter((name) => name.includes('set-aside'))).toEqual([])
    expect(await startPlain(data, [...restore, '--forget-open-work']).ended).toBe(0)
    expect((await readdir(data)).some((name) => name.startsWith('packbench.set-aside-'))).toBe(true)
  })
})

describe('SIGTERM while a shipment is being created', () => {
  it('waits for the answer if it arrives in time', async () => {
    const folder = await temporaryFolder()
    const data = join(folder, 'data')
    const exchange = join(folder, 'exchange')
    const simulator = await testSimulator()
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 600 } })
    const provision = await provisionSwitch(folder, {
      ...stationProvisioning(simulator.baseUrl),
      hotFolder: { path: exchange, print: true },
    })
    const app = startPlain(data, ['--hidden', provision])
    await expect.poll(() => stat(join(exchange, 'in')).catch(() => undefined)).toBeDefined()
    const order = { reference: 'ORDER-1', last_name: 'de Vries', street: 'Damrak', city: 'Amsterdam' }
    await writeFile(join(exchange, 'a.json'), JSON.stringify(order))
    await rename(join(exchange, 'a.json'), join(exchange, 'in', 'a.json'))
    await expect.poll(() => simulator.requests.filter((one) => one.operation === 'shipment').length).toBe(1)
    app.process.kill('SIGTERM')
    expect(await app.ended).toBe(0)
    const { page } = await launch(data)
    const found = await page.evaluate(() =>
      window.packbench.searchShipments({ text: '', onlyNeedingAttention: false, limit: 5 }),
    )
    expect(found).toMatchObject({
      ok: true,
      value: { shipments: [{ reference: 'ORDER-1', state: 'created' }] },
    })
  })
})

describe('a second start beside a running station', () => {
  it('hands its provisioning to the running station or writes an archive for this user only, and opens no second window', async () => {
    const folder = await temporaryFolder()
    const data = join(folder, 'data')
    const simulator = await testSimulator()
    const { page, app } = await launch(data)
    const provision = await provisionSwitch(folder, stationProvisioning(simulator.baseUrl))
    const handing = startPlain(data, [provision])
    expect(await handing.ended).toBe(0)
    expect(handing.stdout()).toContain('its window was brought to the front')
    const hidden = startPlain(data, ['--hidden'])
    expect(await hidden.ended).toBe(0)
    expect(hidden.stdout()).toContain('Packbench is running already.')
    expect(hidden.stdout()).not.toContain('window')
    await expect
      .poll(async () => {
        const settings = await page.evaluate(() => window.packbench.getSettings(undefined))
        return settings.ok ? settings.value.printers.length : 0
      })
      .toBe(1)
    expect(app.windows()).toHaveLength(1)
    const hide = () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide())
    const isVisible = () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible())
    await hide()
    expect(await startPlain(data, [`--restore=${folder}`]).ended).toBe(1)
    expect(await isVisible()).toBe(false)
    expect(await startPlain(data).ended).toBe(0)
    await expect.poll(isVisible).toBe(true)

    const file = join(folder, 'station.zip')
    const second = startPlain(data, [`--export-diagnostics=${file}`])
    expect(await second.ended).toBe(0)
    expect(second.stdout()).toContain(`Diagnostics were written to ${file}.`)
    expect(await getMode(file)).toBe('600')
    const parts = unzipSync(await readFile(file))
    expect(Object.keys(parts).sort()).toEqual(
      ['about.json', 'database.json', 'logs/packbench.log', 'problems.json', 'settings.json'].sort(),
    )
    expect(strFromU8(parts['database.json'] ?? new Uint8Array())).toContain('"kind": "sound"')
    expect(await page.evaluate(() => window.packbench.testAccount(undefined))).toMatchObject({ ok: true })

    const refused = startPlain(data, [`--export-diagnostics=${join(folder, 'missing', 'station.zip')}`])
    expect(await refused.ended).toBe(1)
    expect(refused.stderr()).toContain('station.zip')
  })
})

describe('provisioning', () => {
  it('sets up a station completely; its data folder contains the documented files, readable by this user only', async () => {
    const outer = await temporaryFolder()
    const folder = join(outer, 'data')
    const simulator = await testSimulator()
    const { page, close } = await launch(folder, [
      await provisionSwitch(outer, {
        ...stationProvisioning(simulator.baseUrl),
        language: 'nl',
        retentionDays: 30,
      }),
    ])
    const settings = await page.evaluate(() => window.packbench.getSettings(undefined))
    expect(settings).toMatchObject({
      ok: true,
      value: {
        carriers: [{ name: 'Parcel Standard', carrierId: 1, carrierOptionId: 11 }],
        shipmentDefaults: { createdBy: 'station-1', weight: 1, country: 'NL' },
        printers: [{ id: 'file', driver: 'folder' }],
        language: 'nl',
        retentionDays: 30,
      },
    })
    const status = await page.evaluate(() => window.packbench.getAppStatus(undefined))
    expect(status).toMatchObject({
      ok: true,
      value: { account: { host: new URL(simulator.baseUrl).host }, notices: expect.any(Array) },
    })
    expect(JSON.stringify(status)).toContain('provisioning-holds-secrets')
    expect(JSON.stringify([settings, status])).not.toMatch(/demo-password/)
    await close()
    for (const part of ['.', 'labels', 'logs'])
      expect([part, await getMode(join(folder, part))]).toEqual([part, '700'])
    for (const part of ['packbench.db', 'settings.json', 'logs/packbench.log']) {
      expect([part, await getMode(join(folder, part))]).toEqual([part, '600'])
    }
  })

  it('the demo refuses a file with an account, exits with 2 and changes nothing', async () => {
    const folder = await temporaryFolder()
    const provision = await provisionSwitch(folder, stationProvisioning('https://carrier.example/api'))
    const app = startPlain(join(folder, 'data'), ['--demo', provision])
    expect(await app.ended).toBe(2)
    expect(app.stderr()).toContain('The demo uses only its simulator')
    await expect(stat(join(folder, 'data', 'demo'))).rejects.toThrow()
  })

  it('the demo never works with the account that lies in its data folder', async () => {
    const data = await temporaryFolder()
    const simulator = await testSimulator()
    const vault = join(data, 'demo', 'vault.json')
    const station = await launch(join(data, 'demo'), [
      await provisionSwitch(data, stationProvisioning(simulator.baseUrl)),
    ])
    await station.page.evaluate(() => window.packbench.getAppStatus(undefined))
    await station.close()
    const before = await readFile(vault, 'utf8').catch(() => undefined)
    const demo = await launch(data, ['--demo'])
    const status = await demo.page.evaluate(() => window.packbench.getAppStatus(undefined))
    if (!status.ok) throw new Error(status.error.message)
    expect(status.value.account.host).toBe(new URL(status.value.simulatorUrl ?? '').host)
    const refused = await demo.page.evaluate(
      (baseUrl) => window.packbench.connectAccount({ baseUrl, user: 'station-7', password: 'hunter-2222' }),
      simulator.baseUrl,
    )
    expect(refused).toMatchObject({ ok: false, error: { code: 'not-in-demo' } })
    const restored = await demo.page.evaluate(() => window.packbench.restoreStation(undefined))
    expect(restored).toMatchObject({ ok: false, error: { code: 'not-in-demo' } })
    await demo.close()
    expect(await readFile(vault, 'utf8').catch(() => undefined)).toBe(before)
  })

  it('lists all errors of an invalid file, exits with 2 and changes nothing', async () => {
    const folder = await temporaryFolder()
    const data = join(folder, 'data')
    await mkdir(data)
    await writeFile(join(data, 'settings.json'), '{"version":1,"language":"nl"}')
    const app = startPlain(data, [
      await provisionSwitch(folder, {
        languag: 'en',
        retentionDays: 0,
        account: { baseUrl: 'http://carrier.example' },
      }),
    ])
    expect(await app.ended).toBe(2)
    const lines = app
      .stderr()
      .split('\n')
      .filter((line) => line !== '')
    expect(lines.some((line) => line.includes('languag'))).toBe(true)
    expect(lines.some((line) => line.includes('retentionDays'))).toBe(true)
    expect(lines.some((line) => line.includes('account'))).toBe(true)
    expect(await readFile(join(data, 'settings.json'), 'utf8')).toBe('{"version":1,"language":"nl"}')
    await expect(stat(join(data, 'packbench.db'))).rejects.toThrow()
  })
})
