import { generateKeyPairSync } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Agent } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signChannel, toPublicKey } from '../../../build/packaging/signChannel.mjs'
import { Updater, type UpdaterDeps } from '../../../src/main/updates/updater'
import { type UpdateHold, updateHoldSchema } from '../../../src/shared/updates'
import { deferred } from '../../support/deferred'
import { listenOnLoopback } from '../../support/loopback'
import { importOrderRows, listOrders, orderRow } from '../../support/orderRows'
import { plainJsonFile } from '../../support/plainJsonFile'
import { createStubDrivers } from '../../support/printing/stubDriver'
import { ship, shipAndPrint } from '../../support/ship'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

const { privateKey } = generateKeyPairSync('ed25519')
const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const name = 'Packbench-0.2.0-x64.AppImage'
const now = new Date('2026-11-22T12:00:00Z')

/** A folder with an update on a plain web server. */
async function serveUpdate(
  { rollout = 100, version = '0.2.0', signedWith = key } = {},
  answer?: (request: IncomingMessage, response: ServerResponse) => boolean,
) {
  const folder = await temporaryFolder()
  await writeFile(join(folder, name.replace('0.2.0', version)), `update ${'x'.repeat(300_000)}`)
  const channel = await signChannel({ folder, channel: 'stable', rollout, version, key: signedWith, now })
  await writeFile(join(folder, 'stable.json'), channel)
  /** Signs the channel again for the packages in the folder. */
  const publish = async (change: { rollout: number; now?: Date; validDays?: number }) =>
    writeFile(
      join(folder, 'stable.json'),
      await signChannel({ folder, channel: 'stable', version, key: signedWith, now, ...change }),
    )
  const server = createServer((request, response) => {
    if (answer?.(request, response)) return
    readFile(join(folder, (request.url ?? '').replace('/packbench/', ''))).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    )
  })
  const port = await listenOnLoopback(server)
  onTestFinished(() => void server.close())
  return { folder, publish, url: `http://127.0.0.1:${port}/packbench` }
}

async function updaterAt(url: string, change: Partial<UpdaterDeps> = {}) {
  const folder = join(await temporaryFolder(), 'updates')
  const placed: string[] = []
  const shares: number[] = []
  const updater: Updater = new Updater({
    method: {
      ...{ version: '0.1.0', target: 'linux-x64-AppImage', station: 'bench-1', publicKey: toPublicKey(key) },
      async replace(file) {
        placed.push(await readFile(file, 'utf8'))
        return null
      },
    },
    settings: () => ({ url, channel: 'stable' }),
    folder,
    channelsFile: plainJsonFile(join(folder, '..', 'channels.json')),
    dispatcher: async () => new Agent(),
    findHold: async () => null,
    onChange: () => void updater.status().then(({ progress }) => shares.push(progress)),
    log: silentLog,
    now: () => now,
    ...change,
  })
  onTestFinished(() => updater.stop())
  return { updater, folder, placed, shares }
}

const filesIn = (folder: string) => readdir(folder).catch(() => [])

