import { randomUUID } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { connectToFleet } from '../../../src/main/fleet/connection'
import { FleetRepository } from '../../../src/main/fleet/fleetRepository'
import { prepareSchema } from '../../../src/main/fleet/schemaRepository'
import { SharedHistoryRepository } from '../../../src/main/fleet/sharedHistoryRepository'
import { toDay } from '../../../src/main/lib/localDay'
import { wholeHistory } from '../../../src/shared/history'
import { CountingCarrier } from '../../support/countingCarrier'
import { deferred } from '../../support/deferred'
import { aDraft } from '../../support/drafts'
import {
  type FleetStation,
  fleetStation,
  joined,
  published,
  putUnknown,
  twoStations,
} from '../../support/fleetStations'
import { postgresOfBlock, postgresPassword } from '../../support/privatePostgres'
import { stationOn } from '../../support/testStation'

const postgres = postgresOfBlock()

async function shipped(station: FleetStation, reference: string, companyName = 'Consignee BV') {
  const created = await station.services.shipping.create({
    ...{ attemptId: randomUUID(), origin: 'screen', print: false, takenAt: new Date() },
    draft: aDraft({ reference, companyName }),
  })
  if (!created.ok) throw new Error(created.error.message)
  return created.value
}

async function listAll({ services }: FleetStation, more: Partial<typeof wholeHistory> = {}) {
  const page = await services.history.search({
    ...wholeHistory,
    ...{ stations: 'all', limit: 100, before: null },
    ...more,
  })
  return page
}

