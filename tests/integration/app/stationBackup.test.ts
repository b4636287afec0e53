import { readdir } from 'node:fs/promises'
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
  const listNotices = async () => (await station.status()).notices.map(({ code }) => code)
  await features.upkeep.run()
  await expect.poll(listBackups).toHaveLength(1)
  await expect.poll(() => copies).toHaveLength(1)
  expect(await listNotices()).not.toContain('backup-failed')
  hours = 24
  await features.upkeep.run()
  await expect.poll(listBackups).toHaveLength(2)
  await expect.poll(listNotices).toContain('backup-failed')
  expect(copies).toHaveLength(1)
})