describe('an update', () => {
  it('is downloaded in the background and installed only on request', async () => {
    const { url } = await serveUpdate()
    const { updater, placed, shares } = await updaterAt(url)
    await updater.look()
    expect(await updater.status()).toMatchObject({
      ...{ way: 'replaces', step: 'ready', error: null, lookedAt: '2026-11-22T12:00:00.000Z' },
      offered: { version: '0.2.0', file: `${url}/${name}` },
    })
    expect(shares.some((share) => share > 0)).toBe(true)
    expect(placed).toEqual([])
    expect(await updater.restart()).toEqual({ ok: true, value: undefined })
    expect(placed).toEqual([expect.stringContaining('update xxx')])
  })

  it('is refused, and looked for again later, when the build’s own key is damaged', async () => {
    const { url } = await serveUpdate()
    const publicKey = Buffer.from('no key').toString('base64')
    const method = {
      version: '0.1.0',
      target: 'linux-x64-AppImage',
      station: 'bench-1',
      publicKey,
      replace: null,
    }
    const { updater } = await updaterAt(url, { method })
    await updater.look()
    expect(await updater.status()).toMatchObject({
      ...{ step: 'idle', lookedAt: '2026-11-22T12:00:00.000Z' },
      error: { code: 'update-refused', details: { file: `${url}/stable.json` } },
    })
  })

  it('is not installed if its file was changed after the download, and is downloaded again', async () => {
    const { url } = await serveUpdate()
    const { updater, folder, placed } = await updaterAt(url)
    await updater.look()
    await writeFile(join(folder, name), 'another program')
    expect(await updater.restart()).toMatchObject({
      error: { code: 'update-refused', details: { case: 'content', file: join(folder, name) } },
    })
    expect(placed).toEqual([])
    await expect.poll(async () => (await updater.status()).step).toBe('ready')
    expect(await updater.restart()).toEqual({ ok: true, value: undefined })
    expect(placed).toEqual([expect.stringContaining('update xxx')])
  })

  it.each(updateHoldSchema.options)('is not installed while it is held (reason: %s)', async (hold) => {
    const { url } = await serveUpdate()
    const { updater, placed } = await updaterAt(url, { findHold: async () => hold })
    await updater.look()
    expect(await updater.status()).toMatchObject({ step: 'ready', hold })
    expect(await updater.restart()).toMatchObject({
      ok: false,
      error: { code: 'update-not-now', details: { case: hold } },
    })
    expect(placed).toEqual([])
  })

  it('is dropped when it is withdrawn, and an older channel does not offer it again, even after a restart', async () => {
    const { url, publish, folder: served } = await serveUpdate()
    const offering = await readFile(join(served, 'stable.json'))
    const channelsFile = plainJsonFile(join(await temporaryFolder(), 'channels.json'))
    const { updater, folder } = await updaterAt(url, { channelsFile })
    await updater.look()
    expect(await updater.status()).toMatchObject({ step: 'ready' })
    await publish({ rollout: 0, now: new Date(now.getTime() + 60_000) })
    await updater.look()
    expect(await updater.status()).toMatchObject({ step: 'idle', offered: null, error: null })
    expect(await filesIn(folder)).toEqual([])

    await writeFile(join(served, 'stable.json'), offering)
    const { updater: later } = await updaterAt(url, { channelsFile })
    for (const each of [updater, later]) {
      await each.look()
      expect(await each.status()).toMatchObject({
        ...{ step: 'idle', offered: null },
        error: { code: 'update-refused', details: { case: 'older' } },
      })
    }
  })

  it('is refused from a channel signed in the future, and accepted from the next channel', async () => {
    const { url, publish } = await serveUpdate()
    await publish({ rollout: 100, now: new Date(now.getTime() + 10 * 24 * 60 * 60_000) })
    const { updater } = await updaterAt(url)
    await updater.look()
    expect(await updater.status()).toMatchObject({
      offered: null,
      error: { code: 'update-refused', details: { case: 'future' } },
    })
    await publish({ rollout: 100 })
    await updater.look()
    expect(await updater.status()).toMatchObject({ step: 'ready', error: null })
  })

  it('is refused from an expired channel', async () => {
    const { url, publish } = await serveUpdate()
    await publish({ rollout: 100, now: new Date('2026-10-01T00:00:00Z'), validDays: 30 })
    const { updater } = await updaterAt(url)
    await updater.look()
    expect(await updater.status()).toMatchObject({
      offered: null,
      error: { code: 'update-refused', details: { case: 'expired' } },
    })
  })

  it('is no longer installed once its channel has expired, and is deleted at the next check', async () => {
    const { url, publish } = await serveUpdate()
    await publish({ rollout: 100, validDays: 30 })
    let today = now
    const { updater, folder, placed } = await updaterAt(url, { now: () => today })
    await updater.look()
    expect(await updater.status()).toMatchObject({ step: 'ready' })
    today = new Date('2027-01-01T12:00:00Z')
    expect(await updater.restart()).toMatchObject({
      ok: false,
      error: { code: 'update-not-now', details: { case: 'none' } },
    })
    await updater.look()
    expect(await updater.status()).toMatchObject({
      ...{ step: 'idle', offered: null },
      error: { code: 'update-refused', details: { case: 'expired' } },
    })
    expect(await filesIn(folder)).toEqual([])
    expect(placed).toEqual([])
  })

  it('stays installable when its channel is signed again before it expires', async () => {
    const { url, publish } = await serveUpdate()
    await publish({ rollout: 100, validDays: 30 })
    let today = now
    const { updater, placed } = await updaterAt(url, { now: () => today })
    await updater.look()
    today = new Date('2026-12-20T12:00:00Z')
    await publish({ rollout: 100, validDays: 30, now: today })
    await updater.look()
    today = new Date('2027-01-01T12:00:00Z')
    expect(await updater.restart()).toMatchObject({ ok: true })
    expect(placed).toHaveLength(1)
  })

  it('is not installed when a shipment begins while the file is being put in place', async () => {
    const { url } = await serveUpdate()
    const method: UpdaterDeps['method'] = {
      ...{ version: '0.1.0', target: 'linux-x64-AppImage', station: 'bench-1' },
      publicKey: toPublicKey(key),
      replace: (_, findHold) => findHold(),
    }
    const holds: (UpdateHold | null)[] = [null, 'shipping']
    const { updater } = await updaterAt(url, { method, findHold: async () => holds.shift() ?? null })
    await updater.look()
    expect(await updater.restart()).toMatchObject({
      error: { code: 'update-not-now', details: { case: 'shipping' } },
    })
    expect(await updater.status()).toMatchObject({ step: 'ready', error: null })
  })

  it('is installed once for two requests, and its file is kept until then although a newer update is found', async () => {
    const events: string[] = []
    const { url, folder: served } = await serveUpdate({}, (request) => {
      if (request.url?.endsWith('0.3.0-x64.AppImage')) events.push('asked for 0.3.0')
      return false
    })
    const placing = deferred<undefined>()
    const { updater } = await updaterAt(url, {
      method: {
        ...{ version: '0.1.0', target: 'linux-x64-AppImage', station: 'bench-1' },
        publicKey: toPublicKey(key),
        async replace(file) {
          await placing.promise
          events.push((await readFile(file, 'utf8')).slice(0, 6))
          return null
        },
      },
    })
    await updater.look()
    const asked = [updater.restart(), updater.restart()]
    // A newer update appears meanwhile: looking for updates removes earlier downloads.
    await writeFile(join(served, name.replace('0.2.0', '0.3.0')), 'another update')
    const channel = await signChannel({
      ...{ folder: served, channel: 'stable', rollout: 100, version: '0.3.0', key, now },
    })
    await writeFile(join(served, 'stable.json'), channel)
    const looked = updater.look()
    await expect.poll(() => updater.status()).toMatchObject({ offered: { version: '0.3.0' } })
    placing.resolve(undefined)
    expect(await Promise.all(asked)).toEqual([
      { ok: true, value: undefined },
      { ok: true, value: undefined },
    ])
    await looked
    expect(events).toEqual(['update', 'asked for 0.3.0'])
  })

  it('is not installed when the app ends', async () => {
    const { url } = await serveUpdate()
    const { updater, placed } = await updaterAt(url)
    await updater.look()
    await updater.stop()
    expect(placed).toEqual([])
  })

  it('is deleted and reported when it was tampered with on the server', async () => {
    const { url, folder: served } = await serveUpdate()
    await writeFile(join(served, name), `UPDATE ${'x'.repeat(300_000)}`)
    const { updater, folder } = await updaterAt(url)
    await updater.look()
    expect(await updater.status()).toMatchObject({
      step: 'idle',
      error: { code: 'update-refused', details: { case: 'content' } },
    })
    expect(await filesIn(folder)).toEqual([])
  })

  it('is refused and not stored when it is larger than its channel states', async () => {
    const { url, folder: served } = await serveUpdate()
    await writeFile(join(served, name), 'x'.repeat(3_000_000))
    const { updater, folder } = await updaterAt(url)
    await updater.look()
    expect(await updater.status()).toMatchObject({ error: { code: 'update-refused' } })
    expect(await filesIn(folder)).toEqual([])
  })

  it('is not downloaded from a channel signed with another key', async () => {
    const other = generateKeyPairSync('ed25519')
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString()
    const asked: string[] = []
    const { url } = await serveUpdate({ signedWith: other }, (request) => {
      asked.push(request.url ?? '')
      return false
    })
    const { updater } = await updaterAt(url)
    await updater.look()
    expect(await updater.status()).toMatchObject({
      error: { code: 'update-refused', details: { case: 'signature' } },
      offered: null,
    })
    expect(asked).toEqual(['/packbench/stable.json'])
  })

  it.each([
    ['older', { version: '0.0.9' }],
    ['the same', { version: '0.1.0' }],
    ['not rolled out to this station yet', { rollout: 0 }],
  ])('is not offered when it is %s', async (_what, offer) => {
    const { url } = await serveUpdate(offer)
    const { updater } = await updaterAt(url)
    await updater.look()
    expect(await updater.status()).toMatchObject({ step: 'idle', offered: null, error: null })
  })

  it('is reported as unreachable when the server or the channel is missing', async () => {
    const { updater } = await updaterAt('http://127.0.0.1:1/packbench')
    await updater.look()
    expect(await updater.status()).toMatchObject({ step: 'idle', error: { code: 'update-unreachable' } })
    const { url } = await serveUpdate()
    const { updater: another } = await updaterAt(`${url}/nothing`)
    await another.look()
    expect((await another.status()).error?.message).toContain('HTTP 404')
  })

  it('leaves no partial file when the connection breaks, and is downloaded completely the next time', async () => {
    let broken = true
    const { url } = await serveUpdate({}, (request, response) => {
      if (!broken || !request.url?.endsWith('.AppImage')) return false
      response.writeHead(200, { 'content-length': '300007' }).write('update')
      setImmediate(() => response.destroy())
      return true
    })
    const { updater, folder } = await updaterAt(url)
    await updater.look()
    expect(await updater.status()).toMatchObject({ step: 'idle', error: { code: 'update-unreachable' } })
    expect(await filesIn(folder)).toEqual([])
    broken = false
    await updater.look()
    expect(await updater.status()).toMatchObject({ step: 'ready', error: null })
  })

  it('is offered but not downloaded when the system’s package manager installs updates', async () => {
    const { url } = await serveUpdate()
    const way = {
      ...{ version: '0.1.0', target: 'linux-x64-AppImage', station: 'bench-1', publicKey: toPublicKey(key) },
      replace: null,
    }
    const { updater, folder } = await updaterAt(url, { method: way })
    await updater.look()
    expect(await updater.status()).toMatchObject({
      way: 'by-hand',
      step: 'idle',
      offered: { version: '0.2.0' },
    })
    expect(await filesIn(folder)).toEqual([])
    expect(await updater.restart()).toMatchObject({ ok: false })
  })

  it('is not looked for while updates are off or without a public key', async () => {
    const asked: string[] = []
    const { url } = await serveUpdate({}, (request) => {
      asked.push(request.url ?? '')
      return false
    })
    const { updater } = await updaterAt(url, { settings: () => null })
    await updater.look()
    const way = { version: '0.1.0', target: 'x', station: 'x', publicKey: '', replace: null }
    const { updater: keyless } = await updaterAt(url, { method: way })
    await keyless.look()
    expect(await keyless.status()).toMatchObject({ way: 'never' })
    expect(asked).toEqual([])
  })
})

