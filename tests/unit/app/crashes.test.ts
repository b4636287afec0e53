import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRunMark, listCrashDumps, rotateCrashDumps } from '../../../src/main/app/crashes'
import { createDraftKeeper } from '../../../src/main/app/handlers'
import { temporaryFolder } from '../../support/temporaryFolder'

describe('rotateCrashDumps', () => {
  it('keeps the five newest dumps with their meta files, also in subfolders', async () => {
    const folder = await temporaryFolder()
    await mkdir(join(folder, 'pending'))
    for (const number of [1, 2, 3, 4, 5, 6, 7]) {
      const path = join(folder, 'pending', `${number}.dmp`)
      await writeFile(path, 'MDMP')
      await writeFile(path.replace('.dmp', '.meta'), '')
      await utimes(path, number, number)
    }
    await rotateCrashDumps(folder)
    const kept = await listCrashDumps(folder)
    expect(kept.map(({ name }) => name)).toEqual(
      [7, 6, 5, 4, 3].map((number) => join('pending', `${number}.dmp`)),
    )
    expect(await readdir(join(folder, 'pending'))).toHaveLength(10)
    expect(await listCrashDumps(join(folder, 'missing'))).toEqual([])
  })
})

describe('the run mark', () => {
  it('gives the start time of a run that did not end normally', async () => {
    const folder = await temporaryFolder()
    expect(createRunMark(folder).findInterruptedRun()).toBeUndefined()
    createRunMark(folder).write(new Date('2026-11-22T10:00:00Z'))
    expect(createRunMark(folder).findInterruptedRun()).toBe('2026-11-22T10:00:00.000Z')
    createRunMark(folder).remove()
    expect(createRunMark(folder).findInterruptedRun()).toBeUndefined()
  })

  it('is ignored when it is damaged, and causes no error when it can’t be written', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'running.json'), '{"startedAt":')
    expect(createRunMark(folder).findInterruptedRun()).toBeUndefined()
    createRunMark(join(folder, 'missing')).write(new Date())
  })
})

describe('the draft that main keeps', () => {
  it('is returned to the page once, and only after a crash', () => {
    const drafts = createDraftKeeper()
    drafts.keep('typed')
    expect(drafts.take()).toBeNull()
    drafts.noteCrash()
    expect(drafts.take()).toBe('typed')
    expect(drafts.take()).toBeNull()
  })
})
