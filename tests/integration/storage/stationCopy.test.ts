import fs, { existsSync } from 'node:fs'
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { toTemporaryPath } from '../../../src/main/lib/plainFiles'
import { placesIn } from '../../../src/main/storage/dataFolder'
import { closeDatabase } from '../../../src/main/storage/openDatabase'
import { copyStation, findStationCopy, restoreStation } from '../../../src/main/storage/stationCopy'
import { nodeDatabaseProcess } from '../../support/databaseProcess'
import { openTestDatabase } from '../../support/databaseWorker'
import { makePipe } from '../../support/makePipe'
import { ship } from '../../support/ship'
import { hasSmallDisks, smallDisk } from '../../support/smallDisk'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

async function station(root: string) {
  const places = placesIn(root)
  await mkdir(join(places.labels, 'S1'), { recursive: true })
  await writeFile(join(places.labels, 'S1', '1.pdf'), '%PDF-1')
  await writeFile(join(root, 'settings.json'), '{"version":1,"retentionDays":42}')
  await writeFile(join(root, 'vault.json'), '{"version":1,"account":"CANARY-CIPHERTEXT"}')
  const database = await openTestDatabase(places.database)
  if (!database.ok) throw new Error(database.error.message)
  await closeDatabase(database.value)
  const at = { now: new Date('2026-11-22T10:00:00Z') }
  return { places, at, databaseProcess: await nodeDatabaseProcess(), now: () => at.now }
}

const options = () => ({ keep: 2, labelDays: 90, mayRemove: true, signal: AbortSignal.timeout(60_000) })

it('copyStation copies database, labels and settings without secrets, and keeps the given number of days', async () => {
  const deps = await station(await temporaryFolder())
  const folder = join(await temporaryFolder(), 'share')
  for (const day of ['2026-11-20', '2026-11-21', '2026-11-22']) {
    deps.at.now = new Date(`${day}T10:00:00Z`)
    expect(await copyStation(deps, folder, options())).toEqual({ ok: true, value: 0 })
  }
  expect((await readdir(folder)).toSorted()).toEqual([
    '.packbench-backup',
    'labels',
    'packbench-2026-11-21-0.db',
    'packbench-2026-11-22-0.db',
    'settings-2026-11-21.json',
    'settings-2026-11-22.json',
  ])
  expect(await readFile(join(folder, 'labels', 'S1', '1.pdf'), 'utf8')).toBe('%PDF-1')
  expect(await readdir(deps.places.backups)).toEqual([])
})

it('copyStation keeps the newest copy of each day, also after retention, and one from before the database was replaced', async () => {
  const data = await temporaryFolder()
  const { features } = await connectedStation(data, await testSimulator())
  const at = { now: new Date('2026-11-20T10:00:00Z') }
  const deps = {
    places: placesIn(data),
    databaseProcess: await nodeDatabaseProcess(),
    now: () => at.now,
  }
  const folder = join(await temporaryFolder(), 'share')
  const listCopies = async () =>
    (await readdir(folder)).filter((name) => name.startsWith('packbench-')).toSorted()
  await copyStation(deps, folder, { ...options(), keep: 3 })
  at.now = new Date('2026-11-21T10:00:00Z')
  for (const reference of ['ORDER-1', 'ORDER-2', 'ORDER-3']) {
    expect(await ship(features, reference)).toMatchObject({ ok: true })
    await copyStation(deps, folder, { ...options(), keep: 3 })
  }
  expect(await listCopies()).toEqual(['packbench-2026-11-20-0.db', 'packbench-2026-11-21-3.db'])
  for (const { id } of await features.shipmentRepository.listEarlier('ORDER-1'))
    await features.retention.remove(id)
  // As an app that is closed during the copy: the larger one of the morning is still there.
  await copyStation(deps, folder, { ...options(), mayRemove: false })
  expect(await listCopies()).toHaveLength(3)
  expect(await findStationCopy(deps, folder, options().signal)).toMatchObject({ value: { shipments: 2 } })
  for (let restart = 0; restart < 2; restart += 1) {
    await copyStation(deps, folder, { ...options(), keep: 3 })
    expect(await listCopies()).toEqual(['packbench-2026-11-20-0.db', 'packbench-2026-11-21-2.db'])
  }
  expect(await findStationCopy(deps, folder, options().signal)).toMatchObject({ value: { shipments: 2 } })
  await copyFile(join(folder, 'packbench-2026-11-21-2.db'), join(folder, 'packbench-2026-11-21-500.db'))
  await copyStation(deps, folder, { ...options(), keep: 2 })
  expect(await listCopies()).toEqual([
    'packbench-2026-11-20-0.db',
    'packbench-2026-11-21-2.db',
    'packbench-2026-11-21-500.db',
  ])
  expect(await findStationCopy(deps, folder, options().signal)).toMatchObject({ value: { shipments: 2 } })
})

