import { connect } from 'node:net'
import { PDFDocument } from 'pdf-lib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { demoCredentials } from '../../src/simulator/account'
import { type Simulator, startSimulator } from '../../src/simulator/simulator'
import { manifestLine, shipmentBody } from '../unit/simulator/exampleBodies'
import { SpecClient, trackingQuery, trackingSchema } from './simulatorClient'

const key = demoCredentials.apiKey

let simulator: Simulator
let clock: Date
let client: SpecClient

beforeEach(async () => {
  clock = new Date(2026, 10, 21, 10, 0, 0)
  simulator = await startSimulator({ now: () => clock, trackingStepSeconds: 20 })
  client = new SpecClient(simulator.baseUrl)
})

afterEach(async () => {
  await client.close()
  await simulator.close()
})

describe('the simulator’s sign-in', () => {
  it('returns the key for valid credentials and refuses others', async () => {
    const right = await client.signIn()
    expect(right).toMatchObject({ status: 200, type: 'application/json' })
    expect(JSON.parse(right.text)).toEqual({
      state: 'true',
      message: 'API key created',
      Errors: '',
      accessByHeader: 'Y',
      id: '1042',
      id2: '7',
      name: 'Packbench Demo Warehouse',
      apikey: key,
      DatumTijd: '2026-11-21 10:00:00',
    })
    const wrong = JSON.parse((await client.signIn('demo-station', 'guess')).text)
    expect(wrong).toMatchObject({
      state: 'false',
      Errors: 'User name or password is not correct',
      apikey: '',
    })
    expect(simulator.deviations()).toEqual([])
  })

  it('returns a new key after the old one has expired, and refuses the old one', async () => {
    expect(simulator.expireKey()).toBe(key)
    expect(await client.trackCode('X')).toMatchObject({ status: 401, type: 'application/json' })
    expect((await client.create()).status).toBe(401)
    expect(simulator.ledger.entries).toMatchObject([
      { outcome: 'unauthorized', created: false, barcodes: [] },
    ])
    const { apikey } = z.object({ apikey: z.string() }).parse(JSON.parse((await client.signIn()).text))
    expect(apikey).not.toBe(key)
    const url = `${simulator.baseUrl}/get_tracking_information/${apikey}/X?${trackingQuery}`
    expect((await client.call('GET', url)).status).toBe(200)
    expect((await client.trackCode('X')).status).toBe(401)
  })
})

describe('the simulator’s shipment creation', () => {
  it('answers DO=Y with one PDF label for each package', async () => {
    const answer = await client.createDirect({ number_of_packages: 3 })
    expect(new Set(answer.labels.map(({ barcode }) => barcode)).size).toBe(3)
    for (const label of answer.labels) {
      expect(label).toMatchObject({ labeltype: 'pdf', carrierId: '1', carrierOptionId: '11' })
      expect(label.shipmentId).toBe(answer.shipmentID)
      const bytes = Buffer.from(label.content, 'base64')
      expect(Buffer.compare(bytes, simulator.getLabel(label.barcode) ?? Buffer.alloc(0))).toBe(0)
      expect((await PDFDocument.load(bytes)).getPageCount()).toBe(1)
    }
    expect(simulator.ledger.entries).toEqual([
      {
        at: clock,
        reference: 'ORDER-1',
        outcome: 'created',
        created: true,
        barcodes: answer.labels.map(({ barcode }) => barcode),
      },
    ])
    expect(simulator.deviations()).toEqual([])
  })

  it('answers DO=N with a URL that serves the label', async () => {
    const answer = await client.createWithUrl({ number_of_packages: 2 })
    expect(new URL(answer.url).origin).toBe(new URL(simulator.baseUrl).origin)
    const label = await client.call('GET', answer.url)
    expect(label).toMatchObject({ status: 200, type: 'application/pdf' })
    expect((await PDFDocument.load(label.bytes)).getPageCount()).toBe(2)
    expect((await client.call('GET', `${answer.url}x`)).status).toBe(404)
    const page = await client.call('GET', answer.trace)
    expect(page.text).toContain(answer.Barcode)
    expect(page.text).toContain('Label has been created')
    expect(simulator.deviations()).toEqual([])
  })

  it('serves the same bytes of a label each time', async () => {
    const answer = await client.createWithUrl()
    const first = await client.call('GET', answer.url)
    clock = new Date(clock.getTime() + 60_000)
    const second = await client.call('GET', answer.url)
    expect(Buffer.compare(first.bytes, second.bytes)).toBe(0)
    expect(Buffer.compare(first.bytes, simulator.getLabel(answer.Barcode) ?? Buffer.alloc(0))).toBe(0)
  })

  it('refuses invalid bodies with a message in the fields of each answer format', async () => {
    const direct = JSON.parse((await client.create({ weight: '1' })).text)
    expect(direct).toMatchObject({ status: false, message: 'body.weight must be a number and is text.' })
    const other = JSON.parse((await client.create({ number_of_packages: 0 }, 'N')).text)
    expect(other).toMatchObject({ state: 'false' })
    expect(other.Errors).toContain('number_of_packages')
    expect(simulator.ledger.entries.map(({ created }) => created)).toEqual([false, false])
    expect(simulator.deviations()).toMatchObject([{ kind: 'wrongType', where: 'body.weight' }])
  })

  it('counts every request for a reference, including repeated ones', async () => {
    await Promise.all([
      client.create({ reference: 'A' }),
      client.create({ reference: 'A' }),
      client.create({ reference: 'B' }),
    ])
    expect(Object.fromEntries(simulator.ledger.countByReference())).toEqual({ A: 2, B: 1 })
    const barcodes = simulator.ledger.entries.flatMap((entry) => entry.barcodes)
    expect(new Set(barcodes).size).toBe(3)
  })

  it('produces failures that the reference names', async () => {
    expect(JSON.parse((await client.create({ reference: 'REFUSE-1' })).text).status).toBe(false)
    expect(JSON.parse((await client.create({ reference: 'REFUSE-2' }, 'N')).text).state).toBe('false')
    await expect(client.create({ reference: 'LOST-1' })).rejects.toThrow()
    expect((await client.createDirect({ reference: 'NOLABEL-1' })).labels).toEqual([])
    expect((await client.createDirect({ reference: 'ZPL-1' })).labels).toMatchObject([{ labeltype: 'zpl' }])
    const made = simulator.ledger.entries.map(({ reference, created }) => [reference, created])
    expect(Object.fromEntries(made)).toEqual({
      'REFUSE-1': false,
      'REFUSE-2': false,
      'LOST-1': true,
      'NOLABEL-1': true,
      'ZPL-1': true,
    })
  })
})

