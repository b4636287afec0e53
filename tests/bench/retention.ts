import { randomUUID } from 'node:crypto'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { dayMs } from '../../src/main/lib/localDay'
import { ShipmentRepository } from '../../src/main/shipments/repository'
import { removeOldShipments } from '../../src/main/shipments/retention'
import { RetentionRepository } from '../../src/main/shipments/retentionRepository'
import { createShipmentFiles } from '../../src/main/shipments/shipmentFiles'
import type { Database, OpenDatabase } from '../../src/main/storage/database'
import { createThread } from '../../src/main/storage/databaseThread'
import { createReader } from '../../src/main/storage/openDatabase'
import { databaseWorker, openTestDatabase } from '../support/databaseWorker'
import { aDraft } from '../support/drafts'
import { silentLog } from '../support/silentLog'
import { type Figure, inFolder, type Parts, quantile, round, timed } from './bench'
import { longHistory, shipmentCount } from './longHistory'

const rounds = 3
const creationsARound = 100
/** The pause between two creations, so that they coincide with all steps of the removal. */
const restMs = 7
/** A time at which the whole history is due for removal; one run removes a tenth of it. */
const later = new Date(Date.now() + 1000 * dayMs)

/** The delay of creations while old shipments are removed. */
export const parts: Parts = { creations: measureCreations }

async function* measureCreations(): AsyncGenerator<Figure> {
  yield* await inFolder(async (folder) => {
    const path = join(folder, 'packbench.db')
    await copyFile(join(await longHistory(), 'packbench.db'), path)
    const opened = await openTestDatabase(path)
    const reader = await createReader(path, createThread(await databaseWorker()))
    if (!opened.ok) throw new Error('the long history can not be opened')
    try {
      return [await compare(opened.value, reader, join(folder, 'labels'))]
    } finally {
      await reader.destroy()
      await opened.value.destroy()
    }
  })
}

async function compare(database: OpenDatabase, reader: Database, labels: string): Promise<Figure> {
  const shipmentRepository = new ShipmentRepository(database, reader)
  const retention = new RetentionRepository(database, reader)
  const files = createShipmentFiles(labels)
  const [alone, beside]: [number[], number[]] = [[], []]
  let removed = 0
  await createSome(shipmentRepository)
  for (let turn = 0; turn < rounds; turn += 1) {
    alone.push(...(await createSome(shipmentRepository)))
    const stopping = new AbortController()
    const rule = { retentionDays: 30, now: later, misdated: null, signal: stopping.signal }
    const removing = removeOldShipments({ shipmentRepository, retention, files, log: silentLog }, rule)
    beside.push(...(await createSome(shipmentRepository)))
    stopping.abort()
    removed += await removing
  }
  if (removed === 0) throw new Error('nothing was removed meanwhile')
  return {
    name: `the intent of a creation while old ones of ${shipmentCount.toLocaleString('en')} shipments are removed, p95`,
    ...{ value: round(quantile(beside, 0.95)), unit: 'ms', judged: 'difference', atMost: 20 },
    reference: { name: 'while none is removed', value: quantile(alone, 0.95) },
    note: `medians ${round(quantile(beside, 0.5))} and ${round(quantile(alone, 0.5))} ms, longest ${round(Math.max(...beside))} and ${round(Math.max(...alone))} ms; ${removed} removed beside ${beside.length} creations; their label files are not there`,
  }
}

/** Creates shipments; returns the time of the first commit of each in milliseconds. */
async function createSome(shipmentRepository: ShipmentRepository): Promise<number[]> {
  const took: number[] = []
  for (let at = 0; at < creationsARound; at += 1) {
    const id = randomUUID()
    const draft = aDraft({ reference: `NEW-${id}` })
    const shipment = { id, attemptId: randomUUID(), draft, origin: 'screen' as const, print: false }
    took.push(
      await timed(() =>
        shipmentRepository.writeIntent({ ...shipment, takenAt: new Date().toISOString() }, undefined),
      ),
    )
    await pause(restMs)
  }
  return took
}
