import { PDFDocument } from 'pdf-lib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CarrierConnection } from '../../../src/main/carrier/service'
import { manifestFields } from '../../../src/shared/consignments'
import type { Fault } from '../../../src/simulator/faults'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator'
import { type CarrierClient, clientFor, connectionTo, getKind, toAnswer } from './fixtures'
import { httpText, startRawServer } from './rawServer'

const apiKey = 'k3y-0f-the-simulator'
const number = '074-12345675'
let simulator: Simulator
let client: CarrierClient
let connection: CarrierConnection

beforeEach(async () => {
  simulator = await startSimulator({ apiKey })
  client = clientFor(1_500)
  connection = { baseUrl: new URL(simulator.baseUrl), apiKey }
})

afterEach(async () => {
  await client.close()
  await simulator.close()
})

const values: Partial<Record<string, string>> = {
  transportType: 'AWB',
  transportNumber: number,
  packageId: 'BOX-1',
  country: 'NL',
  sellerCountry: 'CN',
  quantity: '2',
  itemPrice: '12.50',
  itemWeight: '0.250',
  parcelWeight: '0.500',
  parcelPrice: '25.00',
  grossWeight: '0.550',
}

function line(parcelId: string) {
  return { ...Object.fromEntries(manifestFields.map((field) => [field, values[field] ?? ''])), parcelId }
}

function upload(lines: unknown[], lock = false, onSent: (bytes: number) => void = () => undefined) {
  return client.uploadManifest(connection, { body: Buffer.from(JSON.stringify(lines)), lock, onSent })
}

const preAlert = { airWaybillNumber: number, estimatedTimeOfArrival: '2026-12-24', grossWeight: 1.1 }

async function onePage(): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  document.addPage()
  return document.save()
}

describe('uploadManifest and sendPreAlert', () => {
  it('send a manifest and a pre-alert without a deviation from the specification', async () => {
    const uploaded = await upload([line('P1'), line('P2')])
    expect(uploaded).toMatchObject({ ok: true, value: { status: 200, speaksOfErrors: false } })
    expect(toAnswer(uploaded)?.content).toContain('Manifest data received')
    const alerted = await client.sendPreAlert(connection, preAlert, await onePage())
    expect(alerted).toEqual({
      ok: true,
      value: {
        message: 'Pre-alert received',
        estimatedTimeOfArrival: '2026-12-24',
        airWaybillNumber: number,
        submittedGrossWeight: 1.1,
        boxes: 1,
        totalParcels: 2,
        totalManifestWeight: 1,
        iossManifestLocked: false,
        carrierName: 'KLM',
        awbPrefix: '074',
      },
    })
    expect(simulator.deviations()).toEqual([])
    expect(simulator.requests.map(({ operation }) => operation)).toEqual(['manifest', 'preAlert'])
  })

  it('lock the manifest when requested, so that a second upload is answered with an error', async () => {
    await upload([line('P1')], true)
    const again = await upload([line('P2')])
    expect(again).toMatchObject({ ok: true, value: { speaksOfErrors: true } })
    expect(toAnswer(again)?.content).toContain('is locked')
    const alerted = await client.sendPreAlert(connection, preAlert, await onePage())
    expect(alerted).toMatchObject({ ok: true, value: { iossManifestLocked: true, totalParcels: 1 } })
  })

  it('report the progress of a long upload', async () => {
    const sent: number[] = []
    const lines = Array.from({ length: 2_000 }, (_, index) => line(`P${index}`))
    const outcome = await upload(lines, false, (bytes) => sent.push(bytes))
    expect(getKind(outcome)).toBe('ok')
    expect(sent.length).toBeGreaterThan(5)
    expect(sent).toEqual([...sent].sort((one, other) => one - other))
    expect(sent.at(-1)).toBe(Buffer.byteLength(JSON.stringify(lines)))
  })

  it('return the service’s message when a pre-alert is refused for its missing manifest', async () => {
    const outcome = await client.sendPreAlert(connection, preAlert, await onePage())
    expect(outcome).toMatchObject({
      kind: 'refused',
      error: {
        code: 'service-refused',
        details: { serviceSays: `No manifest was uploaded for AWB ${number}` },
      },
    })
  })
})

