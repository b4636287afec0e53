import { PDFDocument } from 'pdf-lib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Fault } from '../../src/simulator/faults'
import type { Operation } from '../../src/simulator/route'
import { type Simulator, startSimulator } from '../../src/simulator/simulator'
import { typeName } from '../../src/simulator/wire'
import { type Reply, SpecClient } from './simulatorClient'

const objectSchema = z.record(z.string(), z.unknown())

let simulator: Simulator
let client: SpecClient

beforeEach(async () => {
  simulator = await startSimulator()
  client = new SpecClient(simulator.baseUrl)
})

afterEach(async () => {
  await client.close()
  await simulator.close()
})

describe('simulator faults of any operation', () => {
  const operations: ReadonlyArray<readonly [Operation, () => Promise<Reply>]> = [
    ['auth', () => client.signIn()],
    ['shipment', () => client.create()],
    ['trackCode', () => client.trackCode('X')],
    ['trackBulk', () => client.trackBulk(['X'])],
    ['manifest', () => client.upload()],
    ['preAlert', () => client.sendPreAlert()],
  ]

  describe.each(operations)('the operation %s', (operation, send) => {
    function plan(fault: Fault): void {
      simulator.faults.add({ operation, fault, times: 1 })
    }

    it('is refused with the given message by the fault «refused»', async () => {
      plan({ kind: 'refused', message: 'Not today' })
      const reply = await send()
      expect(reply.status).toBe(200)
      const { state, status, ok } = JSON.parse(reply.text)
      expect([false, 'false']).toContain(state ?? status ?? ok)
      expect(reply.text).toContain('Not today')
    })

    it('is answered with a status and JSON, with HTML, or with a redirect', async () => {
      plan({ kind: 'status', status: 422, body: { error: 'no' } })
      expect(await send()).toMatchObject({ status: 422, text: '{"error":"no"}' })
      plan({ kind: 'htmlError' })
      const page = await send()
      expect(page).toMatchObject({ status: 502, type: 'text/html; charset=utf-8' })
      expect(page.text).toContain('<html>')
      plan({ kind: 'redirect' })
      expect((await send()).status).toBe(302)
    })

    it('is answered with text, null or an empty body', async () => {
      plan({ kind: 'notJson' })
      expect((await send()).text).toBe('OK: request processed')
      plan({ kind: 'nullBody' })
      expect((await send()).text).toBe('null')
      plan({ kind: 'emptyBody' })
      expect(await send()).toMatchObject({ status: 200, text: '' })
    })

    it('is answered with every field in another type by the fault «wrongTypes»', async () => {
      const usual = objectSchema.parse(JSON.parse((await send()).text))
      plan({ kind: 'wrongTypes' })
      const answer = objectSchema.parse(JSON.parse((await send()).text))
      expect(Object.keys(answer)).toEqual(Object.keys(usual))
      const same = Object.keys(usual).filter((name) => typeName(answer[name]) === typeName(usual[name]))
      expect(same).toEqual([])
    })

    it('is answered with additional unknown fields by the fault «extraFields»', async () => {
      const usual = JSON.parse((await send()).text)
      plan({ kind: 'extraFields' })
      const answer = JSON.parse((await send()).text)
      expect(Object.keys(answer)).toEqual([...Object.keys(usual), 'addedLater', 'extra'])
    })

    it('loses the connection before reading, after reading and in the middle of the answer', async () => {
      plan({ kind: 'resetBeforeReading' })
      await expect(send()).rejects.toThrow()
      plan({ kind: 'resetAfterReading' })
      await expect(send()).rejects.toThrow()
      plan({ kind: 'cutOff' })
      await expect(send()).rejects.toThrow()
      expect(simulator.requests.map(({ whole }) => whole)).toEqual([false, true, true])
      expect((await send()).status).toBe(200)
    })

    it('is answered late by the fault «slow»', async () => {
      plan({ kind: 'slow', ms: 150 })
      const started = performance.now()
      await send()
      expect(performance.now() - started).toBeGreaterThan(140)
    })
  })
})

