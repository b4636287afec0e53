import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { placesIn } from '../../../src/main/storage/dataFolder'
import { closeDatabase } from '../../../src/main/storage/openDatabase'
import { copyStation } from '../../../src/main/storage/stationCopy'
import { nodeDatabaseProcess } from '../../support/databaseProcess'
import { openTestDatabase } from '../../support/databaseWorker'
import { temporaryFolder } from '../../support/temporaryFolder'

/** Called with the path before an operation. */
const hooks = vi.hoisted(() => ({
  beforeReaddir: (_folder: string) => {},
  beforeStat: (_path: string) => {},
  beforeCopy: (_source: string, _target: string) => {},
}))
vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>()
  return {
    ...original,
    readdir: async (folder: string, options: { withFileTypes: true }) => {
      hooks.beforeReaddir(folder)
      return original.readdir(folder, options)
    },
    stat: async (path: string) => {
      hooks.beforeStat(path)
      return original.stat(path)
    },
    copyFile: async (source: string, target: string) => {
      hooks.beforeCopy(source, target)
      return original.copyFile(source, target)
    },
  }
})

beforeEach(() => {
  Object.assign(hooks, { beforeReaddir: () => {}, beforeStat: () => {}, beforeCopy: () => {} })
})

/** A station with two labels, and the folder for its copy. */
async function station() {
  const places = placesIn(await temporaryFolder())
  const labels = ['S1', 'S2'].map((shipment) => join(places.labels, shipment, '1.pdf'))
  for (const label of labels) {
    mkdirSync(dirname(label), { recursive: true })
    writeFileSync(label, '%PDF-1')
  }
  const database = await openTestDatabase(places.database)
  if (!database.ok) throw new Error(database.error.message)
  await closeDatabase(database.value)
  const folder = join(await temporaryFolder(), 'share')
  const deps = { places, databaseProcess: await nodeDatabaseProcess(), now: () => new Date() }
  const options = { keep: 2, labelDays: 90, mayRemove: true }
  const copy = (signal = AbortSignal.timeout(60_000)) => copyStation(deps, folder, { ...options, signal })
  return { labels, folder, copy }
}

const remove = (path: string) => rmSync(path, { recursive: true, force: true })

it.each(['beforeReaddir', 'beforeStat', 'beforeCopy'] as const)(
  'copyStation copies the other labels when retention removes one during the copy (%s)',
  async (hook) => {
    const { labels, folder, copy } = await station()
    const [gone = ''] = labels
    hooks[hook] = (path: string) => {
      if (path === gone || path === dirname(gone)) remove(dirname(gone))
    }
    expect(await copy()).toEqual({ ok: true, value: 0 })
    expect(await readdir(join(folder, 'labels'), { recursive: true })).toContain(join('S2', '1.pdf'))
  },
)

it('copyStation fails when the folder of the copy disappears', async () => {
  const { labels, folder, copy } = await station()
  hooks.beforeCopy = (source) => {
    if (labels.includes(source)) remove(folder)
  }
  expect(await copy()).toMatchObject({ ok: false, error: { code: 'backup-failed' } })
})

it('two copies to one folder at the same time write different temporary files', async () => {
  const { labels, folder, copy } = await station()
  const written: string[] = []
  hooks.beforeCopy = (source, target) => {
    if (labels.includes(source)) written.push(target)
  }
  await copy()
  remove(join(folder, 'labels'))
  await copy()
  expect(written).toHaveLength(4)
  expect(new Set(written).size).toBe(4)
})

it('copyStation copies no further label once its signal is aborted', async () => {
  const { labels, folder, copy } = await station()
  const stopping = new AbortController()
  const copied: string[] = []
  hooks.beforeCopy = (source) => {
    if (!labels.includes(source)) return
    copied.push(source)
    stopping.abort()
  }
  expect(await copy(stopping.signal)).toMatchObject({ ok: false, error: { code: 'backup-failed' } })
  expect(copied).toHaveLength(1)
  expect(await readdir(join(folder, 'labels'))).toHaveLength(1)
})

it('a copy that fails leaves no temporary file in the folder', async () => {
  const { folder, copy } = await station()
  mkdirSync(join(folder, 'labels', 'S1', '1.pdf'), { recursive: true })
  expect(await copy()).toMatchObject({ ok: false, error: { code: 'backup-failed' } })
  const names = await readdir(folder, { recursive: true })
  expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([])
})
