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
  const options = { keep: 2, labelDays: 90, mayRemove: true, signal: AbortSignal.timeout(60_000) }
  return { labels, folder, copy: () => copyStation(deps, folder, options) }
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