it('copyStation fails for a missing or empty database, and leaves the WAL of an empty one unchanged', async () => {
  const deps = await station(await temporaryFolder())
  const folder = join(await temporaryFolder(), 'share')
  await copyStation(deps, folder, options())
  const before = await readdir(folder, { recursive: true })
  const { database } = deps.places
  await writeFile(database, '')
  await writeFile(`${database}-wal`, 'what is left')
  const failed = { ok: false, error: { code: 'backup-failed', details: { case: 'no-database' } } }
  expect(await copyStation(deps, folder, options())).toMatchObject(failed)
  expect(await readFile(`${database}-wal`, 'utf8')).toBe('what is left')
  expect(await readdir(folder, { recursive: true })).toEqual(before)
  const misspelt = placesIn(join(await temporaryFolder(), 'misspelt'))
  expect(await copyStation({ ...deps, places: misspelt }, folder, options())).toMatchObject(failed)
  expect(existsSync(misspelt.root)).toBe(false)
})

it.runIf(hasSmallDisks)('copyStation leaves room for orders and labels on a small disk', async () => {
  const { folder: root } = await smallDisk(60)
  const deps = await station(root)
  const folder = join(await temporaryFolder(), 'share')
  expect(await copyStation(deps, folder, options())).toMatchObject({
    ok: false,
    error: { code: 'backup-failed', details: { reason: expect.stringContaining(deps.places.backups) } },
  })
  expect(await readdir(deps.places.backups)).toEqual([])
})

it('copyStation changes nothing in a folder with copies of another station, and reports that station', async () => {
  const [first, second] = [await station(await temporaryFolder()), await station(await temporaryFolder())]
  const folder = join(await temporaryFolder(), 'share')
  await copyStation(first, folder, { ...options(), keep: 1 })
  const before = await readdir(folder, { recursive: true })
  second.at.now = new Date('2026-11-23T10:00:00Z')
  expect(await copyStation(second, folder, { ...options(), keep: 1 })).toMatchObject({
    ok: false,
    error: {
      code: 'backup-failed',
      details: {
        case: 'other-station',
        station: (await readFile(join(folder, '.packbench-backup'), 'utf8')).trim(),
      },
    },
  })
  expect(await readdir(folder, { recursive: true })).toEqual(before)
  expect(await copyStation(first, folder, options())).toEqual({ ok: true, value: 0 })
})

it('copyStation can run twice concurrently, and removes leftovers of an interrupted copy', async () => {
  const deps = await station(await temporaryFolder())
  await mkdir(deps.places.backups, { recursive: true })
  const left = join(deps.places.backups, '.outgoing.db')
  await writeFile(left, 'half')
  await utimes(left, new Date(0), new Date(0))
  const folders = [join(await temporaryFolder(), 'one'), join(await temporaryFolder(), 'two')]
  const copies = await Promise.all(folders.map((folder) => copyStation(deps, folder, options())))
  expect(copies.map(({ ok }) => ok)).toEqual([true, true])
  expect(await readdir(deps.places.backups)).toEqual([])
})

it('copyStation removes what a copy that was cut off left in the folder, and leaves a copy in progress alone', async () => {
  const deps = await station(await temporaryFolder())
  const folder = join(await temporaryFolder(), 'share')
  await copyStation(deps, folder, options())
  const [left, recent] = [toTemporaryPath(folder), toTemporaryPath(folder)]
  for (const path of [left, recent]) await writeFile(path, 'half')
  await utimes(left, new Date(0), new Date(0))
  await copyStation(deps, folder, options())
  expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([basename(recent)])
})

