import { mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Lifecycle } from '../../../src/main/app/lifecycle'
import { wasNotClosed } from '../../../src/main/storage/databaseChecks'
import { openTestDatabase } from '../../support/databaseWorker'
import { silentLog } from '../../support/silentLog'
import { hasSmallDisks, smallDisk } from '../../support/smallDisk'
import { temporaryFolder } from '../../support/temporaryFolder'
import { stationOn } from '../../support/testStation'

async function expectStartError(station: Lifecycle, startError: object): Promise<void> {
  expect(await station.start()).toMatchObject({ ok: false, error: startError })
  expect((await station.status()).startError).toMatchObject(startError)
}

function startsByItself(station: Lifecycle): Promise<void> {
  return expect.poll(() => station.services().ok, { timeout: 20_000 }).toBe(true)
}

describe('an error at start ends by itself when its cause is gone', () => {
  it('a file in the place of the labels folder, which is named with what the system says', async () => {
    const data = await temporaryFolder()
    await writeFile(join(data, 'labels'), '')
    const station = await stationOn(data)
    await expectStartError(station, {
      code: 'folder-not-writable',
      message: expect.stringContaining('a file has the place of the folder'),
    })
    await rm(join(data, 'labels'))
    await startsByItself(station)
  })

  it('a file in the place of a folder above the data folder', async () => {
    const above = join(await temporaryFolder(), 'above')
    await writeFile(above, '')
    const station = await stationOn(join(above, 'data'), { log: silentLog })
    await expectStartError(station, { code: 'folder-not-writable' })
    await rm(above)
    await startsByItself(station)
  })

  it.runIf(hasSmallDisks)('a full disk, which is named', async () => {
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
    await startsByItself(station)
    expect(await readFile(join(data, 'packbench.db'))).not.toHaveLength(0)
  })

  it.runIf(hasSmallDisks)('a disk that can only be read, which is named', async () => {
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
    await startsByItself(station)
  })
})

it('a station that is stopped while it starts ends what the start began, and closes its database', async () => {
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

it('a transaction that the full disk ends says that the disk is full, not that it can not be rolled back', async () => {
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
