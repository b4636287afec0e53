import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { isTemporary } from '../../../src/main/hotFolder/folders'
import { ShipmentRepository } from '../../../src/main/shipments/repository'
import type { FleetSettings } from '../../../src/shared/fleet'
import { buildWorker } from '../../support/builtWorker'
import { databaseWorker, openTestDatabase } from '../../support/databaseWorker'
import { postgresOfBlock, postgresPassword } from '../../support/privatePostgres'
import { temporaryFolder } from '../../support/temporaryFolder'
import { httpText, jsonText, startRawServer } from '../carrier/rawServer'
import { resultSchema } from '../hotFolder/orderResultSchema'

const postgres = postgresOfBlock()

/** Number of orders in the list; the long run uses PACKBENCH_CHAOS=600. */
const orders = Number(process.env.PACKBENCH_CHAOS ?? 45)
const kills = Math.max(6, Math.round(orders / 20))

/** Number of files in the shared hot folder. */
const folderFiles = Math.max(200, orders)
const orderRecord = {
  ...{
    last_name: 'Jansen',
    street: 'Dorpsstraat',
    house_number: '1',
    postal_code: '3511 AB',
    city: 'Utrecht',
  },
  ...{ country: 'NL', weight: 1.2, carrier_id: 12, carrier_option_id: 34 },
}

let script: string
beforeAll(async () => {
  script = fileURLToPath(await buildWorker('stationProcess', 'tests/integration/fleet/stationProcess.ts'))
})

function toLabel(reference: string): Buffer {
  return Buffer.from(`^XA^FD3S${reference}^FS^XZ`)
}

/** A service that refuses every 11th creation, creates every 13th shipment without sending an answer, and tracks nothing. */
async function startService() {
  const requests = new Map<string, number>()
  let number = 0
  const server = await startRawServer((socket, { requestLine, body }) => {
    if (!requestLine.startsWith('POST')) {
      const key = { state: 'true', Errors: '', apikey: 'k3y-0f-the-station' }
      socket.write(requestLine.startsWith('GET /auth') ? jsonText(key) : httpText(503, ''))
      return
    }
    const { reference } = z.object({ reference: z.string() }).parse(JSON.parse(body))
    number += 1
    if (number % 11 === 0) {
      const refusal = Buffer.from('{"state":false,"Errors":"try again"}')
      socket.write(
        Buffer.concat([Buffer.from(`HTTP/1.1 422 No\r\nContent-Length: ${refusal.length}\r\n\r\n`), refusal]),
      )
      return
    }
    requests.set(reference, (requests.get(reference) ?? 0) + 1)
    if (number % 13 === 0) {
      socket.destroy()
      return
    }
    const content = toLabel(reference).toString('base64')
    const labels = [{ barcode: `3S${reference}`, labeltype: 'zpl', encodeType: 'base64', content }]
    const answer = jsonText({ status: true, labels, shipmentID: reference, SubLogID: reference })
    setTimeout(() => socket.write(answer), Math.random() * 60)
  })
  onTestFinished(() => server.close())
  return { requests, origin: server.origin }
}

/**
 * Runs one station per entry of `works`, kills and restarts them, and stops PostgreSQL now and then, until all of them have
 * finished. Expects that the service has received no reference twice.
 * @param untilDelivered waits for the end of the work where the stations themselves cannot detect it
 */
async function runStations(
  service: Awaited<ReturnType<typeof startService>>,
  works: readonly string[],
  untilDelivered?: () => Promise<void>,
) {
  const worker = String(await databaseWorker())
  const fleet = await postgres().newFleet()
  const benches = await Promise.all(
    works.map(async (work, index) => ({
      work,
      station: `Bench ${index + 1}`,
      folder: await temporaryFolder(),
    })),
  )
  const ended = new Map<string, Promise<number | null>>()
  const running = new Map<string, ChildProcess>()
  const start = ({ work, station, folder }: (typeof benches)[number]) => {
    const args = [
      folder,
      service.origin,
      JSON.stringify({ ...fleet, station }),
      postgresPassword,
      String(orders),
      worker,
      work,
    ]
    const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    running.set(station, child)
    onTestFinished(() => void child.kill('SIGKILL'))
    ended.set(station, new Promise((resolve) => child.on('close', (code) => resolve(code))))
    return new Promise<void>((resolve) => {
      child.stdout.once('data', () => resolve())
      child.once('close', () => resolve())
    })
  }
  await Promise.all(benches.map(start))
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(Math.random() * 800)
    const bench = benches[kill % benches.length]
    if (bench === undefined) break
    running.get(bench.station)?.kill('SIGKILL')
    await ended.get(bench.station)
    if (kill % 3 === 1) await postgres().stop(kill % 2 === 0 ? 'fast' : 'immediate')
    await start(bench)
    if (kill % 3 === 1) {
      await pause(Math.random() * 500)
      await postgres().start()
    }
  }
  await untilDelivered?.()
  for (const { station } of benches) expect(await ended.get(station)).toBe(0)
  const twice = [...service.requests].filter(([, count]) => count > 1)
  expect(twice).toEqual([])
  return { fleet, benches }
}

it('three stations ship each reference of one list once while stations are killed and the database stops', {
  retry: 0,
  timeout: 600_000,
}, async () => {
  const service = await startService()
  const { fleet, benches } = await runStations(service, ['references', 'references', 'references'])
  await checkShipments(service, fleet, benches)
})