it('copyStation leaves files and folders of others in the folder alone, also old ones that look unfinished', async () => {
  const deps = await station(await temporaryFolder())
  const folder = join(await temporaryFolder(), 'share')
  const similar = toTemporaryPath(folder)
  await mkdir(similar, { recursive: true })
  for (const name of ['film.mkv.part', '.film.tmp']) await writeFile(join(folder, name), 'half')
  for (const name of await readdir(folder)) await utimes(join(folder, name), new Date(0), new Date(0))
  expect(await copyStation(deps, folder, options())).toEqual({ ok: true, value: 0 })
  expect(await readdir(folder)).toEqual(
    expect.arrayContaining(['film.mkv.part', '.film.tmp', basename(similar)]),
  )
})

it.skipIf(process.platform === 'win32').each(['labels', 'manifests'])(
  'copyStation copies and removes nothing if a link would lead its %s elsewhere',
  async (name) => {
    const deps = await station(await temporaryFolder())
    const [folder, elsewhere] = [join(await temporaryFolder(), 'share'), await temporaryFolder()]
    await writeFile(join(elsewhere, 'old.txt'), 'mine')
    await utimes(join(elsewhere, 'old.txt'), new Date(0), new Date(0))
    await mkdir(folder)
    await symlink(elsewhere, join(folder, name))
    expect(await copyStation(deps, folder, options())).toMatchObject({
      ok: false,
      error: { code: 'backup-failed', details: { reason: `${join(folder, name)} is a link` } },
    })
    expect(await readdir(elsewhere)).toEqual(['old.txt'])
  },
)

it.skipIf(process.platform === 'win32')(
  'copyStation writes no owner through a link, and waits for no pipe in its place',
  async () => {
    const deps = await station(await temporaryFolder())
    const victim = join(await temporaryFolder(), 'empty')
    await writeFile(victim, '')
    for (const plant of [(path: string) => symlink(victim, path), makePipe]) {
      const folder = await temporaryFolder()
      await plant(join(folder, '.packbench-backup'))
      expect(await copyStation(deps, folder, options())).toMatchObject({
        error: { code: 'backup-failed', details: { reason: expect.stringContaining('is a link') } },
      })
    }
    expect(await readFile(victim, 'utf8')).toBe('')
  },
)

it('copyStation takes a folder over whose owner a crash left without content', async () => {
  const deps = await station(await temporaryFolder())
  const folder = await temporaryFolder()
  await writeFile(join(folder, '.packbench-backup'), '')
  expect(await copyStation(deps, folder, options())).toEqual({ ok: true, value: 0 })
  expect(await readFile(join(folder, '.packbench-backup'), 'utf8')).toMatch(/^\S+\n$/)
})

it('copyStation keeps the copy of a lost label, and removes that of a label past retention with its empty folder', async () => {
  const deps = await station(await temporaryFolder())
  const folder = join(await temporaryFolder(), 'share')
  const { labels } = deps.places
  await mkdir(join(labels, 'S0'))
  const old = new Date('2026-01-01T00:00:00Z')
  for (const label of [join(labels, 'S0', '1.pdf'), join(labels, 'S1', 'old.pdf')]) {
    await writeFile(label, '%PDF-old')
    await utimes(label, old, old)
  }
  await copyStation(deps, folder, options())
  await rm(labels, { recursive: true })
  deps.at.now = new Date()
  await copyStation(deps, folder, options())
  expect(await readdir(join(folder, 'labels'), { recursive: true })).toEqual(['S1', join('S1', '1.pdf')])
})

it.each(['2019-01-01', '2030-01-01'])(
  'the copy just made stays and is the newest, also after a copy that was made with the clock at %s',
  async (wrongDay) => {
    const deps = await station(await temporaryFolder())
    const folder = join(await temporaryFolder(), 'share')
    for (const day of ['2026-11-21', wrongDay, '2026-11-22']) {
      deps.at.now = new Date(`${day}T10:00:00Z`)
      await copyStation(deps, folder, { ...options(), keep: 1 })
      const copies = (await readdir(folder)).filter((name) => name.startsWith('packbench-'))
      expect(copies).toEqual([`packbench-${day}-0.db`])
    }
    await copyFile(join(folder, 'packbench-2026-11-22-0.db'), join(folder, `packbench-${wrongDay}-0.db`))
    expect(await findStationCopy(deps, folder, AbortSignal.timeout(60_000))).toMatchObject({
      value: { day: '2026-11-22' },
    })
  },
)

