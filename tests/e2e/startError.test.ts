import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Libsql from 'libsql'
import { describe, expect, it } from 'vitest'
import { migrations } from '../../src/main/storage/migrations'
import { sampleDraft } from '../support/screenSamples'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { answerDialogs } from './support/dialogs'
import { launch } from './support/drivenApp'
import { provisionSwitch, stationProvisioning } from './support/provisioned'

/** Writes a database of the first version of Packbench, large enough that its migration takes visible time. */
function writeLargeFirstDatabase(path: string, shipments: number): void {
  const old = new Libsql(path)
  old.exec(`${migrations[0]}; pragma user_version = 1;
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${shipments})
    insert into shipments (id, attempt_id, reference, state, origin, draft, recipient, city, country, carrier_option_id,
      print, taken_at, barcodes, search_text)
    select printf('0b0f1c52-58a5-4a0e-9d7e-%012d', n), printf('0b0f1c52-58a5-4a0e-9d7f-%012d', n), 'ORDER-' || n, 'created', 'screen',
      '${JSON.stringify(sampleDraft({ reference: 'ORDER-0' }))}', 'de Vries', 'Amsterdam', 'NL', 1, 1,
      '${new Date().toISOString()}', '["3SFIRST' || n || '"]', 'order' || n from numbers`)
  old.close()
}

describe('a database of an earlier version', () => {
  it('is migrated while the window shows the progress, and the app then continues', async () => {
    const folder = await temporaryFolder()
    writeLargeFirstDatabase(join(folder, 'packbench.db'), 60_000)
    const { page } = await launch(folder)
    await page.getByRole('heading', { name: 'Packbench gets ready after an update' }).waitFor()
    await page.getByRole('progressbar').waitFor()
    await page.getByRole('heading', { name: 'Set up this station' }).waitFor({ timeout: 60_000 })
  })
})

describe('the start of the app', () => {
  it('names one defect after another, leaves each file unchanged, and succeeds once none is left', async () => {
    const folder = await temporaryFolder()
    const simulator = await testSimulator()
    const foreignVault = JSON.stringify({
      version: 1,
      storage: 'keyring',
      account: Buffer.from('other').toString('base64'),
    })
    await writeFile(join(folder, 'vault.json'), foreignVault)
    const settings = join(folder, 'settings.json')
    const path = join(folder, 'packbench.db')
    await writeFile(settings, '{ "version": 1, "retentionDays": "ninety" }')
    const { page, app } = await launch(folder)
    const tryAgain = () => page.getByRole('button', { name: 'Try again' }).click()

    // A settings file with a mistake, which is corrected.
    await page
      .getByText(/retentionDays/)
      .first()
      .waitFor()
    await page.getByText(settings).first().waitFor()
    expect(await readFile(settings, 'utf8')).toBe('{ "version": 1, "retentionDays": "ninety" }')

    // The settings file, corrected by an editor that saves a byte order mark, and a database of a newer version.
    await writeFile(settings, '\uFEFF{ "version": 1, "retentionDays": 30 }')
    const newer = new Libsql(path)
    newer.exec('create table later (x); pragma user_version = 99;')
    newer.close()
    const before = await readFile(path)
    await tryAgain()
    await page
      .getByText(/newer Packbench/)
      .first()
      .waitFor()
    expect((await readFile(path)).equals(before)).toBe(true)

    // A database that another program has locked, which is opened automatically once it is free.
    await rm(path)
    const holder = new Libsql(path)
    holder.exec('pragma locking_mode = exclusive; create table held (x); begin exclusive;')
    await tryAgain()
    await page
      .getByText(/Another program has the database/)
      .first()
      .waitFor()
    holder.exec('rollback')
    holder.close()

    // A vault of another computer: the credentials are asked for again.
    await page.getByRole('heading', { name: 'Set up this station' }).waitFor()
    await page
      .getByText(/can.t be opened on this computer/)
      .first()
      .waitFor()
    expect(await readFile(join(folder, 'vault.json'), 'utf8')).toBe(foreignVault)
    // The service of the unreadable account is unknown, so main asks for consent to this one.
    const questions = await answerDialogs(app, 0)
    await page.getByLabel('Base URL').fill(simulator.baseUrl)
    await page.getByLabel('User name').fill('demo-station')
    await page.getByLabel('Password', { exact: true }).fill('demo-password')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByText('Packbench Demo Warehouse').first().waitFor()
    expect(await questions()).toHaveLength(1)
    const vaults = (await readdir(folder)).filter((name) => name.startsWith('vault'))
    expect(await Promise.all(vaults.map((name) => readFile(join(folder, name), 'utf8')))).toContain(
      foreignVault,
    )
  })

  it('offers to set a settings file aside that is not JSON', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'settings.json'), '{ "version": 1,')
    const { page } = await launch(folder)
    await page.getByRole('button', { name: /Keep that file aside/ }).click()
    await page.getByRole('button', { name: 'Start with default settings', exact: true }).click()
    await page.getByRole('heading', { name: 'Set up this station' }).waitFor()
    const kept = (await readdir(folder)).filter((name) => name.startsWith('settings.set-aside'))
    expect(kept).toHaveLength(1)
    expect(await readFile(join(folder, kept[0] ?? ''), 'utf8')).toBe('{ "version": 1,')
  })

  it('names a damaged database, and leaves it unchanged', async () => {
    const folder = await temporaryFolder()
    const path = join(folder, 'packbench.db')
    await writeFile(path, 'this is no database at all, but a text that is long enough to look at'.repeat(100))
    const before = await readFile(path)
    const { page } = await launch(folder)
    await page.getByText(path).first().waitFor()
    expect((await readFile(path)).equals(before)).toBe(true)
  })

  it('uses a settings file of a newer version, reports it in a notice and the log, and keeps its unknown keys', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'settings.json')
    const newer = {
      version: 2,
      language: 'nl',
      theme: { accent: 'teal' },
      scanBack: { on: false, sound: 'beep' },
    }
    await writeFile(file, JSON.stringify(newer))
    const simulator = await testSimulator()
    const outer = await temporaryFolder()
    const { page } = await launch(folder, [
      await provisionSwitch(outer, { ...stationProvisioning(simulator.baseUrl), language: 'nl' }),
    ])
    await page.getByText('door een nieuwere Packbench geschreven (instellingenversie 2)').waitFor()
    await page.getByText('sleutels die deze versie niet kent: scanBack.sound, theme.').waitFor()
    const kept: unknown = JSON.parse(await readFile(file, 'utf8'))
    expect(kept).toMatchObject({ ...newer, printers: [{ id: 'file' }] })
    const log = await readFile(join(folder, 'logs', 'packbench.log'), 'utf8')
    expect(log).toMatch(/"code":"settings-newer"/)
    expect(log).toMatch(/"code":"settings-keys-unknown"/)
  })

  it('names a data folder that can’t be created', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'file'), '')
    const wanted = join(folder, 'file', 'data')
    const { page } = await launch(wanted)
    await page.getByText(wanted).first().waitFor()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe('')
  })
})
