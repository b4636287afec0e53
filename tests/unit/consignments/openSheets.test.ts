import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LinesFile } from '../../../src/main/consignments/lines/openSheets'
import { OpenSheets } from '../../../src/main/consignments/lines/openSheets'
import type { ManifestRow } from '../../../src/shared/consignments'
import { deferred } from '../../support/deferred'
import { aLine } from '../../support/manifests/lines'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const of = (manifestId: string) => ({ manifestId, airWaybillNumber: '074-12345675' })

/** A disk whose writes end when the test says so, and that counts how many are under way at once. */
function slowDisk() {
  const files = new Map<string, ManifestRow[]>()
  const writes: ReturnType<typeof deferred<void>>[] = []
  let underWay = 0
  let maxAtOnce = 0
  const file: LinesFile = {
    read: async (manifestId) => files.get(manifestId) ?? [],
    async write(manifestId, rows) {
      underWay += 1
      maxAtOnce = Math.max(maxAtOnce, underWay)
      const content = rows.map((row) => [...row])
      const write = deferred<void>()
      writes.push(write)
      try {
        await write.promise
        files.set(manifestId, content)
      } finally {
        underWay -= 1
      }
    },
    async remove(manifestId) {
      files.delete(manifestId)
    },
  }
  return { file, files, writes, maxAtOnce: () => maxAtOnce }
}

/** Sheets on such a disk, with one line taken into a sheet. */
async function changedSheet() {
  const disk = slowDisk()
  const sheets = new OpenSheets(disk.file, () => undefined)
  const add = async (manifestId: string, parcelId: string) => {
    const sheet = await sheets.get(of(manifestId))
    sheet.take([aLine({ parcelId })], false)
    sheets.changed(manifestId)
  }
  await add('A', 'P1')
  return { ...disk, sheets, add }
}

const parcels = (rows: readonly ManifestRow[] | undefined) => rows?.map((row) => row[3])

describe('lines that are saved by themselves', () => {
  it('are written one time after the other, also when they are wanted on the disk at once', async () => {
    const { sheets, writes, files, maxAtOnce, add } = await changedSheet()
    await vi.advanceTimersByTimeAsync(400)
    expect(writes).toHaveLength(1)
    await add('A', 'P2')
    const flushed = sheets.flush()
    await vi.advanceTimersByTimeAsync(0)
    writes[0]?.resolve()
    await vi.advanceTimersByTimeAsync(0)
    writes[1]?.resolve()
    await flushed
    expect(maxAtOnce()).toBe(1)
    expect(parcels(files.get('A'))).toEqual(['P1', 'P2'])
  })

  it('are tried again when the disk was full, and nothing is lost meanwhile', async () => {
    const { writes, files, add } = await changedSheet()
    await vi.advanceTimersByTimeAsync(400)
    writes[0]?.reject(new Error('ENOSPC'))
    await vi.advanceTimersByTimeAsync(0)
    await add('A', 'P2')
    await vi.advanceTimersByTimeAsync(5_000)
    writes[1]?.resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(parcels(files.get('A'))).toEqual(['P1', 'P2'])
  })

  it('say so when they are wanted on the disk and can’t be put there', async () => {
    const { sheets, writes } = await changedSheet()
    const flushed = expect(sheets.flush()).rejects.toThrow('ENOSPC')
    await vi.advanceTimersByTimeAsync(0)
    writes[0]?.reject(new Error('ENOSPC'))
    await flushed
  })

  it('that change while they are evicted stay open', async () => {
    const { sheets, writes, add } = await changedSheet()
    for (const other of ['B', 'C']) await sheets.get(of(other))
    const fourth = sheets.get(of('D'))
    await vi.advanceTimersByTimeAsync(0)
    await add('A', 'P2')
    writes[0]?.resolve()
    await fourth
    expect(parcels((await sheets.get(of('A'))).rows)).toEqual(['P1', 'P2'])
  })

  it('do not come back when they are removed in the middle of being written', async () => {
    const { sheets, writes, files } = await changedSheet()
    await vi.advanceTimersByTimeAsync(400)
    const removed = sheets.remove('A')
    await vi.advanceTimersByTimeAsync(0)
    writes[0]?.resolve()
    await removed
    expect(files.has('A')).toBe(false)
  })
})
