import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import Libsql from 'libsql'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fillEmptyGuard } from '../../../src/main/shipments/duplicateGuard'
import { ShipmentRepository } from '../../../src/main/shipments/repository'
import { RetentionRepository } from '../../../src/main/shipments/retentionRepository'
import type { StoredCreation } from '../../../src/main/shipments/shipmentFiles'
import { migrations } from '../../../src/main/storage/migrations'
import { alterIndexPages } from '../../support/databaseDamage'
import { openTestDatabase } from '../../support/databaseWorker'
import { aDraft } from '../../support/drafts'
import { temporaryFolder } from '../../support/temporaryFolder'

const takenAt = new Date('2026-11-21T10:00:00.000Z')
const beforeTheGuard = migrations.findIndex((step) => step.includes('create table duplicate_guard'))

const all = (total: number) => total

async function opened(path: string) {
  const database = await openTestDatabase(path, { afterMigrations: fillEmptyGuard })
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  return {
    database: database.value,
    shipmentRepository: new ShipmentRepository(database.value),
    retention: new RetentionRepository(database.value),
  }
}

function aShipment(reference: string) {
  const draft = aDraft({ reference })
  return {
    id: randomUUID(),
    attemptId: randomUUID(),
    draft,
    origin: 'screen' as const,
    print: false,
    takenAt: takenAt.toISOString(),
  }
}

function creationWith(barcode: string): StoredCreation {
  return {
    version: 1,
    certainty: 'created',
    receivedAt: takenAt.toISOString(),
    storedAt: takenAt.toISOString(),
    barcodes: [barcode],
    serviceShipmentId: null,
    zendingId: null,
    subLogId: null,
    logId: null,
    message: null,
    trackingUrl: null,
    sealedLabelUrl: null,
    limits: null,
    labels: [],
  }
}

function confirm(reference: string, shipmentId: string) {
  return [{ reference, shipmentId }]
}

async function created(shipmentRepository: ShipmentRepository, reference: string): Promise<string> {
  const shipment = aShipment(reference)
  expect(await shipmentRepository.writeIntent(shipment, undefined)).toBeUndefined()
  await shipmentRepository.markCreated(shipment.id, creationWith(`3S-${reference}`), [])
  return shipment.id
}

