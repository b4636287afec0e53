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

const toTarget = (manifestId: string) => ({ manifestId, airWaybillNumber: '074-12345675' })

/** A disk whose writes end when the test ends them; it counts the writes in progress at the same time. */
function slowDisk() {
  const files = new Map<string, ManifestRow[]>()
  const writes: ReturnType<typeof deferred<void>>[] = []
  let inProgress = 0
  let maxAtOnce = 0
  const file: LinesFile = {
    read: async (manifestId) => files.get(manifestId) ?? [],
    async write(manifestId, rows) {
      inProgress += 1
      maxAtOnce = Math.max(maxAtOnce, inProgress)
      const content = rows.map((row) => [...row])
      const write = deferred<void>()
      writes.push(write)
      try {
        await write.promise
        files.set(manifestId, content)
      } finally {
        inProgress -= 1
      }
    },
    async remove(manifestId) {
      files.delete(manifestId)
    },
  }
  return { file, files, writes, maxAtOnce: () => maxAtOnce }
}

/** Open sheets on a slow disk; sheet A has one new line that is not written yet. */
async function changedSheet() {
  const disk = slowDisk()
  const saveErrors: (string | null)[] = []
  const sheets = new OpenSheets(disk.file, (_, { saveError }) => saveErrors.push(saveError))
  const add = async (manifestId: string, parcelId: string) => {
    const sheet = await sheets.get(toTarget(manifestId))
    sheet.take([aLine({ parcelId })], false)
    sheets.changed(manifestId)
  }
  await add('A', 'P1')
  return { ...disk, sheets, add, saveErrors }
}

const parcels = (rows: readonly ManifestRow[] | undefined) => rows?.map((row) => row[3])