describe('a failed manifest upload', () => {
  const faults: [Fault, string][] = [
    [{ kind: 'status', status: 422 }, 'refused'],
    [{ kind: 'status', status: 401 }, 'refused'],
    [{ kind: 'status', status: 500 }, 'unknown'],
    [{ kind: 'status', status: 503, created: true }, 'unknown'],
    [{ kind: 'status', status: 408 }, 'unknown'],
    [{ kind: 'htmlError' }, 'unknown'],
    [{ kind: 'redirect' }, 'unknown'],
    [{ kind: 'resetBeforeReading' }, 'unknown'],
    [{ kind: 'resetAfterReading' }, 'unknown'],
    [{ kind: 'hangAfterReading' }, 'unknown'],
    [{ kind: 'cutOff' }, 'unknown'],
    // The specification does not define the shape of the answer: any content with a 2xx status is accepted.
    [{ kind: 'notJson' }, 'ok'],
    [{ kind: 'emptyBody' }, 'ok'],
  ]
  it.each(faults)('under the fault %o ends as %s after one request', async (fault, kind) => {
    simulator.faults.add({ operation: 'manifest', fault })
    const outcome = await upload([line('P1')])
    expect(getKind(outcome)).toBe(kind)
    expect(simulator.requests).toHaveLength(1)
  })

  it('ends as not sent when the service is unreachable', async () => {
    await simulator.close()
    expect(await upload([line('P1')])).toMatchObject({
      kind: 'not-sent',
      error: { code: 'service-unreachable' },
    })
  })

  it('tells the operator what to do about an unknown outcome', async () => {
    simulator.faults.add({ operation: 'manifest', fault: { kind: 'status', status: 500 } })
    expect(await upload([line('P1')])).toMatchObject({
      error: {
        code: 'service-failed',
        message: expect.stringMatching(/may have taken the manifest: ask it/),
      },
      answer: { status: 500 },
    })
  })

  it.each(['{"taken": 1, "Err', '[{"parcelId": "P1"', '"Manifest data rec'])(
    'ends as unknown when the connection closes after the truncated answer «%s»',
    async (cut) => {
      const server = await startRawServer((socket) =>
        socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${cut}`),
      )
      const outcome = await client.uploadManifest(connectionTo(server.origin), {
        body: Buffer.from('[]'),
        lock: false,
        onSent() {},
      })
      await server.close()
      expect(outcome).toMatchObject({
        kind: 'unknown',
        error: {
          code: 'service-answer-not-understood',
          message: expect.stringMatching(/broke off.*may have taken the manifest/),
        },
        answer: { status: 200, content: cut },
      })
    },
  )

  it.each([
    ['{"ok": false, "message": "no"}', true],
    ['{"status": false}', true],
    ['{"state": "false"}', true],
    ['{"Errors": {"P1": "no name"}}', true],
    ['{"ok": true, "status": true, "state": "true", "Errors": ""}', false],
    ['{"status": 200, "state": 0}', false],
    ['[{"ok": false}]', true],
    ['[{"state": "true"}, {"state": "false", "Errors": "line 3: unknown parcel"}]', true],
    ['[{"state": "true"}, null, 1]', false],
  ])(
    'with the answer %s counts as accepted; whether the answer speaks of errors: %s',
    async (text, isDoubtful) => {
      const server = await startRawServer((socket) => socket.write(httpText(200, text)))
      const outcome = await client.uploadManifest(connectionTo(server.origin), {
        body: Buffer.from('[]'),
        lock: true,
        onSent() {},
      })
      await server.close()
      expect(outcome).toMatchObject({ ok: true, value: { content: text, speaksOfErrors: isDoubtful } })
    },
  )

  it('keeps the answer of the service and removes the key from it', async () => {
    const server = await startRawServer((socket) =>
      socket.write(httpText(201, `{"taken": 1,\n "path": "/post_manifest_data/k3y-0f-the-station"}`)),
    )
    const body = Buffer.from('[]')
    const outcome = await client.uploadManifest(connectionTo(server.origin), {
      body,
      lock: true,
      onSent() {},
    })
    await server.close()
    expect(outcome).toMatchObject({ ok: true, value: { status: 201 } })
    expect(toAnswer(outcome)?.content).toMatch(/^\{"taken": 1,\n "path": "\/post_manifest_data\//)
    expect(toAnswer(outcome)?.content).not.toContain('k3y-0f-the-station')
    const [request] = server.requests
    expect(request?.requestLine).toBe('POST /api/post_manifest_data/k3y-0f-the-station?ls=Y HTTP/1.1')
    expect(request?.headers).toContain('content-length: 2')
  })
})

describe('a failed pre-alert', () => {
  const faults: [Fault, string][] = [
    [{ kind: 'refused' }, 'refused'],
    [{ kind: 'status', status: 413 }, 'refused'],
    [{ kind: 'status', status: 403 }, 'refused'],
    // A refusal by status with a body that accepts the pre-alert is contradictory.
    [{ kind: 'status', status: 409, body: { ok: true } }, 'unknown'],
    [{ kind: 'status', status: 408 }, 'unknown'],
    [{ kind: 'status', status: 500 }, 'unknown'],
    [{ kind: 'status', status: 500, body: { ok: false }, created: true }, 'unknown'],
    [{ kind: 'htmlError', created: true }, 'unknown'],
    [{ kind: 'redirect' }, 'unknown'],
    [{ kind: 'resetBeforeReading' }, 'unknown'],
    [{ kind: 'resetAfterReading' }, 'unknown'],
    [{ kind: 'hangAfterReading' }, 'unknown'],
    [{ kind: 'cutOff' }, 'unknown'],
    [{ kind: 'emptyBody' }, 'unknown'],
    [{ kind: 'wrongTypes' }, 'ok'],
    [{ kind: 'notJson' }, 'unknown'],
    [{ kind: 'nullBody' }, 'unknown'],
  ]
  it.each(faults)('under the fault %o is requested once and ends as %s', async (fault, kind) => {
    await upload([line('P1')])
    simulator.faults.add({ operation: 'preAlert', fault })
    const outcome = await client.sendPreAlert(connection, preAlert, await onePage())
    expect(getKind(outcome)).toBe(kind)
    expect(simulator.requests).toHaveLength(2)
  })

  it('is not sent when the service is unreachable', async () => {
    await simulator.close()
    expect(await client.sendPreAlert(connection, preAlert, await onePage())).toMatchObject({
      kind: 'not-sent',
      error: { code: 'service-unreachable' },
    })
  })
})