describe('the duplicate guard', () => {
  it('returns time and barcode of a shipment removed by retention until the guard period ends', async () => {
    const { shipmentRepository, retention } = await opened(join(await temporaryFolder(), 'packbench.db'))
    const id = await created(shipmentRepository, 'ORDER-1')
    await retention.remove(id)
    expect(await shipmentRepository.find(id)).toBeUndefined()
    const remembered = {
      id,
      reference: 'ORDER-1',
      state: 'created',
      takenAt: takenAt.toISOString(),
      barcodes: ['3S-ORDER-1'],
    }
    expect(await shipmentRepository.writeIntent(aShipment('ORDER-1'), undefined)).toMatchObject({
      kind: 'already-created',
      shipment: remembered,
    })
    expect(await shipmentRepository.listEarlier('ORDER-1')).toMatchObject([remembered])
    expect(await retention.forgetReferences(takenAt, all)).toBe(0)
    expect(await retention.forgetReferences(new Date(takenAt.getTime() + 1), all)).toBe(1)
    expect(await shipmentRepository.writeIntent(aShipment('ORDER-1'), undefined)).toBeUndefined()
  })

  it('keeps a reference at least until the removal time when the clock was behind', async () => {
    const { shipmentRepository, retention } = await opened(join(await temporaryFolder(), 'packbench.db'))
    const id = await created(shipmentRepository, 'ORDER-1')
    const removedAt = new Date(takenAt.getTime() + 1000)
    await retention.remove(id, removedAt)
    expect(await shipmentRepository.listEarlier('ORDER-1')).toMatchObject([
      { takenAt: takenAt.toISOString() },
    ])
    expect(await retention.forgetReferences(removedAt, all)).toBe(0)
    expect(await retention.forgetReferences(new Date(removedAt.getTime() + 1), all)).toBe(1)
  })

  it('allows another shipment of a removed one’s reference only when a person confirms the removed one', async () => {
    const { shipmentRepository, retention } = await opened(join(await temporaryFolder(), 'packbench.db'))
    const id = await created(shipmentRepository, 'ORDER-1')
    await retention.remove(id)
    expect(
      await shipmentRepository.writeIntent(aShipment('ORDER-1'), confirm('ORDER-1', randomUUID())),
    ).toMatchObject({
      kind: 'already-created',
    })
    expect(await shipmentRepository.writeIntent(aShipment('ORDER-1'), confirm('ORDER-1', id))).toBeUndefined()
  })

  it('keeps a second shipment of a reference beside the first, and blocks with the newest', async () => {
    const { shipmentRepository, retention } = await opened(join(await temporaryFolder(), 'packbench.db'))
    const first = await created(shipmentRepository, 'ORDER-1')
    const later = new Date(takenAt.getTime() + 1000)
    const second = { ...aShipment('ORDER-1'), takenAt: later.toISOString() }
    expect(await shipmentRepository.writeIntent(second, confirm('ORDER-1', first))).toBeUndefined()
    expect(
      await shipmentRepository.writeIntent(aShipment('ORDER-1'), confirm('ORDER-1', first)),
    ).toMatchObject({
      ...{ kind: 'in-progress', shipment: { id: second.id, state: 'sent', takenAt: second.takenAt } },
    })
    await shipmentRepository.markCreated(second.id, creationWith('3S-SECOND'), [])
    for (const id of [first, second.id]) await retention.remove(id)
    expect(await shipmentRepository.listEarlier('ORDER-1')).toMatchObject([
      { id: second.id, barcodes: ['3S-SECOND'] },
      { id: first, barcodes: ['3S-ORDER-1'] },
    ])
    // The newest shipment of a reference decides when its entries are removed.
    expect(await retention.forgetReferences(later, all)).toBe(0)
    expect(await retention.forgetReferences(new Date(later.getTime() + 1), all)).toBe(2)
  })

  it('returns the shipment of a known attempt, even with another reference or after a refusal', async () => {
    const { shipmentRepository } = await opened(join(await temporaryFolder(), 'packbench.db'))
    const shipment = aShipment('ORDER-1')
    await shipmentRepository.writeIntent(shipment)
    const again = (reference: string) => ({ ...aShipment(reference), attemptId: shipment.attemptId })
    const known = { kind: 'same-attempt', shipment: { id: shipment.id, reference: 'ORDER-1' } }
    expect(await shipmentRepository.writeIntent(again('ORDER-1'))).toMatchObject(known)
    expect(await shipmentRepository.writeIntent(again('ORDER-2'))).toMatchObject(known)
    await shipmentRepository.markRefused(shipment.id, { code: 'service-refused', message: 'No.' }, takenAt)
    expect(await shipmentRepository.writeIntent(again('ORDER-1'))).toMatchObject(known)
    // The repeated attempts leave no entries.
    expect(await shipmentRepository.listEarlier('ORDER-2')).toEqual([])
    expect(await shipmentRepository.count()).toBe(1)
  })

  it('keeps references of any age that the history still contains, and frees refused ones', async () => {
    const { shipmentRepository, retention } = await opened(join(await temporaryFolder(), 'packbench.db'))
    await created(shipmentRepository, 'ORDER-1')
    const refused = aShipment('ORDER-2')
    await shipmentRepository.writeIntent(refused, undefined)
    await shipmentRepository.markRefused(refused.id, { code: 'service-refused', message: 'No.' }, takenAt)
    expect(await retention.forgetReferences(new Date('2999-01-01T00:00:00Z'), all)).toBe(0)
    expect(await shipmentRepository.writeIntent(aShipment('ORDER-1'), undefined)).toMatchObject({
      kind: 'already-created',
    })
    expect(await shipmentRepository.writeIntent(aShipment('ORDER-2'), undefined)).toBeUndefined()
  })

  it('finds all of 60 references although the index pages are damaged', async () => {
    const path = join(await temporaryFolder(), 'packbench.db')
    const first = await opened(path)
    const references = Array.from({ length: 60 }, (_, index) => `ORDER-${100 + index}`)
    for (const reference of references) await created(first.shipmentRepository, reference)
    await first.database.destroy()
    const raw = new Libsql(path)
    raw.pragma('wal_checkpoint(truncate)')
    raw.close()
    expect(alterIndexPages(path, 'ORDER-1')).toBeGreaterThanOrEqual(60)

    const { shipmentRepository } = await opened(path)
    for (const reference of references) {
      expect(await shipmentRepository.writeIntent(aShipment(reference), undefined)).toMatchObject({
        kind: 'already-created',
        shipment: { barcodes: [`3S-${reference}`] },
      })
    }
  })

  it('contains the created and unknown shipments of a database from before the guard', async () => {
    const path = join(await temporaryFolder(), 'packbench.db')
    const old = new Libsql(path)
    for (const step of migrations.slice(0, beforeTheGuard)) old.exec(step)
    const row = (id: string, state: string) =>
      `('${id}', '${id}', 'ORDER-${id}', '${state}', 'screen', '{}', '', '', 'NL', 1, 1, '2026-11-01T00:00:00.000Z', '["3S${id}"]', '')`
    old.exec(`insert into shipments (id, attempt_id, reference, state, origin, draft, recipient, city, country,
        carrier_option_id, print, taken_at, barcodes, search_text)
      values ${row('1', 'created')}, ${row('2', 'refused')}, ${row('3', 'unknown')};
      pragma user_version = ${beforeTheGuard};`)
    old.close()

    const { database, shipmentRepository } = await opened(path)
    await database.deleteFrom('shipments').execute()
    expect(await shipmentRepository.listEarlier('ORDER-1')).toMatchObject([
      { id: '1', state: 'created', barcodes: ['3S1'] },
    ])
    expect(await shipmentRepository.listEarlier('ORDER-2')).toEqual([])
    expect(await shipmentRepository.listEarlier('ORDER-3')).toMatchObject([{ id: '3', state: 'unknown' }])
  })
})