describe('the simulator’s tracking', () => {
  it('advances a parcel over time and answers in both languages', async () => {
    const [label] = (await client.createDirect()).labels
    const code = label?.barcode ?? ''
    const start = trackingSchema.parse(JSON.parse((await client.trackCode(code)).text))
    expect(start).toMatchObject({ numberOfItems: 1, notFound: [] })
    expect(start.items[code]?.map((item) => item.code)).toEqual(['99'])
    clock = new Date(clock.getTime() + 41_000)
    const dutch = trackingQuery.replace('lang=en', 'lang=nl')
    const next = trackingSchema.parse(JSON.parse((await client.trackCode(code, dutch)).text))
    expect(next.items[code]?.map((item) => item.code)).toEqual(['2006', '2002', '99'])
    expect(next.lastStatus[code]).toEqual(next.items[code]?.[0])
    expect(next.lastStatus[code]?.description).toBe('De lading is afgeleverd in het land van bestemming')
    const last = trackingSchema.parse(
      JSON.parse((await client.trackCode(code, trackingQuery.replace('=full', '=lastStatus'))).text),
    )
    expect(last.items[code]).toHaveLength(1)
    expect(simulator.deviations()).toEqual([])
  })

  it('accepts several codes in the body of a GET and lists unknown ones', async () => {
    const codes = (await client.createDirect({ number_of_packages: 2 })).labels.map(({ barcode }) => barcode)
    const answer = trackingSchema.parse(
      JSON.parse((await client.trackBulk([...codes, 'NONE', '__proto__'])).text),
    )
    expect(Object.keys(answer.items)).toEqual(codes)
    expect(Object.keys(answer.lastStatus)).toEqual(codes)
    expect(answer).toMatchObject({ numberOfItems: 2, notFound: ['NONE', '__proto__'] })
    expect(simulator.deviations()).toEqual([])
  })

  it('finds air waybills, boxes and parcels of manifests', async () => {
    await client.upload([manifestLine()])
    const as = async (code: string, type: string): Promise<unknown> =>
      trackingSchema.parse(
        JSON.parse((await client.trackCode(code, trackingQuery.replace('barcode', type))).text),
      ).notFound
    expect(await as('074-12345675', 'waybill')).toEqual([])
    expect(await as('BOX-1', 'box')).toEqual([])
    expect(await as('PARCEL-1', 'barcode')).toEqual([])
    expect(await as('BOX-1', 'waybill')).toEqual(['BOX-1'])
  })
})

