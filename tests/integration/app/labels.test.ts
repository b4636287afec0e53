import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Services } from '../../../src/main/app/compose'
import type { LifecycleDeps } from '../../../src/main/app/lifecycle'
import type { SettingsChange } from '../../../src/shared/settings'
import type { ShipmentDetails } from '../../../src/shared/shipments'
import { deferred } from '../../support/deferred'
import type { aDraft } from '../../support/drafts'
import { markedPdf } from '../../support/printing/labels'
import { listNeedingAttention, shipAndPrint } from '../../support/ship'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, stationOn, testSimulator } from '../../support/testStation'
import { httpText, jsonText, type RawServer, startRawServer } from '../carrier/rawServer'

async function shipped(
  features: Services,
  change: Parameters<typeof aDraft>[0] = {},
): Promise<ShipmentDetails> {
  const result = await shipAndPrint(features, change)
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`)
  return result.value
}

/** Waits until the print jobs of a shipment, usually one, are done. */
async function printed(features: Services, shipmentId: string, count = 1): Promise<void> {
  await expect
    .poll(async () => (await features.jobs.listByShipment(shipmentId)).map(({ state }) => state))
    .toEqual(Array.from({ length: count }, () => 'done'))
}

const pdf = await markedPdf()

const byUrl: SettingsChange = { labelDelivery: 'by-url' }

describe('a label by URL after a failed fetch', () => {
  it('is fetched again and printed without a second creation request', async () => {
    const simulator = await testSimulator()
    const { features } = await connectedStation(await temporaryFolder(), simulator, byUrl)
    simulator.faults.add({ operation: 'label', fault: { kind: 'resetAfterReading' }, times: 1 })
    const shipment = await shipped(features)
    expect(shipment).toMatchObject({ state: 'created', labels: [{ problem: 'not-fetched' }], jobs: [] })
    await printed(features, shipment.id)
    const asked = simulator.requests.map(({ operation }) => operation)
    expect(asked.filter((operation) => operation === 'shipment')).toHaveLength(1)
    expect(asked.filter((operation) => operation === 'label')).toHaveLength(2)
  })

  it('is fetched and printed after a restart without a second creation request', async () => {
    const folder = await temporaryFolder()
    const simulator = await testSimulator()
    const before = await connectedStation(folder, simulator, byUrl)
    simulator.faults.add({ operation: 'label', fault: { kind: 'status', status: 503 }, times: 1 })
    const shipment = await shipped(before.features)
    expect(shipment.labels).toMatchObject([{ problem: 'not-fetched' }])
    await before.station.stop()
    const station = await stationOn(folder)
    const features = await station.start()
    if (!features.ok) throw new Error(features.error.message)
    await printed(features.value, shipment.id)
    expect(simulator.requests.filter(({ operation }) => operation === 'shipment')).toHaveLength(1)
  })
})

/** A station at a service with these answers to creations; label requests are answered with a PDF. */
async function stationAt(
  answer: (origin: string) => Buffer | Promise<Buffer>,
  { dataFolder, ...hearing }: Partial<LifecycleDeps> & { dataFolder?: string } = {},
) {
  const server: RawServer = await startRawServer(async (socket, { requestLine }) => {
    if (requestLine.startsWith('GET /api/auth')) {
      socket.write(jsonText({ state: 'true', Errors: '', apikey: 'k3y-0f-the-station' }))
    } else if (requestLine.startsWith('POST')) socket.write(await answer(server.origin))
    else socket.write(httpText(200, pdf))
  })
  onTestFinished(() => server.close())
  const folder = dataFolder ?? (await temporaryFolder())
  const station = await stationOn(folder, hearing)
  const features = await station.start()
  if (!features.ok) throw new Error(features.error.message)
  features.value.settings.change({ printers: [{ driver: 'folder', id: 'file', path: 'out' }] })
  const account = { baseUrl: `${server.origin}/api`, user: 'station-user', password: 'station-password' }
  const connected = await features.value.session.connect(account)
  if (!connected.ok) throw new Error(connected.error.message)
  return { server, station, features: features.value, folder }
}

describe('a label URL without a host', () => {
  it.each([
    ['labels/7?x=1', '/api/labels/7?x=1'],
    ['/labels/7', '/labels/7'],
    ['../labels/7', '/labels/7'],
  ])('like %s is resolved against the service address', async (url, path) => {
    const { server, features } = await stationAt(() =>
      jsonText({ state: 'true', Errors: '', Barcode: '3S1', url }),
    )
    features.settings.change(byUrl)
    expect(await shipped(features)).toMatchObject({
      state: 'created',
      labels: [{ problem: null, kind: 'pdf' }],
    })
    expect(server.requests.at(-1)?.requestLine).toBe(`GET ${path} HTTP/1.1`)
  })
})

/** A label as in the service's answer. */
function label(barcode: string) {
  return { barcode, labeltype: 'pdf', encodeType: 'base64', content: pdf.toString('base64') }
}

describe('a creation answer with a wrong number of labels', () => {
  it('prints its labels and reports the missing one when there are fewer labels than packages', async () => {
    const { features } = await stationAt(() =>
      jsonText({ status: true, labels: [label('3S1'), label('3S2')], shipmentID: '7' }),
    )
    const shipment = await shipped(features, { numberOfPackages: 3 })
    expect(shipment).toMatchObject({
      state: 'created',
      labels: [{ problem: null }, { problem: null }, { position: 3, problem: 'too-few' }],
    })
    expect(shipment.jobs).toHaveLength(2)
    expect(await listNeedingAttention(features.history)).toEqual([shipment.id])
    expect((await features.historyRepository.countOpen()).labelProblems).toBe(1)
  })

  it('prints nothing, counts as one label problem and is stored completely when it has 20,000 labels', async () => {
    const labels = Array.from({ length: 20_000 }, (_none, index) => ({
      ...label(`3S${index}`),
      content: 'no',
    }))
    const { features } = await stationAt(() => jsonText({ status: true, labels, shipmentID: '7' }))
    const shipment = await shipped(features)
    expect(shipment).toMatchObject({ state: 'created', jobs: [] })
    expect(shipment.labels).toHaveLength(201)
    expect(shipment.labels.at(-1)).toMatchObject({ problem: 'too-many' })
    expect((await features.historyRepository.countOpen()).labelProblems).toBe(1)
    const kept = await features.files.readAnswer(shipment.id)
    expect(kept?.content?.labels).toEqual(labels)
  })
})

describe('a label that no printer takes', () => {
  type End = (features: Services, shipmentId: string) => Promise<{ ok: boolean }> | { ok: boolean }
  const ends: [how: string, end: End][] = [
    ['it is printed', ({ handlers }, shipmentId) => handlers.reprint({ shipmentId, printerId: 'other' })],
    [
      'it is closed with a reason',
      ({ handlers }, shipmentId) => handlers.closeLabelProblems({ shipmentId, reason: 'Written by hand' }),
    ],
    [
      'its shipment was cancelled at the carrier',
      ({ handlers }, shipmentId) => handlers.noteCancellation({ shipmentId, note: 'By phone' }),
    ],
  ]

  it.each(ends)('is an open problem until %s', async (_how, end) => {
    const { features } = await connectedStation(await temporaryFolder(), await testSimulator(), {
      ...{ printers: [], routing: [] },
    })
    const { id, ...shipment } = await shipped(features)
    expect(shipment).toMatchObject({
      ...{ state: 'created', jobs: [] },
      labels: [{ problem: null, unplanned: true }],
    })
    expect(await listNeedingAttention(features.history)).toEqual([id])
    expect((await features.historyRepository.countOpen()).labelProblems).toBe(1)
    features.settings.change({ printers: [{ driver: 'folder', id: 'other', path: 'other' }] })
    expect((await end(features, id)).ok).toBe(true)
    expect(await listNeedingAttention(features.history)).toEqual([])
    expect((await features.historyRepository.countOpen()).labelProblems).toBe(0)
  })
})

describe('a shipment of several labels of which one has a damaged file', () => {
  it('is reprinted without that label, and the reprint says so', async () => {
    const { features, folder } = await stationAt(() =>
      jsonText({ status: true, labels: [label('3S1'), label('3S2')], shipmentID: '7' }),
    )
    const { id, labels } = await shipped(features, { numberOfPackages: 2 })
    await printed(features, id, 2)
    const place = join(folder, 'labels', id)
    await writeFile(join(place, '2.pdf'), 'something else')
    await rm(join(place, 'answer.json'))
    expect(await features.handlers.reprint({ shipmentId: id })).toMatchObject({
      ok: false,
      error: {
        code: 'label-unreadable',
        details: { case: 'others-printed', reference: 'ORDER-1', positions: '2' },
      },
    })
    const reprints = (await features.jobs.listByShipment(id)).filter(({ kind }) => kind === 'reprint')
    expect(reprints.map(({ labelId }) => labelId)).toEqual([labels[0]?.id])
    expect(await features.handlers.reprint({ shipmentId: id, labelId: labels[1]?.id })).toMatchObject({
      error: { code: 'label-unreadable', details: { case: 'stored-file' } },
    })
  })
})

/** Mounts a small disk at a folder. Returns false if the test lacks the rights. */
function smallDisk(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=80m,mode=0700', 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('a disk that fills up while an answer arrives', () => {
  it('keeps the label in memory, blocks the next creation with a notice, and prints the label when there is room', async (context) => {
    const dataFolder = await temporaryFolder()
    const labels = join(dataFolder, 'labels')
    await mkdir(labels)
    if (!smallDisk(labels)) return context.skip('a small disk can be mounted by root only')
    onTestFinished(() => {
      execFileSync('umount', ['-l', labels])
    })
    const filler = join(labels, 'filler')
    let requests = 0
    const { station, features } = await stationAt(
      async () => {
        requests += 1
        if (requests === 1) await writeFile(filler, Buffer.alloc(100 * 1024 * 1024)).catch(() => undefined)
        return jsonText({ status: true, labels: [label('3S1')], shipmentID: '7' })
      },
      { dataFolder },
    )
    const shipment = await shipped(features)
    expect(shipment).toMatchObject({
      state: 'created',
      barcodes: ['3S1'],
      labels: [{ problem: 'not-stored' }],
      error: { code: 'label-not-stored', message: expect.stringContaining('ENOSPC') },
    })
    const next = await shipAndPrint(features, { reference: 'ORDER-2' })
    expect(next).toMatchObject({
      error: { code: 'labels-waiting', message: expect.stringContaining('ENOSPC') },
    })
    expect((await station.status()).notices).toContainEqual(
      expect.objectContaining({ code: 'labels-waiting', message: expect.stringContaining('ENOSPC') }),
    )
    expect(requests).toBe(1)

    await rm(filler)
    await printed(features, shipment.id)
    expect((await station.status()).notices.map(({ code }) => code)).not.toContain('labels-waiting')
    expect(readdirSync(join(labels, shipment.id)).sort()).toEqual(
      expect.arrayContaining(['1.pdf', 'answer.json', 'order.json']),
    )
    expect((await shipped(features, { reference: 'ORDER-2' })).state).toBe('created')
  })
})

describe('an answer that waits in memory while the app closes', () => {
  it('is logged with its barcode when the disk refuses it and a printer hangs', async () => {
    const dataFolder = await temporaryFolder()
    const labels = join(dataFolder, 'labels')
    const lines: string[] = []
    const log = { ...silentLog, error: (...args: unknown[]) => lines.push(JSON.stringify(args)) }
    const { station, features } = await stationAt(
      async () => {
        const [folder = ''] = readdirSync(labels)
        await rm(join(labels, folder), { recursive: true })
        await writeFile(join(labels, folder), 'a file in the place of the folder')
        return jsonText({ status: true, labels: [label('3S1')], shipmentID: '7' })
      },
      { dataFolder, log },
    )
    expect((await shipped(features)).labels).toMatchObject([{ problem: 'not-stored' }])
    const printer = deferred<void>()
    const { stop } = features.printing
    features.printing.stop = () => printer.promise.then(stop)
    const stopped = station.stop()
    await expect
      .poll(() => lines.filter((line) => line.includes('an answer is lost')))
      .toEqual([expect.stringContaining('3S1')])
    printer.resolve()
    await stopped
  })
})
