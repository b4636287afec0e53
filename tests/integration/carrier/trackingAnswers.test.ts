import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createHttpClient } from '../../../src/main/carrier/httpClient'
import { trackBulk } from '../../../src/main/carrier/trackCodes'
import { askChunks, createTiming, cutIntoChunks } from '../../../src/main/tracking/chunks'
import type { TrackingOptions } from '../../../src/shared/tracking'
import { type CarrierClient, clientFor, connectionTo, trackingOptions } from './fixtures'
import { httpText, jsonText, type RawServer, startRawServer } from './rawServer'

let client: CarrierClient | undefined
let server: RawServer | undefined

afterEach(async () => {
  await client?.close()
  await server?.close()
  client = undefined
  server = undefined
})

const event = { itemNumber: 0, code: '3000', description: 'Depot', location: '', dateTime: '' }

function answerFor(...codes: string[]) {
  return {
    state: true,
    numberOfItems: codes.length,
    notFound: [],
    items: Object.fromEntries(codes.map((code) => [code, [event]])),
    lastStatus: Object.fromEntries(codes.map((code) => [code, event])),
    flightTracking: [],
  }
}

async function trackCode(answer: Buffer, type: TrackingOptions['type'] = 'barcode') {
  client = clientFor()
  server = await startRawServer((socket) => socket.write(answer))
  return client.trackCode(connectionTo(server.origin, 'k3y-of-the-station'), 'A1', {
    ...trackingOptions,
    type,
  })
}

describe('trackCode', () => {
  it('reads a compressed answer', async () => {
    const body = gzipSync(JSON.stringify(answerFor('A1')))
    const tracked = await trackCode(httpText(200, body, { 'Content-Encoding': 'gzip' }))
    expect(tracked).toMatchObject({ ok: true, value: { code: 'A1', found: true, lastStatus: event } })
  })

  it('does not assign the events of another barcode, but names that barcode', async () => {
    expect(await trackCode(jsonText(answerFor('B2')))).toEqual({
      ok: true,
      value: { code: 'A1', found: false, lastStatus: null, events: [], others: ['B2'] },
    })
  })

  it('accepts an answer that writes the barcode in another case', async () => {
    const tracked = await trackCode(jsonText(answerFor('a1')))
    expect(tracked).toEqual({
      ok: true,
      value: { code: 'A1', found: true, lastStatus: event, events: [event] },
    })
  })

  it('returns the events of the only parcel of a waybill', async () => {
    const tracked = await trackCode(jsonText(answerFor('B2')), 'waybill')
    expect(tracked).toEqual({
      ok: true,
      value: { code: 'A1', found: true, lastStatus: event, events: [event] },
    })
  })

  it('names all parcels of a waybill and redacts the key', async () => {
    const tracked = await trackCode(jsonText(answerFor('B2', 'B3', 'k3y-of-the-station')), 'waybill')
    expect(tracked).toMatchObject({ ok: true, value: { code: 'A1', others: ['B2', 'B3', '[redacted]'] } })
  })
})

describe('answers on one connection that each follow «100 Continue»', () => {
  it('are read when they arrive in one write, byte by byte and in large pieces', async () => {
    const sendBytes = (socket: Socket, bytes: Buffer, at = 0) => {
      if (at < 60)
        socket.write(bytes.subarray(at, at + 1), () => setImmediate(sendBytes, socket, bytes, at + 1))
      else socket.write(bytes.subarray(at))
    }
    const interim = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n')
    const padding = { ...event, description: 'x'.repeat(1900) }
    const large = { ...answerFor('A1'), items: { A1: Array.from({ length: 2000 }, () => padding) } }
    const answers = [answerFor('A1'), answerFor('A1'), large, answerFor('A1')]
    const started = await startRawServer((socket) => {
      socket.setNoDelay(true)
      const answer = jsonText(answers[started.requests.length - 1])
      const bytes = Buffer.concat([interim, answer])
      if (started.requests.length === 2) sendBytes(socket, bytes)
      else socket.write(bytes)
    })
    server = started
    client = clientFor()
    for (const _answer of answers) {
      const tracked = await client.trackBulk(connectionTo(started.origin), ['A1', 'B1'], trackingOptions)
      expect(tracked).toMatchObject({ ok: true, value: [{ code: 'A1', found: true }, { found: false }] })
      // The connection is free for the next request after this.
      await nextTurn()
    }
    expect([started.requests.length, started.connections()]).toEqual([4, 1])
  })
})

describe('interim responses without end', () => {
  it.each([
    ['many short ones', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)],
    ['large ones', `HTTP/1.1 100 Continue\r\nVia: ${'x'.repeat(30_000)}\r\n\r\n`],
  ])('close the connection long before the time-out: %s', async (_, interim) => {
    const started = await startRawServer((socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write(interim));
      }
      socket.on('drain', more)
      more()
    })
    server = started
    client = clientFor()
    const tracked = await client.trackCode(connectionTo(started.origin), 'A1', trackingOptions)
    expect(tracked).toMatchObject({ ok: false, error: { code: expect.not.stringContaining('timeout') } })
    expect(JSON.stringify(tracked)).not.toMatch(/time-?out/i)
  })
})

describe('trackBulk in chunks', () => {
  it('opens no more connections than the limit of parallel requests', async () => {
    const codes = Array.from({ length: 40 }, (_, index) => `C${index}`)
    const http = createHttpClient(() => ({ connectTimeoutMs: 500, answerTimeoutMs: 2_000 }))
    const many = await startRawServer((socket, { body }) => {
      socket.write(jsonText(answerFor(...z.array(z.string()).parse(JSON.parse(body)))))
    })
    const answered: string[] = []
    const service = { http, connection: connectionTo(many.origin), redact: (text: string) => text }
    await askChunks(cutIntoChunks(codes, 2), {
      ask: (chunk, onAnswered) => trackBulk(service, chunk, trackingOptions, onAnswered),
      timing: createTiming(() => new Date()),
      parallel: 2,
      signal: new AbortController().signal,
      onChunk: (_, result) => {
        if (result.ok) answered.push(...result.value.map(({ code }) => code))
      },
    })
    const connections = many.connections()
    await http.close()
    await many.close()
    expect(connections).toBe(2)
    expect(answered.toSorted()).toEqual(codes.toSorted())
  })
})