describe('the simulator’s manifest and pre-alert', () => {
  it('accept an upload, a lock and a pre-alert with totals, and refuse uploads after the lock', async () => {
    expect(JSON.parse((await client.sendPreAlert()).text)).toMatchObject({ ok: false })
    const lines = [
      manifestLine(),
      manifestLine({ parcelId: 'PARCEL-2', packageId: 'BOX-2', parcelWeight: '1.150' }),
    ]
    expect(JSON.parse((await client.upload(lines)).text)).toMatchObject({ state: 'true', Errors: '' })
    expect(JSON.parse((await client.upload(lines, '?ls=Y')).text)).toMatchObject({ state: 'true' })
    expect(JSON.parse((await client.upload(lines)).text)).toMatchObject({
      state: 'false',
      Errors: expect.stringContaining('is locked'),
    })
    expect(JSON.parse((await client.sendPreAlert()).text)).toEqual({
      ok: true,
      message: 'Pre-alert received',
      estimatedTimeOfArrival: '2026-11-25',
      airWaybillNumber: '074-12345675',
      submittedGrossWeight: 12.5,
      boxes: 2,
      totalParcels: 2,
      totalManifestWeight: 2,
      iossManifestLocked: true,
      carrier: { name: 'KLM', awbPrefix: '074' },
    })
    expect(JSON.parse((await client.sendPreAlert({ airWaybillPdfBase64: 'aGVsbG8=' })).text)).toMatchObject({
      ok: false,
    })
    expect(simulator.deviations()).toMatchObject([{ where: 'body.airWaybillPdfBase64' }])
  })

  it('accept a manifest of more than 64 MB', async () => {
    const line = manifestLine({ name: 'x'.repeat(66 * 1024 * 1024) })
    expect(JSON.parse((await client.upload([line])).text)).toMatchObject({ state: 'true', Errors: '' })
    expect(simulator.deviations()).toEqual([])
  })

  it('accept a pre-alert with a PDF of 20 MB', async () => {
    const pdf = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(20_000_000, 'x')]).toString('base64')
    await client.upload([manifestLine()])
    expect(JSON.parse((await client.sendPreAlert({ airWaybillPdfBase64: pdf })).text)).toMatchObject({
      ok: true,
    })
  })
})

describe('the simulator’s record of requests', () => {
  it('contains each request as it was sent, with its deviations', async () => {
    await client.signIn()
    await client.create({}, 'X')
    const [first, second] = simulator.requests
    expect(first).toMatchObject({
      operation: 'auth',
      method: 'GET',
      path: '/api/auth',
      query: '',
      body: '',
      whole: true,
    })
    expect(first?.headers).toContainEqual(['AUTH_USER', demoCredentials.user])
    expect(second).toMatchObject({
      operation: 'shipment',
      path: `/api/action/${key}/101`,
      query: 'o=JSON&DO=X',
    })
    expect(JSON.parse(second?.body ?? '')).toEqual(shipmentBody())
    expect(second?.deviations).toMatchObject([{ kind: 'wrongQuery', where: 'query.DO' }])
    simulator.clearRequests()
    expect(simulator.requests).toEqual([])
    expect(simulator.deviations()).toEqual([])
  })

  it.each(['/auth', '/api/auth/', '/api/action/k/102', '/api//auth', '/api/%zz'])(
    'contains a request to the unknown route %s, which is answered with 404',
    async (path) => {
      const reply = await client.call('GET', new URL(simulator.baseUrl).origin + path)
      expect(reply.status).toBe(404)
      expect(simulator.deviations()).toMatchObject([{ kind: 'unknownRoute' }])
    },
  )

  it('marks a truncated request as incomplete', async () => {
    const socket = connect(Number(new URL(simulator.baseUrl).port), '127.0.0.1')
    const path = `/api/action/${key}/101?o=JSON&DO=Y`
    socket.end(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n{"reference":`)
    await vi.waitFor(() =>
      expect(simulator.requests).toContainEqual(
        expect.objectContaining({ operation: 'shipment', whole: false }),
      ),
    )
    expect(simulator.ledger.entries).toEqual([])
  })
})

describe('the simulator’s server', () => {
  it('ends hanging connections when it closes', async () => {
    simulator.faults.add({ operation: 'auth', fault: { kind: 'hangAfterReading' } })
    const sending = client.signIn()
    const ended = expect(sending).rejects.toThrow()
    await vi.waitFor(() => expect(simulator.requests).toHaveLength(1))
    await simulator.close()
    await ended
    simulator = await startSimulator()
  })

  it('rejects when its port is taken', async () => {
    const port = Number(new URL(simulator.baseUrl).port)
    await expect(startSimulator({ port })).rejects.toThrow('EADDRINUSE')
  })
})
