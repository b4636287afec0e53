import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { DatabaseProcess } from '../../../src/main/storage/databaseChecks'
import { nodeDatabaseProcess } from '../../support/databaseProcess'
import { ship } from '../../support/ship'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

it('a copy to a share that does not answer delays no backup of the database, and is reported after a day', async () => {
  const data = await temporaryFolder()
  const start = Date.now()
  let hours = 0
  const run = await nodeDatabaseProcess()
  const copies: string[] = []
  const databaseProcess: DatabaseProcess = (args, signal) => {
    const copy = args.find((arg) => arg.includes('.outgoing'))
    if (copy === undefined) return run(args, signal)
    copies.push(copy)
    return new Promise(() => undefined)
  }
  const backup = { folder: join(await temporaryFolder(), 'share'), keep: 7 }
  const { station, features } = await connectedStation(
    data,
    await testSimulator(),
    { backup },
    { databaseProcess, now: () => new Date(start + hours * 3_600_000) },
  )
  expect(await ship(features, 'ORDER-1')).toMatchObject({ ok: true })
  const listBackups = async () => {
    const names = await readdir(join(data, 'backups')).catch(() => [])
    return names.filter((name) => name.startsWith('packbench-'))
  }
  const listNotices = async () => (await station.status()).notices
  await features.upkeep.run()
  await expect.poll(listBackups).toHaveLength(1)
  await expect.poll(() => copies).toHaveLength(1)
  expect(await listNotices()).not.toContainEqual(expect.objectContaining({ code: 'backup-failed' }))
  hours = 24
  await features.upkeep.run()
  await expect.poll(listBackups).toHaveLength(2)
  await expect.poll(listNotices).toContainEqual({
    code: 'backup-failed',
    message: expect.stringContaining('restart Packbench'),
    details: { case: 'not-ended', path: backup.folder },
  })
  expect(copies).toHaveLength(1)
})

it('a backup of the database that fails is reported, and retried at the next check', async () => {
  const data = await temporaryFolder()
  const databaseProcess = await nodeDatabaseProcess()
  const { station, features } = await connectedStation(data, await testSimulator(), {}, { databaseProcess })
  expect(await ship(features, 'ORDER-1')).toMatchObject({ ok: true })
  const backups = join(data, 'backups')
  await rm(backups, { recursive: true, force: true })
  await writeFile(backups, 'a file in place of the folder')
  const listFailures = async () =>
    (await station.status()).notices.filter(({ code }) => code === 'backup-failed')
  await features.upkeep.run()
  await expect.poll(listFailures).toEqual([
    {
      code: 'backup-failed',
      message: expect.stringContaining('tries again every ten minutes'),
      details: { case: 'database', path: backups, reason: expect.any(String) },
    },
  ])
  await rm(backups)
  await features.upkeep.run()
  await expect.poll(() => readdir(backups).catch(() => [])).toContainEqual(expect.stringMatching(/-1\.db$/))
  await expect.poll(listFailures).toEqual([])
})

it('old copies and backups are removed on the day on which the clock becomes plausible again', async () => {
  const data = await temporaryFolder()
  const simulator = await testSimulator()
  const first = await connectedStation(data, simulator)
  expect(await ship(first.features, 'ORDER-1')).toMatchObject({ ok: true })
  await first.station.stop()
  const folder = join(await temporaryFolder(), 'share')
  await mkdir(folder)
  await writeFile(join(folder, 'packbench-2026-01-01-0.db'), 'an old copy')
  const listCopies = async () => (await readdir(folder)).filter((name) => name.startsWith('packbench-'))
  const backups = join(data, 'backups')
  // The copy of the station that is being made is there too.
  const listBackups = async () => (await readdir(backups)).filter((name) => name.startsWith('packbench-'))
  await mkdir(backups, { recursive: true })
  for (const day of [1, 2, 3, 4, 5, 6, 7])
    await writeFile(join(backups, `packbench-2026-01-0${day}-0.db`), 'old')

  const aWeekLater = new Date(Date.now() + 7 * 24 * 3_600_000)
  const { station, features } = await connectedStation(
    data,
    simulator,
    { backup: { folder, keep: 1 } },
    { databaseProcess: await nodeDatabaseProcess(), now: () => aWeekLater },
  )
  await features.upkeep.run()
  await expect.poll(listCopies).toHaveLength(2)
  expect(await listBackups()).toHaveLength(8)
  await station.confirmClock()
  const runAndList = async () => {
    await features.upkeep.run()
    return listCopies()
  }
  await expect.poll(runAndList).toEqual([`packbench-${aWeekLater.toISOString().slice(0, 10)}-1.db`])
  await expect.poll(listBackups).toHaveLength(7)
})