describe('automatically saved lines', () => {
  it('are written by one write at a time, also when a flush is requested during a write', async () => {
    const { sheets, writes, files, maxAtOnce, add } = await changedSheet()
    await vi.advanceTimersByTimeAsync(400)
    expect(writes).toHaveLength(1)
    await add('A', 'P2')
    const flushed = sheets.flush('A')
    await vi.advanceTimersByTimeAsync(0)
    writes[0]?.resolve()
    await vi.advanceTimersByTimeAsync(0)
    writes[1]?.resolve()
    await flushed
    expect(maxAtOnce()).toBe(1)
    expect(parcels(files.get('A'))).toEqual(['P1', 'P2'])
  })

  it('are written again after a write failed on a full disk, with the lines added meanwhile', async () => {
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

  it('are reported as not written until a write succeeds', async () => {
    const { sheets, writes, saveErrors } = await changedSheet()
    await vi.advanceTimersByTimeAsync(400)
    expect(saveErrors).toEqual([null])
    writes[0]?.reject(new Error('ENOSPC'))
    await vi.advanceTimersByTimeAsync(0)
    expect(saveErrors).toEqual([null, 'ENOSPC'])
    expect((await sheets.get(toTarget('A'))).summary().saveError).toBe('ENOSPC')
    await vi.advanceTimersByTimeAsync(5_000)
    writes[1]?.reject(new Error('ENOSPC'))
    await vi.advanceTimersByTimeAsync(5_000)
    writes[2]?.resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(saveErrors).toEqual([null, 'ENOSPC', null])
  })

  it('make a flush fail when they can’t be written', async () => {
    const { sheets, writes } = await changedSheet()
    const flushed = expect(sheets.flush('A')).rejects.toThrow('ENOSPC')
    await vi.advanceTimersByTimeAsync(0)
    writes[0]?.reject(new Error('ENOSPC'))
    await flushed
  })

  it('stay open when they change while their sheet is evicted', async () => {
    const { sheets, writes, add } = await changedSheet()
    for (const other of ['B', 'C']) await sheets.get(toTarget(other))
    const fourth = sheets.get(toTarget('D'))
    await vi.advanceTimersByTimeAsync(0)
    await add('A', 'P2')
    writes[0]?.resolve()
    await fourth
    expect(parcels((await sheets.get(toTarget('A'))).rows)).toEqual(['P1', 'P2'])
  })

  it('stay removed when they are removed during a write', async () => {
    const { sheets, writes, files } = await changedSheet()
    await vi.advanceTimersByTimeAsync(400)
    const removed = sheets.remove('A')
    await vi.advanceTimersByTimeAsync(0)
    writes[0]?.resolve()
    await removed
    expect(files.has('A')).toBe(false)
  })

  it('are removed by a condition as they are in memory, or from the disk without being opened', async () => {
    const { sheets, files, file } = await changedSheet()
    files.set('B', [aLine({ parcelId: 'P2' })])
    const condition = vi.fn().mockReturnValue(false)
    for (const id of ['A', 'B']) expect(await sheets.removeIf(id, condition)).toBe(false)
    expect(condition.mock.calls.map(([rows]) => parcels(rows))).toEqual([['P1'], ['P2']])
    expect(files.has('B')).toBe(true)
    const reading = vi.spyOn(file, 'read')
    expect(await sheets.removeIf('B', () => true)).toBe(true)
    expect(files.has('B')).toBe(false)
    expect((await sheets.get(toTarget('B'))).rows).toEqual([])
    expect(reading).toHaveBeenCalledTimes(2)
  })

  it('stay if they are opened while a condition is about to remove them', async () => {
    const { sheets, files } = await changedSheet()
    files.set('B', [aLine({ parcelId: 'P2' })])
    const removed = sheets.removeIf('B', () => true)
    await sheets.get(toTarget('B'))
    expect(await removed).toBe(false)
    expect(files.has('B')).toBe(true)
  })

  it('are written on their own by a flush, and all of them when the sheets are closed, even if one can’t be', async () => {
    const { sheets, writes, files, add } = await changedSheet()
    await add('B', 'P2')
    await add('C', 'P3')
    const flushed = sheets.flush('B')
    await vi.advanceTimersByTimeAsync(0)
    writes[0]?.resolve()
    await flushed
    expect([...files.keys()]).toEqual(['B'])
    const closed = expect(sheets.close()).rejects.toThrow('ENOSPC')
    await vi.advanceTimersByTimeAsync(0)
    writes[1]?.reject(new Error('ENOSPC'))
    writes[2]?.resolve()
    await closed
    expect([...files.keys()]).toEqual(['B', 'C'])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('the parcels of an air waybill that is not open', () => {
  it('are read from the disk once, until it is opened or removed, and leave it closed', async () => {
    const { sheets, file, files, add } = await changedSheet()
    files.set('B', [aLine({ parcelId: 'P2' })])
    const reading = vi.spyOn(file, 'read')
    const list = async () => {
      const found = await Promise.all([sheets.parcels('B'), sheets.parcels('B')])
      return found.map((each) => ['P2', 'P3'].filter((id) => each.find(id) !== undefined).join())
    }
    expect(await list()).toEqual(['P2', 'P2'])
    expect(await list()).toEqual(['P2', 'P2'])
    expect(reading).toHaveBeenCalledTimes(1)
    await add('B', 'P3')
    expect(await list()).toEqual(['P2,P3', 'P2,P3'])
    expect(reading).toHaveBeenCalledTimes(2)

    files.set('C', [aLine({ parcelId: 'P4' })])
    expect((await sheets.parcels('C')).find('P4')).toBe('P4')
    await sheets.remove('C')
    expect((await sheets.parcels('C')).lines).toBe(0)
  })

  it('are those that were written when it was closed', async () => {
    const { sheets, writes, add } = await changedSheet()
    await sheets.parcels('B')
    await add('B', 'P2')
    for (const other of ['C', 'D', 'E']) {
      const opened = sheets.get(toTarget(other))
      await vi.advanceTimersByTimeAsync(0)
      for (const write of writes) write.resolve()
      await opened
    }
    expect((await sheets.parcels('B')).find('P2')).toBe('P2')
  })

  it('are read again after they could not be read', async () => {
    const { sheets, file, files } = await changedSheet()
    files.set('B', [aLine({ parcelId: 'P2' })])
    vi.spyOn(file, 'read').mockRejectedValueOnce(new Error('EIO'))
    await expect(sheets.parcels('B')).rejects.toThrow('EIO')
    expect((await sheets.parcels('B')).find('P2')).toBe('P2')
  })
})

describe('a file of lines that can’t be read', () => {
  it('is read again when it is opened again, and does not keep other lines from being written', async () => {
    const { sheets, file, files, writes } = await changedSheet()
    vi.spyOn(file, 'read').mockRejectedValueOnce(new Error('EIO')).mockRejectedValueOnce(new Error('EIO'))
    await expect(sheets.get(toTarget('B'))).rejects.toThrow('EIO')
    await expect(sheets.get(toTarget('B'))).rejects.toThrow('EIO')
    expect((await sheets.get(toTarget('B'))).rows).toEqual([])
    vi.spyOn(file, 'read').mockRejectedValueOnce(new Error('EIO'))
    await expect(sheets.get(toTarget('C'))).rejects.toThrow('EIO')
    const closed = sheets.close()
    await vi.advanceTimersByTimeAsync(0)
    writes[0]?.resolve()
    await closed
    expect(parcels(files.get('A'))).toEqual(['P1'])
  })
})
