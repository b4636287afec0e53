import { generateKeyPairSync } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Agent } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signChannel, toPublicKey } from '../../../build/packaging/signChannel.mjs'
import { Updater, type UpdaterDeps } from '../../../src/main/updates/updater'
import { deferred } from '../../support/deferred'
import { plainJsonFile } from '../../support/plainJsonFile'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'

const { privateKey } = generateKeyPairSync('ed25519')
const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const name = 'Packbench-0.2.0-x64.AppImage'
const now = new Date('2026-11-22T12:00:00Z')

/** A folder with an update, served as any web server does. */
async function serveUpdate(
  { rollout = 100, version = '0.2.0', signedWith = key } = {},
  answer?: (request: IncomingMessage, response: ServerResponse) => boolean,
) {
  const folder = await temporaryFolder()
  await writeFile(join(folder, name.replace('0.2.0', version)), `update ${'x'.repeat(300_000)}`)
  const channel = await signChannel({ folder, channel: 'stable', rollout, version, key: signedWith, now })
  await writeFile(join(folder, 'stable.json'), channel)
  /** Signs the channel again, for the packages that lie there. */
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
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { folder, publish, url: `http://127.0.0.1:${address.port}/packbench` }
}

async function updaterAt(url: string, change: Partial<UpdaterDeps> = {}) {
  const folder = join(await temporaryFolder(), 'updates')
  const placed: string[] = []
  const shares: number[] = []
  const updater: Updater = new Updater({
    method: {
      ...{ version: '0.1.0', target: 'linux-x64-AppImage', station: 'bench-1', publicKey: toPublicKey(key) },
      replace: async (file) => void placed.push(await readFile(file, 'utf8')),
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
  it('is fetched in the background, and put in place only when a person says so', async () => {
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

  it('waits for a label, an unknown outcome or a batch, and changes nothing then', async () => {
    const { url } = await serveUpdate()
    const { updater, placed } = await updaterAt(url, { findHold: async () => 'unknown' })
    await updater.look()
    expect(await updater.status()).toMatchObject({ step: 'ready', hold: 'unknown' })
    expect(await updater.restart()).toMatchObject({ ok: false, error: { code: 'update-not-now' } })
    expect(placed).toEqual([])
  })

  it('that was withdrawn is dropped, and a server that still has the older channel brings it back neither now nor after a restart', async () => {
    const { url, publish, folder: served } = await serveUpdate()
    const offering = await readFile(join(served, 'stable.json'))
    const channelsFile = plainJsonFile(join(await temporaryFolder(), 'channels.json'))
    const { updater } = await updaterAt(url, { channelsFile })
    await updater.look()
    expect(await updater.status()).toMatchObject({ step: 'ready' })
    await publish({ rollout: 0, now: new Date(now.getTime() + 60_000) })
    await updater.look()
    expect(await updater.status()).toMatchObject({ step: 'idle', offered: null, error: null })

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

  it('of a channel that was signed with a wrong clock is not taken, and the next one is', async () => {
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

  it('of a channel that has expired is not taken', async () => {
    const { url, publish } = await serveUpdate()
    await publish({ rollout: 100, now: new Date('2026-10-01T00:00:00Z'), validDays: 30 })
    const { updater } = await updaterAt(url)
    await updater.look()
    expect(await updater.status()).toMatchObject({
      offered: null,
      error: { code: 'update-refused', details: { case: 'expired' } },
    })
  })

  it('is put in place once however often it is asked for, and its file stays until it is there', async () => {
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
        },
      },
    })
    await updater.look()
    const asked = [updater.restart(), updater.restart()]
    // A newer one comes meanwhile: looking for it removes what was fetched before.
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

  it('is not put in place when the app ends', async () => {
    const { url } = await serveUpdate()
    const { updater, placed } = await updaterAt(url)
    await updater.look()
    await updater.stop()
    expect(placed).toEqual([])
  })

  it('that was tampered with on the server is deleted and named', async () => {
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

  it('that is longer than its channel says is cut off, not stored', async () => {
    const { url, folder: served } = await serveUpdate()
    await writeFile(join(served, name), 'x'.repeat(3_000_000))
    const { updater, folder } = await updaterAt(url)
    await updater.look()
    expect(await updater.status()).toMatchObject({ error: { code: 'update-refused' } })
    expect(await filesIn(folder)).toEqual([])
  })

  it('of a channel that another key signed is not even fetched', async () => {
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
  ])('that is %s is none', async (_what, offer) => {
    const { url } = await serveUpdate(offer)
    const { updater } = await updaterAt(url)
    await updater.look()
    expect(await updater.status()).toMatchObject({ step: 'idle', offered: null, error: null })
  })

  it('of a server that can’t be reached, or lacks the channel, is looked for again later', async () => {
    const { updater } = await updaterAt('http://127.0.0.1:1/packbench')
    await updater.look()
    expect(await updater.status()).toMatchObject({ step: 'idle', error: { code: 'update-unreachable' } })
    const { url } = await serveUpdate()
    const { updater: another } = await updaterAt(`${url}/nothing`)
    await another.look()
    expect((await another.status()).error?.message).toContain('HTTP 404')
  })

  it('whose connection breaks half-way leaves no half file, and comes whole the next time', async () => {
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

  it('is only said to be there where the system’s packages bring it', async () => {
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

  it('is not looked for while updates are off, or without a key', async () => {
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
