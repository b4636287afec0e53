import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Lifecycle } from '../../../src/main/app/lifecycle'
import { HotFolderService } from '../../../src/main/hotFolder/hotFolderService'
import { wasNotClosed } from '../../../src/main/storage/databaseChecks'
import { buildWorker } from '../../support/builtWorker'
import { openTestDatabase } from '../../support/databaseWorker'
import { listenOnLoopback } from '../../support/loopback'
import { silentLog } from '../../support/silentLog'
import { hasSmallDisks, smallDisk } from '../../support/smallDisk'
import { temporaryFolder } from '../../support/temporaryFolder'
import { stationOn } from '../../support/testStation'

async function expectStartError(station: Lifecycle, startError: object): Promise<void> {
  expect(await station.start()).toMatchObject({ ok: false, error: startError })
  expect((await station.status()).startError).toMatchObject(startError)
}

function expectAutomaticStart(station: Lifecycle): Promise<void> {
  return expect.poll(() => station.services().ok).toBe(true)
}

describe('a start error', () => {
  it('names a file at the path of the labels folder, and the station starts when the file is removed', async () => {
    const data = await temporaryFolder()
    await writeFile(join(data, 'labels'), '')
    const station = await stationOn(data)
    await expectStartError(station, {
      code: 'folder-not-writable',
      message: expect.stringContaining('a file has the place of the folder'),
    })
    await rm(join(data, 'labels'))
    await expectAutomaticStart(station)
  })

  it('reports a file at the path of a parent folder, and the station starts when the file is removed', async () => {
    const above = join(await temporaryFolder(), 'above')
    await writeFile(above, '')
    const station = await stationOn(join(above, 'data'), { log: silentLog })
    await expectStartError(station, { code: 'folder-not-writable' })
    await rm(above)
    await expectAutomaticStart(station)
  })

  it.runIf(hasSmallDisks)('names a full disk, and the station starts when there is room', async () => {
    const disk = await smallDisk(8)
    const data = join(disk.folder, 'data')
    await mkdir(data)
    const { bavail, bsize } = await statfs(disk.folder)
    const filler = join(disk.folder, 'filler')
    await writeFile(filler, Buffer.alloc((bavail - 8) * bsize))
    const station = await stationOn(data)
    await expectStartError(station, {
      code: 'disk-full',
      message: expect.stringContaining('the disk is full (ENOSPC)'),
      details: { fault: 'no-space' },
    })
    await rm(filler)
    await expectAutomaticStart(station)
    expect(await readFile(join(data, 'packbench.db'))).not.toHaveLength(0)
  })

  it.runIf(hasSmallDisks)(
    'names a read-only disk, and the station starts when the disk is writable',
    async () => {
      const disk = await smallDisk(8)
      const data = join(disk.folder, 'data')
      await mkdir(join(data, 'logs'), { recursive: true })
      const station = await stationOn(data)
      disk.readOnly()
      await expectStartError(station, {
        code: 'folder-not-writable',
        message: expect.stringContaining('the disk is read-only (EROFS)'),
        details: { fault: 'read-only-disk' },
      })
      disk.writable()
      await expectAutomaticStart(station)
    },
  )
})

it('a process without the lock starts the app again instead of opening data that became usable', async () => {
  const data = await temporaryFolder()
  const relaunch = vi.fn()
  const station = await stationOn(data, { relaunch })
  expect(await station.start()).toMatchObject({ ok: false, error: { code: 'startup-failed' } })
  expect(relaunch).toHaveBeenCalledTimes(1)
  expect(existsSync(join(data, 'packbench.db'))).toBe(false)
})

it('processes that start at once on one folder all find it usable', async () => {
  const data = await temporaryFolder()
  const script = fileURLToPath(await buildWorker('folderTests', 'tests/integration/app/folderTests.ts'))
  const run = () => promisify(execFile)(process.execPath, [script, data, '100'])
  const outputs = await Promise.all([run(), run()])
  expect(outputs.map(({ stdout }) => stdout)).toEqual(['', ''])
  expect((await readdir(data)).toSorted()).toEqual(['labels', 'logs'])
})

it('a start that fails ends what it started, such as the connection to the fleet', async () => {
  const connections = new Set<Socket>()
  const server = createServer((socket) => {
    connections.add(socket)
    // Read, so that the end of the connection is noticed.
    socket.resume().on('error', () => undefined)
    socket.on('close', () => connections.delete(socket))
  })
  const port = await listenOnLoopback(server)
  onTestFinished(() => {
    server.close()
  })
  const data = await temporaryFolder()
  const first = await stationOn(data)
  const started = await first.start()
  if (!started.ok) throw new Error(started.error.message)
  const fleet = { host: '127.0.0.1', port, database: 'packbench', user: 'packbench', tls: 'off' } as const
  started.value.settings.change({ fleet: { ...fleet, station: 'Bench 1', whenUnreachable: 'hold' } })
  await started.value.fleet.setPassword('secret')
  await first.stop()
  await expect.poll(() => connections.size).toBe(0)
  const follow = vi.spyOn(HotFolderService.prototype, 'follow')
  onTestFinished(() => follow.mockRestore())
  const station = await stationOn(data)
  follow.mockImplementationOnce(async () => {
    await expect.poll(() => connections.size).toBeGreaterThan(0)
    // No retry of the start connects again.
    void station.stop()
    throw new Error('the share answers with nonsense')
  })
  expect(await station.start()).toMatchObject({ ok: false, error: { code: 'startup-failed' } })
  await expect.poll(() => connections.size).toBe(0)
})

it('a station stopped during its start has no services and closes its database', async () => {
  const data = await temporaryFolder()
  const first = await stationOn(data)
  expect((await first.start()).ok).toBe(true)
  await first.stop()
  let stopping: Promise<void> | undefined
  const station: Lifecycle = await stationOn(data, {
    // The start reads the clock once the database is open.
    now: () => {
      stopping ??= station.stop()
      return new Date()
    },
  })
  await station.start()
  expect(stopping).toBeDefined()
  await stopping
  expect(station.services().ok).toBe(false)
  expect(wasNotClosed(join(data, 'packbench.db'))).toBe(false)
})

it('a transaction on a full disk rejects with the disk error instead of a failed rollback', async () => {
  const database = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  const { rows } = await sql<{ pageCount: number }>`pragma page_count`.execute(database.value)
  await sql`pragma max_page_count = ${sql.lit(rows[0]?.pageCount ?? 0)}`.execute(database.value)
  const filling = database.value.transaction().execute(async (transaction) => {
    for (let number = 0; number < 100; number += 1) {
      await transaction
        .insertInto('statusCodes')
        .values({ code: String(number), description: 'x'.repeat(10_000), seenAt: '' })
        .execute()
    }
  })
  await expect(filling).rejects.toThrow(/database or disk is full/)
})