it('copyStation removes nothing while the clock is implausible', async () => {
  const deps = await station(await temporaryFolder())
  const folder = join(await temporaryFolder(), 'share')
  await copyStation(deps, folder, options())
  await rm(join(deps.places.labels, 'S1'), { recursive: true })
  deps.at.now = new Date('2030-01-01T10:00:00Z')
  await copyStation(deps, folder, { ...options(), keep: 1, mayRemove: false })
  const names = await readdir(folder, { recursive: true })
  expect(names).toEqual(expect.arrayContaining(['packbench-2026-11-22-0.db', 'settings-2026-11-22.json']))
  expect(names).toContain(join('labels', 'S1', '1.pdf'))
})

it('restoreStation restores the newest sound copy in another folder, and keeps existing files under other names', async () => {
  const deps = await station(await temporaryFolder())
  const folder = join(await temporaryFolder(), 'share')
  await copyStation(deps, folder, options())
  await writeFile(join(folder, 'packbench-2026-11-23-9.db'), 'not a database')
  const found = await findStationCopy(deps, folder, AbortSignal.timeout(60_000))
  expect(found).toMatchObject({ ok: true, value: { name: 'packbench-2026-11-22-0.db' } })
  if (!found.ok) return

  const root = await temporaryFolder()
  const places = placesIn(root)
  await writeFile(places.database, 'the database of before')
  await writeFile(`${places.database}-damaged`, 'an index')
  await writeFile(join(root, 'settings.json'), '{"version":1}')
  expect((await restoreStation({ places, now: deps.now }, folder, found.value)).ok).toBe(true)
  const names = await readdir(root)
  expect(names.some((name) => name.startsWith('packbench.set-aside-'))).toBe(true)
  expect(names.some((name) => name.startsWith('settings.set-aside-'))).toBe(true)
  expect(names).not.toContain('vault.json')
  expect(names).not.toContain('packbench.db-damaged')
  expect(await readFile(join(root, 'settings.json'), 'utf8')).toContain('42')
  expect(await readFile(join(places.labels, 'S1', '1.pdf'), 'utf8')).toBe('%PDF-1')
  const database = await openTestDatabase(places.database)
  expect(database.ok).toBe(true)
  if (database.ok) await database.value.destroy()
})

/** A station and its copy in a folder. */
async function copiedStation() {
  const deps = await station(await temporaryFolder())
  const folder = join(await temporaryFolder(), 'share')
  await copyStation(deps, folder, options())
  const found = await findStationCopy(deps, folder, AbortSignal.timeout(60_000))
  if (!found.ok) throw new Error(found.error.message)
  return { deps, folder, copy: found.value }
}

it('restoreStation replaces neither the database nor the settings when the settings can not be replaced', async () => {
  const { deps, folder, copy } = await copiedStation()
  const root = await temporaryFolder()
  const places = placesIn(root)
  await writeFile(places.database, 'the database of before')
  await writeFile(join(root, 'settings.json'), '{"version":1}')
  await mkdir(join(root, 'station-file.json'))
  expect(await restoreStation({ places, now: deps.now }, folder, copy)).toMatchObject({
    ok: false,
    error: { code: 'backup-unusable' },
  })
  expect(await readFile(places.database, 'utf8')).toBe('the database of before')
  expect(await readFile(join(root, 'settings.json'), 'utf8')).toBe('{"version":1}')
  expect(existsSync(`${places.database}-replaced`)).toBe(false)
})