it('three stations ship each order of the shared list once in batches while stations are killed and the database stops', {
  retry: 0,
  timeout: 600_000,
}, async () => {
  const service = await startService()
  const { fleet, benches } = await runStations(service, ['import', 'list', 'list'])
  await checkShipments(service, fleet, benches)
  const shared = await postgres().query(
    'select id, reference, state, shipment from packbench.orders order by id',
    [],
    fleet.database,
  )
  expect(shared).toHaveLength(orders)
  for (const { folder } of benches) {
    const database = await openTestDatabase(join(folder, 'packbench.db'))
    if (!database.ok) throw new Error(database.error.message)
    onTestFinished(() => database.value.destroy())
    const listed = await database.value
      .selectFrom('orders')
      .select(['id', 'reference', 'state', 'shipmentId as shipment'])
      .orderBy('id')
      .execute()
    expect(
      listed.map((order) => ({ ...order, state: order.state === 'shipped' ? 'shipped' : 'open' })),
    ).toEqual(shared)
  }
})

it('three stations process each file of one hot folder once while stations are killed and the database stops', {
  retry: 0,
  timeout: 600_000,
}, async () => {
  const service = await startService()
  const folder = await temporaryFolder()
  const list = (place: string) => readdir(join(folder, place)).catch(() => [])
  await mkdir(join(folder, 'in'))
  // Some references are in two files: one of the two is a duplicate.
  const references = Array.from({ length: folderFiles }, (_, index) => [
    `CHAOS-${index}`,
    ...(index % 5 === 0 ? [`CHAOS-${index + 1}`] : []),
  ])
  const names = references.map((_, index) => `file-${String(index).padStart(3, '0')}.json`)
  for (const [index, of] of references.entries()) {
    const records = of.map((reference) => ({ ...orderRecord, reference }))
    await writeFile(join(folder, 'in', names[index] ?? ''), JSON.stringify(records))
  }
  const isOrder = (name: string) => name.endsWith('.json') && !name.endsWith('.result.json')
  // What a killed station was writing stays for a day: another one may be writing it.
  const isResult = (name: string) => !isOrder(name) && !isTemporary(name)
  const { benches } = await runStations(service, Array(3).fill(`folder:${folder}`), async () => {
    await expect
      .poll(async () => [...(await list('done')), ...(await list('failed'))].filter(isOrder).length, {
        timeout: 300_000,
        interval: 200,
      })
      .toBe(folderFiles)
    await writeFile(join(folder, 'everything-is-delivered'), '')
  })
  const delivered = (await Promise.all(['done', 'failed'].map(list))).flat()
  expect(delivered.filter(isOrder).toSorted()).toEqual(names)
  expect(delivered.filter(isResult).toSorted()).toEqual(
    names.map((name) => name.replace('.json', '.result.json')),
  )
  expect(await list('in')).toEqual([])
  const left = await readdir(join(folder, 'work'), { recursive: true })
  expect(left.filter((name) => name.endsWith('.json'))).toEqual([])
  const tally: Record<string, number> = { files: folderFiles, kills, requests: service.requests.size }
  for (const place of ['done', 'failed']) {
    for (const name of (await list(place)).filter(isResult)) {
      const text = await readFile(join(folder, place, name), 'utf8')
      for (const { outcome } of resultSchema.parse(JSON.parse(text)).results) {
        tally[outcome] = (tally[outcome] ?? 0) + 1
      }
    }
  }
  expect(benches).toHaveLength(3)
  process.stdout.write(`${JSON.stringify(tally)}\n`)
})

/** Expects one outcome for each reference, and in the fleet's database every shipment and label of the journals. */
async function checkShipments(
  service: Awaited<ReturnType<typeof startService>>,
  fleet: FleetSettings,
  benches: readonly { station: string; folder: string }[],
): Promise<void> {
  const claims = await postgres().query(
    "select reference, held_state from packbench.claims where reference like 'CHAOS-%'",
    [],
    fleet.database,
  )
  expect(claims).toHaveLength(orders)
  expect(claims.filter(({ held_state }) => held_state === 'claimed')).toEqual([])
  const tally = { orders, kills, requests: service.requests.size, created: 0, unknown: 0, labels: 0 }
  for (const { station, folder } of benches) {
    const database = await openTestDatabase(join(folder, 'packbench.db'))
    if (!database.ok) throw new Error(database.error.message)
    onTestFinished(() => database.value.destroy())
    const own = await new ShipmentRepository(database.value).listInStates(['created', 'unknown', 'refused'])
    const shared = await postgres().query(
      `select shipments.id, state, barcodes, labels.sha256, labels.bytes from packbench.shipments
       join packbench.stations on stations.id = shipments.station
       left join packbench.labels on labels.shipment = shipments.id where name = $1`,
      [station],
      fleet.database,
    )
    const states = (rows: readonly Record<string, unknown>[]) =>
      rows.map(({ id, state, barcodes }) => JSON.stringify([id, state, barcodes])).toSorted()
    expect(states(shared)).toEqual(states(own.map(({ id, state, barcodes }) => ({ id, state, barcodes }))))
    for (const shipment of own) {
      if (!shipment.reference.startsWith('CHAOS-')) continue
      if (shipment.state === 'unknown') tally.unknown += 1
      if (shipment.state !== 'created') continue
      tally.created += 1
      const { bytes, sha256 } = shared.find(({ id }) => id === shipment.id) ?? {}
      const expected = toLabel(shipment.reference)
      expect(bytes).toEqual(expected)
      expect(sha256).toBe(createHash('sha256').update(expected).digest('hex'))
      tally.labels += 1
    }
  }
  expect(tally.created + tally.unknown).toBe(orders)
  process.stdout.write(`${JSON.stringify(tally)}\n`)
}