describe('an update at a station', () => {
  async function heldStation() {
    const simulator = await testSimulator()
    const drivers = createStubDrivers()
    const settings = {
      carriers: [{ name: 'Parcel', carrierId: 1, carrierOptionId: 11 }],
      routing: [{ printer: 'file' }],
    }
    const { features } = await connectedStation(await temporaryFolder(), simulator, settings, { drivers })
    return { simulator, drivers, features }
  }

  it('is held until the label that is being printed has ended', async () => {
    const { drivers, features } = await heldStation()
    expect(await features.findHold()).toBeNull()
    const created = await shipAndPrint(features)
    if (!created.ok) throw new Error(created.error.message)
    await expect.poll(() => drivers.arrivals).toHaveLength(1)
    expect(await features.findHold()).toBe('printing')
    // The last state of a label at most printers.
    drivers.arrivals[0]?.end({ kind: 'handed-over' })
    await features.printing.whenJobsEnded(created.value.id)
    expect(await features.findHold()).toBeNull()
  })

  it('is held until an unknown outcome is resolved', async () => {
    const { simulator, features } = await heldStation()
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'resetAfterReading' }, times: 1 })
    const unknown = await ship(features)
    if (!unknown.ok) throw new Error(unknown.error.message)
    expect(unknown.value.state).toBe('unknown')
    expect(await features.findHold()).toBe('unknown')
    await features.shipping.resolveUnknown(unknown.value.id, 'does-not-exist', null)
    expect(await features.findHold()).toBeNull()
  })

  it('is held while a manifest or a pre-alert is being sent', async () => {
    const { features } = await heldStation()
    const { manifestRepository } = features
    const airWaybillNumber = '074-12345675'
    await manifestRepository.addManifest('manifest-1', airWaybillNumber, now)
    const submission = { manifestId: 'manifest-1', operator: null }
    const totals = { lines: 1, packages: 1, parcels: 1, parcelWeight: 1, prices: [] }
    await manifestRepository.beginUpload({
      ...{ ...submission, id: 'upload-1', startedAt: now, lockAsked: false, sha256: 'x', totals },
    })
    expect(await features.findHold()).toBe('unknown')
    await manifestRepository.endUpload('upload-1', {
      ...{ state: 'accepted', endedAt: now, status: 200, content: null, speaksOfErrors: false, error: null },
    })
    expect(await features.findHold()).toBeNull()
    const request = { airWaybillNumber, estimatedTimeOfArrival: '2026-12-24', grossWeight: 1 }
    await manifestRepository.beginPreAlert({
      ...{ ...submission, id: 'pre-alert-1', request, fileName: 'awb.pdf', byteLength: 1, sentAt: now },
    })
    expect(await features.findHold()).toBe('unknown')
    await manifestRepository.endPreAlert('pre-alert-1', { state: 'accepted', answer: null, error: null })
    expect(await features.findHold()).toBeNull()
  })

  it('is held while a batch runs, and until its labels are printed', async () => {
    const { simulator, drivers, features } = await heldStation()
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 500 } })
    await importOrderRows(features, [orderRow('A-1'), orderRow('A-2')])
    const ids = (await listOrders(features)).map(({ id }) => id)
    expect(await features.batches.begin(ids, 'imported', false)).toMatchObject({ ok: true })
    const whileRunning: unknown[] = []
    const lookAtBatch = async () => {
      const hold = await features.findHold()
      const state = (await features.batches.current())?.state
      if (state === 'running') whileRunning.push(hold)
      return state
    }
    await expect.poll(lookAtBatch).toBe('ended')
    expect(whileRunning.length).toBeGreaterThan(0)
    expect(whileRunning).not.toContain(null)
    await expect.poll(() => drivers.arrivals).toHaveLength(1)
    expect(await features.findHold()).toBe('printing')
    drivers.arrivals[0]?.end({ kind: 'done' })
    await expect.poll(() => drivers.arrivals).toHaveLength(2)
    drivers.arrivals[1]?.end({ kind: 'done' })
    await expect.poll(() => features.findHold()).toBeNull()
    expect(simulator.ledger.entries).toHaveLength(2)
  })
})