it.each([
  ['the database can not be marked as replaced', 'packbench.db-replaced'],
  ['the database can not be set aside', 'packbench.set-aside-2026-11-22T10-00-00.000Z.db'],
  ['the WAL of the database can not be set aside', 'packbench.set-aside-2026-11-22T10-00-00.000Z.db-wal'],
  ['the damage marker of the database can not be removed', 'packbench.db-damaged'],
])(
  'restoreStation leaves the database and the settings as they were when %s',
  async (_what, folderInTheWay) => {
    const { deps, folder, copy } = await copiedStation()
    const root = await temporaryFolder()
    const places = placesIn(root)
    const files = {
      'packbench.db': 'the database of before',
      'packbench.db-wal': 'its log',
      'settings.json': '{"version":1}',
      'station-file.json': '{"applied":true}',
    }
    for (const [name, content] of Object.entries(files)) await writeFile(join(root, name), content)
    await mkdir(join(root, folderInTheWay))
    await writeFile(join(root, folderInTheWay, 'in-the-way'), '')
    expect(await restoreStation({ places, now: deps.now }, folder, copy)).toMatchObject({
      ok: false,
      error: { code: 'backup-unusable' },
    })
    expect((await readdir(root)).toSorted()).toEqual(
      [...Object.keys(files), 'labels', folderInTheWay].toSorted(),
    )
    for (const [name, content] of Object.entries(files))
      expect(await readFile(join(root, name), 'utf8')).toBe(content)
    // The database does not know their shipments.
    expect(await readdir(places.labels)).toEqual([])
  },
)

it('restoreStation completes existing labels and leaves complete ones, also beside labels that are missing', async () => {
  const deps = await station(await temporaryFolder())
  const folder = join(await temporaryFolder(), 'share')
  await writeFile(join(deps.places.labels, 'S1', '2.pdf'), '%PDF-2')
  await mkdir(join(deps.places.labels, 'S2'))
  await writeFile(join(deps.places.labels, 'S2', '1.pdf'), '%PDF-of-S2')
  await copyStation(deps, folder, options())
  const found = await findStationCopy(deps, folder, AbortSignal.timeout(60_000))
  if (!found.ok) throw new Error(found.error.message)
  const places = placesIn(await temporaryFolder())
  await mkdir(join(places.labels, 'S1'), { recursive: true })
  await writeFile(join(places.labels, 'S1', '1.pdf'), '%PDF-1 complete')
  await writeFile(join(places.labels, 'S1', '2.pdf'), '%P')
  expect(await restoreStation({ places, now: deps.now }, folder, found.value)).toMatchObject({ ok: true })
  const read = (...path: string[]) => readFile(join(places.labels, ...path), 'utf8')
  expect(await Promise.all([read('S1', '1.pdf'), read('S1', '2.pdf'), read('S2', '1.pdf')])).toEqual([
    '%PDF-1 complete',
    '%PDF-2',
    '%PDF-of-S2',
  ])
})

it('restoreStation puts labels into a folder that is a link to another disk, and removes what a cut-off restore left', async () => {
  const { deps, folder, copy } = await copiedStation()
  const places = placesIn(await temporaryFolder())
  const disk = await mkdtemp(join(tmpdir(), 'packbench-disk-'))
  onTestFinished(() => rm(disk, { recursive: true }))
  await mkdir(dirname(places.labels), { recursive: true })
  await symlink(disk, places.labels)
  await mkdir(join(places.root, '.restoring-1', 'labels', 'S0'), { recursive: true })
  await writeFile(join(places.root, '.restoring-1', 'labels', 'S0', '1.pdf'), '%PDF-0')
  expect(await restoreStation({ places, now: deps.now }, folder, copy)).toMatchObject({ ok: true })
  expect(await readFile(join(disk, 'S1', '1.pdf'), 'utf8')).toBe('%PDF-1')
  expect((await readdir(places.root)).filter((name) => name.startsWith('.restoring'))).toEqual([])
})

it('copyStation looks up no label in a way that blocks the station', async () => {
  const deps = await station(await temporaryFolder())
  const folder = join(await temporaryFolder(), 'share')
  const lookedUp = vi.spyOn(fs, 'existsSync')
  syncBuiltinESMExports()
  try {
    expect(await copyStation(deps, folder, options())).toMatchObject({ ok: true })
    const ofLabels = ({ 0: path }: unknown[]) => String(path).startsWith(join(deps.places.labels, 'S1'))
    expect(lookedUp).toHaveBeenCalled()
    expect(lookedUp.mock.calls.filter(ofLabels)).toEqual([])
  } finally {
    lookedUp.mockRestore()
    syncBuiltinESMExports()
  }
})