describe('the history of all stations', () => {
  it('finds every shipment with its station from any station, and pages from the newest to the oldest', async () => {
    const { one, other } = await twoStations(postgres())
    for (const number of [1, 2, 3]) await shipped(one, `ONE-${number}`)
    await shipped(other, 'OTHER-1', 'Café Zürich')
    for (const { services } of [one, other]) await published(services)
    const { shipments, total } = await listAll(other)
    expect(shipments.map(({ reference, station }) => [reference, station?.name, station?.isThisOne])).toEqual(
      [
        ['OTHER-1', 'Bench 2', true],
        ['ONE-3', 'Bench 1', false],
        ['ONE-2', 'Bench 1', false],
        ['ONE-1', 'Bench 1', false],
      ],
    )
    expect(total).toBe(4)
    const found = async (text: string) =>
      (await listAll(one, { text })).shipments.map(({ reference }) => reference)
    expect(await found('zurich')).toEqual(['OTHER-1'])
    expect(await found('ONE-2')).toEqual(['ONE-2'])
    expect(await found('100%_')).toEqual([])
    expect(await found('annie@EXAMPLE.com')).toHaveLength(4)
    expect(await found('jannie@example.org')).toEqual([])
    const first = await other.services.history.search({
      ...wholeHistory,
      ...{ stations: 'all', limit: 3, before: null },
    })
    const second = await other.services.history.search({
      ...wholeHistory,
      ...{ stations: 'all', limit: 3, before: first.next },
    })
    expect([...first.shipments, ...second.shipments].map(({ reference }) => reference)).toEqual([
      ...['OTHER-1', 'ONE-3', 'ONE-2', 'ONE-1'],
    ])
    expect(second.next).toBeNull()
  })

  it('lists shipments of this station whose labels need attention for a reason that is not published', async () => {
    const { one } = await twoStations(postgres())
    const unplanned = await shipped(one, 'UNPLANNED-1')
    await shipped(one, 'ORDER-1')
    await published(one.services)
    await one.services.database
      .updateTable('labels')
      .set({ unplanned: 1 })
      .where('shipmentId', '=', unplanned.id)
      .execute()
    const { shipments, total } = await listAll(one, { onlyNeedingAttention: true })
    expect(shipments.map(({ reference }) => reference)).toEqual(['UNPLANNED-1'])
    expect(total).toBe(1)
  })

  it('continues a list that began without the fleet with the shipments of this station', async () => {
    const { one } = await twoStations(postgres())
    for (const number of [1, 2, 3]) await shipped(one, `ORDER-${number}`)
    await published(one.services)
    const search = { ...wholeHistory, limit: 2 }
    const first = await one.services.history.search({ ...search, stations: 'this', before: null })
    const second = await one.services.history.search({ ...search, stations: 'all', before: first.next })
    expect(second.shipments.map(({ reference }) => reference)).toEqual(['ORDER-1'])
  })

  it('counts up to 1,001 matches among 12,000 shipments, and pages through 1,000 of them', async () => {
    const fleet = await postgres().newFleet()
    const { services } = await fleetStation(new CountingCarrier(), fleet)
    await postgres().query(
      `insert into packbench.shipments (id, reference, station, attempt, state, taken_at, carrier_option, packages, country,
         barcodes, search_text)
       select 'id-' || i, 'MANY-' || i, id, 'attempt-' || i, 'created', now() - make_interval(secs => i), 34, 1, 'NL', '{}',
         concat_ws(' ', 'everyone', case when i % 11 = 0 then 'eleventh' end, case when i % 12 = 0 then 'twelfth' end,
           case when i > 11000 then 'oldest' end, case when i % 2000 = 0 then 'seldom' end)
       from packbench.stations, generate_series(1, 12000) i`,
      [],
      fleet.database,
    )
    const filter = { ...wholeHistory, stations: 'all' as const, limit: 100 }
    const totals = await Promise.all(
      ['everyone', 'eleventh', 'twelfth', 'oldest', 'seldom'].map(async (text) => {
        const { total } = await services.history.search({ ...filter, text, before: null })
        return [text, total]
      }),
    )
    expect(Object.fromEntries(totals)).toEqual({
      ...{ everyone: 1001, eleventh: 1001, twelfth: 1000, oldest: 1000, seldom: 6 },
    })
    const found: string[] = []
    for (let before: Parameters<typeof services.history.search>[0]['before'] = null; ; ) {
      const { shipments, next } = await services.history.search({ ...filter, text: 'twelfth', before })
      found.push(...shipments.map(({ reference }) => reference))
      if (next === null) break
      before = next
    }
    expect(found).toEqual(Array.from({ length: 1000 }, (_, index) => `MANY-${(index + 1) * 12}`))
  })

  it('filters by operator when none of many matches is among the newest shipments', async () => {
    const fleet = await postgres().newFleet()
    const { services } = await fleetStation(new CountingCarrier(), fleet)
    await postgres().query(
      `insert into packbench.shipments (id, reference, station, attempt, state, taken_at, carrier_option, packages, country,
         barcodes, search_text, operator)
       select 'id-' || i, 'MANY-' || i, id, 'attempt-' || i, 'created', now() - make_interval(secs => i), 34, 1, 'NL', '{}',
         'text', case when i > 10000 then 'Anna' else 'Bert' end
       from packbench.stations, generate_series(1, 41000) i`,
      [],
      fleet.database,
    )
    const filter = { ...wholeHistory, stations: 'all' as const, limit: 2, operator: 'Anna' }
    const first = await services.history.search({ ...filter, before: null })
    const second = await services.history.search({ ...filter, before: first.next })
    expect(first).toMatchObject({ total: 1001, fleetError: null })
    expect([first, second].map(({ shipments }) => shipments.map(({ reference }) => reference))).toEqual([
      ['MANY-10001', 'MANY-10002'],
      ['MANY-10003', 'MANY-10004'],
    ])
  })

  it('finds words by their beginnings when the role may not use the trigram extension', async () => {
    const fleet = await postgres().newFleet()
    // The role does not own the database and may change only its own schema.
    await postgres()
      .query("create role plain login password 'cluster-9-secret'")
      .catch(() => undefined)
    await postgres().query('create schema packbench authorization plain', [], fleet.database)
    const station = await fleetStation(new CountingCarrier(), { ...fleet, user: 'plain' })
    await shipped(station, 'PLAIN-1', 'Café Zürich')
    await published(station.services)
    const indexes = await postgres().query(
      "select indexname from pg_indexes where indexname like 'shipments_by_%s' order by 1",
      [],
      fleet.database,
    )
    expect(indexes).toEqual([{ indexname: 'shipments_by_words' }])
    for (const text of ['zuri', 'plain-1', 'caf zur']) {
      expect((await listAll(station, { text })).shipments.map(({ reference }) => reference)).toEqual([
        'PLAIN-1',
      ])
    }
    expect((await listAll(station, { text: 'urich' })).shipments).toEqual([])
  })

  it('shows, previews and reprints another station’s shipment, and keeps a label copy that prints while the database is unreachable', async () => {
    const { fleet, one, other } = await twoStations(postgres())
    const { id } = await shipped(one, 'ONE-1')
    await published(one.services)
    const details = await other.services.handlers.getShipment({ shipmentId: id })
    if (!details.ok) throw new Error(details.error.message)
    expect(details.value).toMatchObject({
      ...{ reference: 'ONE-1', state: 'created', station: { name: 'Bench 1', isThisOne: false } },
      draft: { street: aDraft().street },
    })
    const [label] = details.value.labels
    const preview = await other.services.handlers.previewPrint({ labelId: label?.id ?? '' })
    expect(preview).toMatchObject({ value: { text: expect.stringContaining('3S-ONE-1') } })
    // From now on only the local copy is available.
    await postgres().stop('fast')
    await joined(other.services, 'away')
    const printed = await other.services.handlers.reprint({ shipmentId: id })
    expect(printed).toMatchObject({ value: [{ reference: 'ONE-1', station: 'Bench 1', kind: 'reprint' }] })
    const isDone = async () => (await other.services.jobs.listByShipment(id)).map(({ state }) => state)
    await expect.poll(isDone).toEqual(['done'])
    expect(await readdir(join(other.dataFolder, 'out'))).toHaveLength(1)
    await postgres().start()
    await joined(other.services)
    // It stays another station's shipment: neither this station's journal nor its outbox contains it.
    expect(await other.services.shipmentRepository.find(id)).toBeUndefined()
    await published(other.services)
    const stations = await postgres().query('select name from packbench.stations', [], fleet.database)
    expect(stations).toHaveLength(2)
    await other.services.labelCopies.removeBefore(new Date(Date.now() + 1000))
    expect(await other.services.jobs.listByShipment(id)).toEqual([])
  })

  it('can be searched again after its first query failed', async () => {
    const connected = await connectToFleet(await postgres().newFleet(), postgresPassword, () => undefined)
    if (!connected.ok) throw new Error(connected.error.message)
    const { database, reading, close } = connected.value
    onTestFinished(close)
    await prepareSchema(database)
    let failures = 1
    const failing = reading.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        failures -= 1
        if (failures >= 0) throw new Error('the statement took too long')
        return result
      },
    })
    const history = new SharedHistoryRepository(failing, 'a')
    const search = () => history.search({ ...wholeHistory, stations: 'all', limit: 100, before: null })
    await expect(search()).rejects.toThrow('the statement took too long')
    expect(await search()).toMatchObject({ shipments: [], total: 0 })
  })

  it('leaves out a label problem that its station closed', async () => {
    const { one, other } = await twoStations(postgres())
    const { id } = await shipped(one, 'CLOSED-1')
    const { shipmentRepository, shipping } = one.services
    const [label] = await shipmentRepository.listLabels(id)
    if (label === undefined) throw new Error('there is no label')
    const damaged = { ...label, file: null, sha256: null, byteLength: 0, problem: 'undecodable' as const }
    await shipmentRepository.completeLabel(id, damaged, new Date(), [])
    const listOpen = async () => {
      const { shipments } = await listAll(other, { onlyNeedingAttention: true })
      return shipments.map(({ reference }) => reference)
    }
    await expect.poll(listOpen).toEqual(['CLOSED-1'])
    await shipping.closeLabelProblems(id, 'printed at the carrier')
    await published(one.services)
    expect(await listOpen()).toEqual([])
    const [found] = (await listAll(other)).shipments
    expect(found?.labels).toMatchObject([
      { problem: 'undecodable', closed: { reason: 'printed at the carrier' } },
    ])
    // A label that arrives after that, and is damaged again, is open again.
    await shipmentRepository.completeLabel(id, damaged, new Date(), [])
    await expect.poll(listOpen).toEqual(['CLOSED-1'])
  })

  it('leaves out the label problem of an unknown shipment that another station found does not exist', async () => {
    const { fleet, one, other } = await twoStations(postgres())
    const id = await putUnknown(one, 'GONE-1')
    await one.stop()
    await postgres().query(
      `insert into packbench.labels (id, shipment, position, barcode, kind, byte_length, problem)
        values ('label-of-gone', $1, 1, '', 'pdf', 0, 'undecodable')`,
      [id],
      fleet.database,
    )
    const listOpen = async () =>
      (await listAll(other, { onlyNeedingAttention: true })).shipments.map(({ reference }) => reference)
    expect(await listOpen()).toEqual(['GONE-1'])
    expect(await other.services.shipping.resolveUnknown(id, 'does-not-exist', null)).toMatchObject({
      ok: true,
    })
    expect(await listOpen()).toEqual([])
  })

  it('leaves out shipments with an unknown state of a newer version, and shows the others', async () => {
    const { fleet, one, other } = await twoStations(postgres())
    const odd = await shipped(one, 'NEWER-1')
    await shipped(one, 'NEWER-2')
    await published(one.services)
    await postgres().query(
      "update packbench.shipments set state = 'teleported' where id = $1",
      [odd.id],
      fleet.database,
    )
    expect((await listAll(other)).shipments.map(({ reference }) => reference)).toEqual(['NEWER-2'])
    expect(await other.services.history.getDetails(odd.id)).toMatchObject({
      error: { code: 'shipment-not-found' },
    })
    await postgres().query(
      "update packbench.labels set kind = 'hologram' where shipment = $1",
      [odd.id],
      fleet.database,
    )
    expect(await other.services.labels.listByShipment(odd.id)).toMatchObject({
      error: { code: 'fleet-label-damaged' },
    })
  })

  it('lists earlier shipments of a reference from every station', async () => {
    const { one, other } = await twoStations(postgres())
    const created = await shipped(one, 'EARLIER-1')
    await published(one.services)
    expect(await other.services.history.listEarlier(' EARLIER-1 ')).toEqual([
      {
        ...{ shipmentId: created.id, state: 'created', barcodes: created.barcodes },
        ...{ takenAt: created.takenAt, station: 'Bench 1' },
      },
    ])
    expect(await one.services.history.listEarlier('EARLIER-1')).toMatchObject([{ shipmentId: created.id }])
    expect(await other.services.history.listEarlier('EARLIER-2')).toEqual([])
  })

  it('lists the shipment of another station before those of this one that were cancelled at the carrier', async () => {
    const { one, other } = await twoStations(postgres())
    const cancelled = await shipped(one, 'AGAIN-1')
    await one.services.shipping.noteCancellation(cancelled.id, 'By phone')
    await published(one.services)
    const again = await other.ship('AGAIN-1', { confirmedDuplicateOf: cancelled.id })
    if (!again.ok) throw new Error(again.error.message)
    await published(other.services)
    expect(await one.services.history.listEarlier('AGAIN-1')).toMatchObject([
      { shipmentId: again.value.id, station: 'Bench 2' },
      { shipmentId: cancelled.id, cancelledAt: expect.any(String) },
    ])
  })

  it('is counted in a report by station', async () => {
    const { one, other } = await twoStations(postgres())
    for (const reference of ['R-1', 'R-2']) await shipped(one, reference)
    await shipped(other, 'R-3')
    for (const { services } of [one, other]) await published(services)
    const now = new Date()
    const today = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
      .map((part) => String(part).padStart(2, '0'))
      .join('-')
    const period = { from: today, to: today }
    const all = await other.services.handlers.getShippingReport({ ...period, stations: 'all' })
    const own = await other.services.handlers.getShippingReport({ ...period, stations: 'this' })
    if (!all.ok || !own.ok) throw new Error('there is no report')
    expect(all.value.stations.map(({ name, shipments }) => [name, shipments])).toEqual([
      ['Bench 1', 2],
      ['Bench 2', 1],
    ])
    expect(all.value.total).toEqual({
      shipments: 3,
      packages: 3 * own.value.total.packages,
      weight: 3 * own.value.total.weight,
    })
    expect(all.value.total.weight).toBeGreaterThan(0)
  })

  it('counts in no report once it was cancelled at the carrier, and is found by that state', async () => {
    const { one, other } = await twoStations(postgres())
    const { id } = await shipped(one, 'CANCELLED-1')
    await shipped(one, 'CANCELLED-2')
    await one.services.shipping.noteCancellation(id, 'By phone')
    await published(one.services)
    const today = toDay(new Date())
    const report = await other.services.handlers.getShippingReport({
      from: today,
      to: today,
      stations: 'all',
    })
    expect(report).toMatchObject({ value: { total: { shipments: 1 } } })
    const listed = async (state: 'created' | 'cancelled') => {
      const filter = { ...wholeHistory, stations: 'all', state, limit: 10, before: null } as const
      return (await other.services.history.search(filter)).shipments.map(({ reference }) => reference)
    }
    expect(await listed('created')).toEqual(['CANCELLED-2'])
    expect(await listed('cancelled')).toEqual(['CANCELLED-1'])
  })

  it('can be filtered by its country and carrier option at a station that shipped to none itself', async () => {
    const { one, other } = await twoStations(postgres())
    const { country, carrierOptionId } = await shipped(one, 'CHOICE-1')
    await published(one.services)
    const listed = (stations: 'this' | 'all') => other.services.handlers.listHistoryChoices({ stations })
    const none = { countries: [], carrierOptionIds: [], operators: [] }
    expect(await listed('this')).toEqual({ ok: true, value: none })
    expect(await listed('all')).toEqual({
      ok: true,
      value: { ...none, countries: [country], carrierOptionIds: [carrierOptionId] },
    })
  })

  it('refuses to reprint a label with bytes that do not match their hash', async () => {
    const { fleet, one, other } = await twoStations(postgres())
    const { id } = await shipped(one, 'ONE-1')
    await published(one.services)
    await postgres().query("update packbench.labels set bytes = 'other'", [], fleet.database)
    expect(await other.services.handlers.reprint({ shipmentId: id })).toMatchObject({
      error: { code: 'fleet-label-damaged' },
    })
  })

  it('refuses to reprint a shipment until the fleet has all of its labels, but prints and confirms a label that has arrived', async () => {
    const { one, other } = await twoStations(postgres())
    const arriving = deferred<undefined>()
    onTestFinished(() => {
      vi.restoreAllMocks()
      arriving.resolve(undefined)
    })
    const { putLabel } = FleetRepository.prototype
    const put = vi.spyOn(FleetRepository.prototype, 'putLabel')
    put.mockImplementation(async function (this: FleetRepository, shipment, label, bytes) {
      if (bytes !== null && label.position > 1) await arriving.promise
      return putLabel.call(this, shipment, label, bytes)
    })
    const created = await one.services.shipping.create({
      ...{ attemptId: randomUUID(), origin: 'screen', print: false, takenAt: new Date() },
      draft: aDraft({ reference: 'TWO', numberOfPackages: 2 }),
    })
    if (!created.ok) throw new Error(created.error.message)
    const { id, labels } = created.value
    const { handlers } = other.services
    const printFirst = () => handlers.reprint({ shipmentId: id, labelId: labels[0]?.id ?? '' })
    await expect.poll(printFirst).toMatchObject({ value: [{ reference: 'TWO' }] })
    const isDone = async () => (await other.services.jobs.listByShipment(id)).map(({ state }) => state)
    await expect.poll(isDone).toEqual(['done'])
    const code = labels[0]?.barcode ?? ''
    expect(await handlers.confirmScan({ shipmentId: id, code })).toMatchObject({
      value: { matches: true, jobs: [{ labelId: labels[0]?.id }] },
    })
    const message = expect.stringContaining('print those that have arrived one by one')
    const incomplete = { error: { code: 'fleet-labels-incomplete', message } }
    expect(await handlers.reprint({ shipmentId: id })).toMatchObject(incomplete)
    expect(await handlers.reprint({ shipmentId: id, labelId: labels[1]?.id ?? '' })).toMatchObject(incomplete)
    arriving.resolve(undefined)
    await published(one.services)
    expect(await handlers.reprint({ shipmentId: id })).toMatchObject({
      value: [{ reference: 'TWO' }, { reference: 'TWO' }],
    })
  })

  it.each([
    ['', false],
    [', also labels that an older version named', true],
  ])(
    'prints each label of a shipment once after its station lost its database and rebuilt its history%s',
    async (_, areNamedAtRandom) => {
      const { carrier, fleet, one, other } = await twoStations(postgres())
      const created = await one.services.shipping.create({
        ...{ attemptId: randomUUID(), origin: 'screen', print: false, takenAt: new Date() },
        draft: aDraft({ reference: 'TWO', numberOfPackages: 2 }),
      })
      if (!created.ok) throw new Error(created.error.message)
      const { id } = created.value
      await published(one.services)
      const summary = join(one.dataFolder, 'labels', id, 'shipment.json')
      const stored = JSON.parse(await readFile(summary, 'utf8'))
      for (const label of areNamedAtRandom ? stored.labels : []) {
        const name = randomUUID()
        const rename = 'update packbench.labels set id = $1 where id = $2'
        await postgres().query(rename, [name, label.id], fleet.database)
        const { database } = one.services
        await database.updateTable('labels').set({ id: name }).where('id', '=', label.id).execute()
        label.id = name
      }
      await writeFile(summary, JSON.stringify(stored))
      await published(one.services)
      const reprint = () => other.services.handlers.reprint({ shipmentId: id })
      const twoJobs = { value: [{ reference: 'TWO' }, { reference: 'TWO' }] }
      expect(await reprint()).toMatchObject(twoJobs)
      await one.stop()
      for (const name of await readdir(one.dataFolder)) {
        if (name.startsWith('packbench.db')) await rm(join(one.dataFolder, name))
      }
      // The crash cut off the upload of a label.
      await postgres().query(
        'update packbench.labels set bytes = null, sha256 = null where position = 2',
        [],
        fleet.database,
      )
      const station = await stationOn(one.dataFolder)
      expect(await station.start()).toMatchObject({ error: { code: 'history-missing' } })
      const rebuilt = await station.recoverHistory('rebuild')
      if (!rebuilt.ok) throw new Error(rebuilt.error.message)
      carrier.serve(rebuilt.value)
      await joined(rebuilt.value)
      await published(rebuilt.value)
      const labels =
        'select position, bytes is not null as "hasBytes" from packbench.labels order by position'
      expect(await postgres().query(labels, [], fleet.database)).toEqual([
        { position: 1, hasBytes: true },
        { position: 2, hasBytes: true },
      ])
      expect(await reprint()).toMatchObject(twoJobs)
    },
  )

  it('keeps a label that its station lost with its history', async () => {
    const { fleet, one, other } = await twoStations(postgres())
    const { id } = await shipped(one, 'LOST')
    await published(one.services)
    const { database } = one.services
    const lost = { file: null, sha256: null, problem: 'not-fetched' } as const
    await database.updateTable('labels').set(lost).where('shipmentId', '=', id).execute()
    await published(one.services)
    const whole = 'select count(bytes)::int as labels from packbench.labels where problem is null'
    expect(await postgres().query(whole, [], fleet.database)).toEqual([{ labels: 1 }])
    expect(await other.services.handlers.reprint({ shipmentId: id })).toMatchObject({
      value: [{ reference: 'LOST' }],
    })
  })

  it('reprints a whole shipment while the database is unreachable only if all of its labels were copied', async () => {
    const { one, other } = await twoStations(postgres())
    const ids: string[] = []
    for (const reference of ['PART', 'WHOLE']) {
      const created = await one.services.shipping.create({
        ...{ attemptId: randomUUID(), origin: 'screen', print: false, takenAt: new Date() },
        draft: aDraft({ reference, numberOfPackages: 2 }),
      })
      if (!created.ok) throw new Error(created.error.message)
      ids.push(created.value.id)
    }
    await published(one.services)
    const [part = '', whole = ''] = ids
    const { handlers, jobs } = other.services
    const details = await handlers.getShipment({ shipmentId: part })
    const [first] = details.ok ? details.value.labels : []
    const printOne = { shipmentId: part, labelId: first?.id ?? '' }
    expect(await handlers.reprint(printOne)).toMatchObject({ ok: true })
    expect(await handlers.reprint({ shipmentId: whole })).toMatchObject({ ok: true })
    const listStates = async () =>
      [...(await jobs.listByShipment(part)), ...(await jobs.listByShipment(whole))].map(({ state }) => state)
    await expect.poll(listStates).toEqual(['done', 'done', 'done'])
    await postgres().stop('fast')
    await joined(other.services, 'away')
    expect(await handlers.reprint({ shipmentId: part })).toMatchObject({
      error: { code: 'fleet-unreachable' },
    })
    const code = first?.barcode ?? ''
    expect(await handlers.confirmScan({ shipmentId: part, code })).toMatchObject({ value: { matches: true } })
    expect(await handlers.reprint(printOne)).toMatchObject({ value: [{ reference: 'PART' }] })
    expect(await handlers.reprint({ shipmentId: whole })).toMatchObject({
      value: [{ reference: 'WHOLE' }, { reference: 'WHOLE' }],
    })
    await postgres().start()
    await joined(other.services)
  })

  it('shows only this station’s shipments, with an error, while the database is unreachable', async () => {
    const { one, other } = await twoStations(postgres())
    await shipped(one, 'ONE-1')
    await shipped(other, 'OTHER-1')
    for (const { services } of [one, other]) await published(services)
    await postgres().stop('fast')
    await joined(other.services, 'away')
    const { shipments, fleetError } = await listAll(other)
    expect(shipments.map(({ reference }) => reference)).toEqual(['OTHER-1'])
    expect(fleetError?.code).toBe('fleet-unreachable')
    await postgres().start()
    await joined(other.services)
    expect((await listAll(other)).fleetError).toBeNull()
  })

  it('sends no query to the fleet’s database when only this station is selected', async () => {
    const { one } = await twoStations(postgres())
    const look = vi.spyOn(one.services.fleet, 'queryHistory')
    await listAll(one, { stations: 'this' })
    expect(look).not.toHaveBeenCalled()
  })
})
