import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { describe, expect, it, vi } from 'vitest'
import { startKeyring, whyNoKeyring } from '../support/keyring'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { launch } from './support/drivenApp'
import { startPlain } from './support/electron'
import { provisionSwitch, stationProvisioning } from './support/provisioned'

const missing = whyNoKeyring()

/** An order in the service's field names; the other fields come from the station's defaults. */
const order = {
  reference: 'ORDER-1',
  first_name: 'Jannie',
  last_name: 'de Vries',
  street: 'Keizersgracht',
  house_number: '12A',
  postal_code: '1015 CJ',
  city: 'Amsterdam',
}

function getLog(data: string): Promise<string> {
  return readFile(join(data, 'logs', 'packbench.log'), 'utf8').catch(() => '')
}

async function getAccount(page: Page) {
  const status = await page.evaluate(() => window.packbench.getAppStatus(undefined))
  return status.ok ? status.value.account : undefined
}

describe.skipIf(missing !== undefined)(`a keyring${missing ? ` (${missing})` : ''}`, () => {
  it('stores the account of a kiosk without a desktop, and blocks only the account while it is locked', async () => {
    const folder = await temporaryFolder()
    const data = join(folder, 'data')
    const simulator = await testSimulator()
    const keyring = await startKeyring()
    const provision = await provisionSwitch(folder, {
      ...stationProvisioning(simulator.baseUrl),
      hotFolder: { path: 'exchange', print: true },
    })
    const env = { ...keyring.env, XDG_CURRENT_DESKTOP: '', DESKTOP_SESSION: '' }
    const first = await launch(data, [provision], env)
    expect(await first.page.evaluate(() => window.packbench.testAccount(undefined))).toMatchObject({
      value: { state: 'connected', storage: 'keyring' },
    })
    await first.close()

    await keyring.lock()
    const plain = startPlain(data, ['--hidden'], env)
    await writeFile(join(data, 'exchange', 'in', 'ORDER-1.json'), JSON.stringify(order))
    await vi.waitFor(async () => expect(await getLog(data)).toContain('"code":"vault-locked"'), {
      timeout: 40_000,
    })
    plain.process.kill('SIGTERM')
    expect(await plain.ended).toBe(0)

    const { page } = await launch(data, [], env)
    expect(await getAccount(page)).toMatchObject({ state: 'locked', error: { code: 'vault-locked' } })
    await page.getByText('keyring is locked').first().waitFor()
    await page.getByRole('button', { name: 'Unlock and try again' }).waitFor()
    await page.getByText('The keyring is locked: new credentials').waitFor()
    expect(await page.getByText('has no keyring').count()).toBe(0)
    const status = await page.evaluate(() => window.packbench.getAppStatus(undefined))
    expect(status.ok && status.value.notices.map(({ code }) => code)).not.toContain('credentials-in-memory')
    await keyring.unlock()
    await vi.waitFor(
      async () =>
        expect(await getAccount(page)).toMatchObject({ state: 'connected', storage: 'keyring', error: null }),
      { timeout: 40_000 },
    )
    await vi.waitFor(() => expect(existsSync(join(data, 'exchange', 'done', 'ORDER-1.json'))).toBe(true), {
      timeout: 40_000,
    })
  })
})

describe('an environment variable that accepts every certificate', () => {
  it('is refused with one line and exit code 2', async () => {
    const data = join(await temporaryFolder(), 'data')
    const started = startPlain(data, [], { NODE_TLS_REJECT_UNAUTHORIZED: '0' })
    expect(await started.ended).toBe(2)
    expect(started.stderr().match(/NODE_TLS_REJECT_UNAUTHORIZED=0 is set/g)).toHaveLength(1)
    expect(existsSync(join(data, 'packbench.db'))).toBe(false)
  })
})
