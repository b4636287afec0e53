import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { listCrashDumps } from '../../src/main/app/crashes'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { launch } from './support/drivenApp'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { fillShipment, outcome } from './support/screens'

describe('a SIGKILL during a creation', { retry: 0 }, () => {
  it.each([
    ['before the service answers', { kind: 'hangAfterReading' as const }],
    ['while the answer is slow', { kind: 'slow' as const, ms: 10_000 }],
  ])('%s leaves the shipment unknown and locked, and never sends it again', async (_when, fault) => {
    const folder = await temporaryFolder()
    const data = join(folder, 'data')
    const simulator = await testSimulator()
    const provision = await provisionSwitch(folder, stationProvisioning(simulator.baseUrl))
    const { page, kill } = await launch(data, [provision])
    simulator.faults.add({ operation: 'shipment', fault, times: 1 })
    await fillShipment(page, { Reference: 'ORDER-1' })
    await page.keyboard.press('F9')
    await expect.poll(() => simulator.requests.filter((one) => one.operation === 'shipment').length).toBe(1)
    await kill()

    const again = await launch(data, [provision])
    // The database was not closed: on a slow machine its check takes longer than the start.
    const search = () =>
      again.page.evaluate(() =>
        window.packbench.searchShipments({ text: '', onlyNeedingAttention: true, limit: 5 }),
      )
    await expect
      .poll(search)
      .toMatchObject({ ok: true, value: { shipments: [{ reference: 'ORDER-1', state: 'unknown' }] } })
    await again.page.getByText(/Shipments in progress: 1, .* outcome unknown: 1\./).waitFor()
    await again.page
      .getByRole('region', { name: 'Notices' })
      .getByRole('button', { name: /diagnostics/i })
      .waitFor()
    await fillShipment(again.page, { Reference: 'ORDER-1' })
    await again.page.keyboard.press('F9')
    const { text } = await outcome(again.page, 'error')
    expect(text).toMatch(/An earlier attempt to ship ORDER-1 .* has an unknown outcome/)
    expect(simulator.requests.filter((one) => one.operation === 'shipment')).toHaveLength(1)
    await fillShipment(again.page, { Reference: 'ORDER-2' })
    await again.page.keyboard.press('F9')
    await outcome(again.page, 'created')
  })
})

/** Limits the wait to 2 s: a page that is being closed never answers. */
function withTimeout(request: Promise<unknown>): Promise<unknown> {
  return Promise.race([request.catch(() => ''), pause(2000, '')])
}

describe('a page that crashes', () => {
  it('is reopened with its input and a notice, and the crash dump stays in the data folder', async () => {
    const folder = await temporaryFolder()
    const data = join(folder, 'data')
    const simulator = await testSimulator()
    const provision = await provisionSwitch(folder, stationProvisioning(simulator.baseUrl))
    const { app, page } = await launch(data, [provision])
    await fillShipment(page, { Reference: 'ORDER-9', 'Last name': 'van Typed' })
    await page.getByLabel('Street', { exact: true }).fill('Typed Lane')
    // Playwright's page object becomes unusable when the page crashes, so scripts run through main.
    const inPage = (script: string) =>
      app.evaluate(
        ({ BrowserWindow }, text) => BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(text),
        script,
      )
    const pid = await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.getOSProcessId(),
    )
    // Main answers calls in order: after this one it has its copy of the draft.
    await inPage('window.packbench.getAppStatus().then(() => 1)')
    process.kill(Number(pid), 'SIGSEGV')
    const field = (name: string) =>
      withTimeout(inPage(`document.querySelector('input[data-field="${name}"]')?.value ?? ''`))
    await expect.poll(() => field('lastName'), { timeout: 20_000 }).toBe('van Typed')
    expect(await field('reference')).toBe('ORDER-9')
    expect(await field('street')).toBe('Typed Lane')
    await expect.poll(() => withTimeout(inPage('document.body.innerText'))).toContain('The window crashed')
    await expect.poll(async () => (await listCrashDumps(join(data, 'crashes'))).length).toBe(1)
  })
})
