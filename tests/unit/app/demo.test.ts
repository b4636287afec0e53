import { expect, it } from 'vitest'
import { createDemoFile, permitCall, permitProvisioning } from '../../../src/main/app/demo'
import type { Provisioning } from '../../../src/main/settings/provisioning'
import { fleetSettingsSchema } from '../../../src/shared/fleet'
import { orderImportSchema } from '../../../src/shared/orders'
import { hotFolderSchema } from '../../../src/shared/settings'

const simulatorUrl = 'http://127.0.0.1:40123/api'
const refused = { ok: false, error: { code: 'not-in-demo' } }
const credentials = { user: 'station-7', password: 'hunter-2222' }
const account = { baseUrl: 'https://carrier.example/api', ...credentials }
const fleet = fleetSettingsSchema.parse({
  ...{ host: 'db.example', port: 5432, database: 'packbench', user: 'packbench', station: 'Bench 1' },
})
const orderImport = orderImportSchema.parse({ path: '/orders' })

it.each(['https://carrier.example/api', 'http://127.0.0.1:40124/api', 'http://localhost:40123/api'])(
  'the demo connects no account at %s',
  (baseUrl) => {
    expect(permitCall('connectAccount', { baseUrl, ...credentials }, simulatorUrl)).toMatchObject(refused)
    expect(permitCall('connectAccount', { baseUrl, ...credentials }, null)).toMatchObject({ ok: true })
  },
)

it('the demo connects the account at its simulator again', () => {
  const again = { baseUrl: ` ${simulatorUrl}/ `, ...credentials }
  expect(permitCall('connectAccount', again, simulatorUrl)).toMatchObject({ ok: true })
})

it('the demo joins no fleet, restores no copy of a station, and changes its other settings', () => {
  expect(permitCall('changeSettings', { fleet }, simulatorUrl)).toMatchObject(refused)
  expect(permitCall('testFleet', { settings: fleet, password: null }, simulatorUrl)).toMatchObject(refused)
  expect(permitCall('restoreStation', undefined, simulatorUrl)).toMatchObject(refused)
  expect(permitCall('changeSettings', { fleet: null, orderImport }, simulatorUrl)).toMatchObject({ ok: true })
  expect(permitCall('getSettings', undefined, simulatorUrl)).toMatchObject({ ok: true })
  expect(permitCall('restoreStation', undefined, null)).toMatchObject({ ok: true })
})

it.each<[part: string, Omit<Provisioning, 'holdsSecrets'>]>([
  ['an account', { account: { ...account, allowWeakStorage: false }, settingsChange: {} }],
  ['a fleet', { settingsChange: { fleet } }],
  ['an import folder', { settingsChange: { orderImport } }],
])('the demo takes no provisioning file with %s', (_part, parts) => {
  expect(permitProvisioning({ ...parts, holdsSecrets: false }, true)).toMatchObject(refused)
  expect(permitProvisioning({ ...parts, holdsSecrets: false }, false)).toMatchObject({ ok: true })
})

it('the demo takes a provisioning file with printers and a hot folder of its own', () => {
  const settingsChange = {
    printers: [{ id: 'file', driver: 'folder', path: 'out' } as const],
    hotFolder: hotFolderSchema.parse({ path: 'exchange' }),
    ...{ fleet: null, orderImport: null },
  }
  expect(permitProvisioning({ settingsChange, holdsSecrets: false }, true)).toMatchObject({ ok: true })
})

it('the demo starts without the account that lies in its data folder, and keeps its own until it ends', () => {
  const file = createDemoFile({ path: '/data/demo/vault.json' })
  expect(file.read()).toBeUndefined()
  file.write({ version: 1, storage: null, account: null })
  expect(file.read()).toEqual({ version: 1, storage: null, account: null })
})