it('findStationCopy passes over a copy without content', async () => {
  const deps = await station(await temporaryFolder())
  const folder = join(await temporaryFolder(), 'share')
  await copyStation(deps, folder, options())
  await writeFile(join(folder, 'packbench-2026-11-25-500.db'), '')
  expect(await findStationCopy(deps, folder, AbortSignal.timeout(60_000))).toMatchObject({
    ok: true,
    value: { name: 'packbench-2026-11-22-0.db' },
  })
})

it('copyStation copies the lines of manifests again when they have changed, and restoreStation restores missing ones', async () => {
  const deps = await station(await temporaryFolder())
  const folder = join(await temporaryFolder(), 'share')
  const lines = join(deps.places.manifests, 'M1.json')
  await mkdir(deps.places.manifests)
  for (const [content, time] of [
    ['[["first"]]', new Date('2026-11-22T09:00:00Z')],
    ['[["later"]]', new Date('2026-11-22T09:30:00Z')],
  ] as const) {
    await writeFile(lines, content)
    await utimes(lines, time, time)
    expect(await copyStation(deps, folder, options())).toMatchObject({ ok: true })
    expect(await readFile(join(folder, 'manifests', 'M1.json'), 'utf8')).toBe(content)
  }
  const copied = await stat(join(folder, 'manifests', 'M1.json'))
  await copyStation(deps, folder, options())
  expect((await stat(join(folder, 'manifests', 'M1.json'))).ino).toBe(copied.ino)

  const found = await findStationCopy(deps, folder, AbortSignal.timeout(60_000))
  if (!found.ok) throw new Error(found.error.message)
  const places = placesIn(await temporaryFolder())
  for (const content of ['[["later"]]', '[["after the copy"]]']) {
    expect(await restoreStation({ places, now: deps.now }, folder, found.value)).toMatchObject({ ok: true })
    expect(await readFile(join(places.manifests, 'M1.json'), 'utf8').catch(() => '')).toBe(content)
    await writeFile(join(places.manifests, 'M1.json'), '[["after the copy"]]')
  }
})

it('restoreStation sets a WAL aside whose database is missing, and marks the restored database as a replacement', async () => {
  const { deps, folder, copy } = await copiedStation()
  const places = placesIn(await temporaryFolder())
  await writeFile(`${places.database}-wal`, 'of another database')
  expect(await restoreStation({ places, now: deps.now }, folder, copy)).toMatchObject({ ok: true })
  const names = (await readdir(places.root)).filter((name) => name.startsWith('packbench.'))
  expect(names.toSorted()).toEqual([
    'packbench.db',
    'packbench.db-replaced',
    'packbench.set-aside-2026-11-22T10-00-00.000Z.db-wal',
  ])
})

it('copyStation and findStationCopy report an unusable folder', async () => {
  const deps = await station(await temporaryFolder())
  const file = join(await temporaryFolder(), 'file')
  await writeFile(file, '')
  await chmod(file, 0o600)
  expect(await copyStation(deps, join(file, 'share'), options())).toMatchObject({
    ok: false,
    error: { code: 'backup-failed' },
  })
  for (const unusable of [await temporaryFolder(), file]) {
    expect(await findStationCopy(deps, unusable, AbortSignal.timeout(1000))).toMatchObject({
      ok: false,
      error: { code: 'backup-unusable', details: { path: unusable } },
    })
  }
})

it('restoreStation keeps a complete answer file when the copy of that file is truncated', async () => {
  const deps = await station(await temporaryFolder())
  const answer = join(deps.places.labels, 'S1', 'answer.json')
  const content = JSON.stringify({ content: 'A'.repeat(1000) })
  await writeFile(answer, content.slice(0, 100))
  const folder = join(await temporaryFolder(), 'share')
  expect(await copyStation(deps, folder, options())).toMatchObject({ ok: true })
  await writeFile(answer, content)
  const copy = await findStationCopy(deps, folder, AbortSignal.timeout(60_000))
  if (!copy.ok) throw new Error(copy.error.message)
  expect(await restoreStation(deps, folder, copy.value)).toMatchObject({ ok: true })
  expect(await readFile(answer, 'utf8')).toBe(content)
})