describe('the simulator’s ledger after a fault', () => {
  it.each<[Fault, boolean]>([
    [{ kind: 'refused' }, false],
    [{ kind: 'status', status: 400 }, false],
    [{ kind: 'status', status: 500 }, false],
    [{ kind: 'status', status: 500, created: true }, true],
    [{ kind: 'htmlError', status: 503 }, false],
    [{ kind: 'htmlError', status: 504, created: true }, true],
    [{ kind: 'redirect' }, false],
    [{ kind: 'slow', ms: 1 }, true],
    [{ kind: 'resetAfterReading' }, true],
    [{ kind: 'cutOff' }, true],
    [{ kind: 'notJson' }, true],
    [{ kind: 'nullBody' }, true],
    [{ kind: 'emptyBody' }, true],
    [{ kind: 'wrongTypes' }, true],
    [{ kind: 'emptyLabels' }, true],
    [{ kind: 'missingLabels' }, true],
  ])('under the fault %j records a shipment with created = %s', async (fault, created) => {
    simulator.faults.add({ operation: 'shipment', fault, reference: 'ORDER-1' })
    await client.create().catch(() => undefined)
    expect(simulator.ledger.listByReference('ORDER-1')).toMatchObject([{ created, fault: fault.kind }])
    const [barcode] = simulator.ledger.entries[0]?.barcodes ?? []
    expect(barcode !== undefined).toBe(created)
    expect((await client.create({ reference: 'OTHER' })).status).toBe(200)
  })

  it('records no shipment when the request was not read', async () => {
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'resetBeforeReading' } })
    await expect(client.create()).rejects.toThrow()
    expect(simulator.ledger.entries).toEqual([])
  })

  it.each<[Fault['kind'], number]>([
    ['hangBeforeReading', 0],
    ['hangAfterReading', 1],
  ])('under the fault %s, which sends no answer, records %i shipments', async (kind, shipments) => {
    if (kind !== 'hangBeforeReading' && kind !== 'hangAfterReading') throw new Error(`Not a hang: ${kind}`)
    simulator.faults.add({ operation: 'shipment', fault: { kind } })
    const abort = new AbortController()
    const answer = vi.fn()
    const sending = client.create({}, 'Y', abort.signal).then(answer)
    await vi.waitFor(() => expect(simulator.requests).toHaveLength(1))
    await vi.waitFor(() => expect(simulator.ledger.entries).toHaveLength(shipments))
    expect(answer).not.toHaveBeenCalled()
    abort.abort()
    await expect(sending).rejects.toThrow()
  })
})

describe('simulator faults of labels', () => {
  async function contentWith(fault: Fault): Promise<string> {
    simulator.faults.add({ operation: 'shipment', fault, times: 1 })
    const [label] = (await client.createDirect()).labels
    return label?.content ?? ''
  }

  it('damage or wrap the base64, or replace the PDF by HTML', async () => {
    expect(await contentWith({ kind: 'badBase64' })).toMatch(/[*%!]/)
    const wrapped = await contentWith({ kind: 'wrappedBase64' })
    expect(wrapped.split('\r\n')[0]).toHaveLength(76)
    const [barcode] = simulator.ledger.entries[1]?.barcodes ?? []
    expect(
      Buffer.compare(Buffer.from(wrapped, 'base64'), simulator.getLabel(barcode ?? '') ?? Buffer.alloc(0)),
    ).toBe(0)
    const page = Buffer.from(await contentWith({ kind: 'notPdf' }), 'base64').toString('utf8')
    expect(page).toContain('<html>')
  })

  it('change the type, format or page size of the label', async () => {
    const zpl = Buffer.from(await contentWith({ kind: 'zplLabel' }), 'base64').toString('utf8')
    expect(zpl).toMatch(/^\^XA[\s\S]*\^XZ\n$/)
    const a4 = await PDFDocument.load(
      Buffer.from(await contentWith({ kind: 'otherPage', widthMm: 210, heightMm: 297 }), 'base64'),
    )
    expect(a4.getPage(0).getWidth()).toBeCloseTo(595.28, 1)
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'upperCaseLabelType' }, times: 1 })
    expect((await client.createDirect()).labels).toMatchObject([{ labeltype: 'PDF' }])
  })

  it('send a valid PDF of 20 MB', async () => {
    const bytes = Buffer.from(await contentWith({ kind: 'hugeLabel' }), 'base64')
    expect(bytes.length).toBeGreaterThan(20 * 1024 * 1024)
    expect(bytes.subarray(0, 5).toString('latin1')).toBe('%PDF-')
    expect(bytes.subarray(-6).toString('latin1')).toContain('%%EOF')
  })

  it('leave out the labels or the url', async () => {
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'emptyLabels' }, times: 2 })
    expect(JSON.parse((await client.create()).text)).toMatchObject({ status: true, labels: [] })
    expect(JSON.parse((await client.create({}, 'N')).text)).toMatchObject({ state: 'true', url: '' })
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'missingLabels' }, times: 2 })
    expect(JSON.parse((await client.create()).text)).not.toHaveProperty('labels')
    expect(JSON.parse((await client.create({}, 'N')).text)).not.toHaveProperty('url')
  })

  it('also apply to the download of a label', async () => {
    const { url } = await client.createWithUrl()
    const download = (fault: Fault): Promise<Reply> => {
      simulator.faults.add({ operation: 'label', fault, times: 1, reference: 'ORDER-1' })
      return client.call('GET', url)
    }
    expect((await download({ kind: 'notPdf' })).text).toContain('<html>')
    expect((await download({ kind: 'refused' })).status).toBe(403)
    expect((await download({ kind: 'redirect', location: 'ftp://127.0.0.1/x' })).status).toBe(302)
    expect((await download({ kind: 'hugeLabel', bytes: 2_000_000 })).bytes.length).toBeGreaterThan(2_000_000)
    expect((await download({ kind: 'zplLabel' })).text).toContain('^XA')
    await expect(download({ kind: 'cutOff' })).rejects.toThrow()
    expect((await client.call('GET', url)).bytes.subarray(0, 5).toString('latin1')).toBe('%PDF-')
  })
})
