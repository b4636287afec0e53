import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFile, realpath, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenOnLoopback } from '../support/loopback'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { launch } from './support/drivenApp'
import { electron } from './support/electron'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { fillShipment, open, outcome } from './support/screens'

const run = promisify(execFile)
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const signingKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const signer = join(import.meta.dirname, '..', '..', 'build', 'packaging', 'signChannel.mjs')

/** A web server with a newer version, which writes its path, arguments and rights into `marker` when it is started. */
async function serveUpdate(marker: string): Promise<string> {
  const folder = await temporaryFolder()
  await writeFile(
    join(folder, `Packbench-99.0.0-${process.arch}.AppImage`),
    `#!/bin/sh\n{ echo "$0 $*"; grep NoNewPrivs /proc/$$/status; } > ${marker}\n`,
  )
  const env = { ...process.env, UPDATE_SIGNING_KEY: signingKey }
  await run(process.execPath, [signer, `--folder=${folder}`, '--version=99.0.0'], { env })
  const server = createServer((request, response) => {
    readFile(join(folder, (request.url ?? '').slice(1))).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    )
  })
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${await listenOnLoopback(server)}`
}

const readIfThere = (path: string) => readFile(path, 'utf8').catch(() => '')

describe.skipIf(process.platform !== 'linux')('an update of an AppImage', () => {
  it('is downloaded, waits for an unknown outcome, replaces the app and is started', async () => {
    const folder = await temporaryFolder()
    const simulator = await testSimulator()
    const marker = join(folder, 'started')
    const appImage = join(folder, 'Packbench.AppImage')
    await writeFile(appImage, '#!/bin/sh\necho the version before\n', { mode: 0o755 })
    const updates = { url: await serveUpdate(marker), channel: 'stable' }
    const provision = await provisionSwitch(folder, { ...stationProvisioning(simulator.baseUrl), updates })
    const { app, page, complaints } = await launch(join(folder, 'data'), [provision], {
      APPIMAGE: appImage,
      APPDIR: dirname(await realpath(electron().binary)),
      PACKBENCH_UPDATE_KEY: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    })
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'htmlError' }, times: 1 })
    await fillShipment(page, { Reference: 'ORDER-1' })
    await page.keyboard.press('F9')
    await outcome(page, 'unknown')

    await open(page, 'Settings')
    await page.getByRole('tab', { name: 'Station' }).click()
    await page.getByRole('button', { name: 'Look for updates' }).click()
    await page.getByText('Version 99.0.0 is ready.').waitFor()
    await page.getByText('It waits: an outcome is unknown. Resolve it first.').waitFor()
    const restart = page.getByRole('button', { name: 'Restart to update' })
    expect(await restart.isDisabled()).toBe(true)
    // A direct call of the bridge is refused as well.
    expect(await page.evaluate(() => window.packbench.restartToUpdate(undefined))).toMatchObject({
      ok: false,
      error: { code: 'update-not-now' },
    })
    expect(await readFile(appImage, 'utf8')).toContain('the version before')

    await page.evaluate(async () => {
      const found = await window.packbench.findEarlierShipments({ reference: 'ORDER-1' })
      const shipmentId = found.ok ? (found.value[0]?.shipmentId ?? '') : ''
      await window.packbench.resolveShipment({ shipmentId, verdict: 'does-not-exist' })
    })
    await page.getByText('It waits: an outcome is unknown.').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    const ended = once(app.process(), 'exit')
    await restart.click()
    await ended
    // With the flag, neither the setuid sandbox nor the mount of an AppImage would work.
    await expect.poll(() => readIfThere(marker)).toMatch(/^NoNewPrivs:\t0$/m)
    expect(await readIfThere(marker)).toContain(appImage)
    expect(await readIfThere(marker)).toContain('--user-data-dir=')
    // Its file was applied, and may be gone by now.
    expect(await readIfThere(marker)).not.toContain('--provision')
    expect(await readFile(`${appImage}.before`, 'utf8')).toContain('the version before')
  })
})
