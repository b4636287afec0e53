import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { ShipmentRepository } from '../../../src/main/shipments/repository'
import { openDatabase } from '../../../src/main/storage/database'
import { buildWorker } from '../../support/builtWorker'
import { postgresOfBlock, postgresPassword } from '../../support/privatePostgres'
import { temporaryFolder } from '../../support/temporaryFolder'
import { jsonText, startRawServer } from '../carrier/rawServer'

const postgres = postgresOfBlock()

/** Orders of the list; PACKBENCH_CHAOS=600 for the long run. */
const orders = Number(process.env.PACKBENCH_CHAOS ?? 45)
const kills = Math.max(6, Math.round(orders / 20))

let script: string
beforeAll(async () => {
  script = fileURLToPath(await buildWorker('stationProcess', 'tests/integration/fleet/stationProcess.ts'))
})

function toLabel(reference: string): Buffer {
  return Buffer.from(`^XA^FD3S${reference}^FS^XZ`)
}

/** A service that refuses some requests, and lets others go without an answer after it has done its work. */
async function startService() {
  const requests = new Map<string, number>()
  let number = 0
  const server = await startRawServer((socket, { body }) => {
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

it('three stations ship one list, while they are killed and the database is cut off', async () => {
  const service = await startService()
  const fleet = await postgres().newFleet()
  const benches = await Promise.all(
    ['Bench 1', 'Bench 2', 'Bench 3'].map(async (station) => ({ station, folder: await temporaryFolder() })),
  )
  const ended = new Map<string, Promise<number | null>>()
  const running = new Map<string, ChildProcess>()
  const start = ({ station, folder }: { station: string; folder: string }) => {
    const args = [
      folder,
      service.origin,
      JSON.stringify({ ...fleet, station }),
      postgresPassword,
      String(orders),
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
  for (const { station } of benches) expect(await ended.get(station)).toBe(0)

  const twice = [...service.requests].filter(([, count]) => count > 1)
  expect(twice).toEqual([])
  const claims = await postgres().query(
    "select reference, held_state from packbench.claims where reference like 'CHAOS-%'",
    [],
    fleet.database,
  )
  expect(claims).toHaveLength(orders)
  expect(claims.filter(({ held_state }) => held_state === 'claimed')).toEqual([])
  const tally = { orders, kills, requests: service.requests.size, created: 0, unknown: 0, labels: 0 }
  for (const { station, folder } of benches) {
    const database = openDatabase(join(folder, 'packbench.db'))
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
}, 600_000)
