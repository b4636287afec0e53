import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { checkProvisioning } from '../../../src/main/app/checkProvisioning'
import { plainJsonFile } from '../../support/plainJsonFile'
import { temporaryFolder } from '../../support/temporaryFolder'

// This module needs Electron's store.
vi.mock('../../../src/main/app/configFile', () => ({
  openConfigFile: (folder: string, name: string) => plainJsonFile(join(folder, `${name}.json`)),
}))

it('a provisioning file does not keep a start with unusable settings from showing its error, unless the file is invalid', async () => {
  const dataFolder = await temporaryFolder()
  await writeFile(join(dataFolder, 'settings.json'), '{"version":1,"retentionDays":"many"}')
  const provision = join(dataFolder, 'provision.json')
  const check = () => checkProvisioning({ provision, dataFolder, demo: false }, {}, undefined)
  await writeFile(provision, '{"retentionDays":30}')
  expect(await check()).toEqual([])
  await writeFile(provision, '{"retentionDays":0}')
  expect(await check()).toEqual([expect.stringContaining('retentionDays')])
})

it('a provisioning file with an account does not start the demo, and one without starts it', async () => {
  const dataFolder = await temporaryFolder()
  const provision = join(dataFolder, 'provision.json')
  const check = () => checkProvisioning({ provision, dataFolder, demo: true }, {}, undefined)
  const account = { baseUrl: 'https://carrier.example/api', user: 'station-7', password: 'hunter-2222' }
  await writeFile(provision, JSON.stringify({ account }))
  expect(await check()).toEqual([expect.stringContaining('The demo uses only its simulator')])
  await writeFile(provision, '{"retentionDays":30}')
  expect(await check()).toEqual([])
})
