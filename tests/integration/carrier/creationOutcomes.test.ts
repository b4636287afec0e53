import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ReceivedAnswer } from '../../../src/main/carrier/createShipment'
import { type CreationOutcome, readCreationOutcome } from '../../../src/main/carrier/createShipment'
import { createRedactor, type Redactor } from '../../../src/main/log/redactor'
import { silentLog } from '../../support/silentLog'
import {
  type CarrierClient,
  clientFor,
  connectionTo,
  createCarrierClient,
  directAnswer,
  draft,
  getKind,
  localService,
  trackingOptions,
} from './fixtures'
import { httpText, jsonText, type RawServer, startRawServer } from './rawServer'

let client: CarrierClient | undefined
let server: RawServer | undefined

afterEach(async () => {
  await client?.close()
  await server?.close()
})

async function create(
  respond: (socket: Socket) => void,
  answerTimeoutMs = 2_000,
): Promise<{ outcome: CreationOutcome; requests: number }> {
  const started = await startRawServer(respond)
  server = started
  client = clientFor(answerTimeoutMs)
  const outcome = await client.createShipment(connectionTo(started.origin), draft, 'in-answer')
  await expectOneConnection(started)
  return { outcome, requests: started.requests.length }
}

/** The server accepts connections in order: the connection of a repeated request would arrive before the one made here. */
async function expectOneConnection(started: RawServer): Promise<void> {
  const probe = connect(started.port, '127.0.0.1')
  // A server that resets each connection may do so before this socket emits `connect`.
  probe.on('error', () => probe.destroy())
  await vi.waitFor(() => expect(started.connections()).toBeGreaterThan(1))
  probe.destroy()
  expect(started.connections()).toBe(2)
}

const fullBody = JSON.stringify(directAnswer)
const half = fullBody.slice(0, fullBody.length / 2)
const page = '<html><head><title>Bad Gateway</title></head><body>at /action/k3y-0f-the-station</body></html>'

describe('a creation that is too late to be sent', () => {
  it('sends no byte although the connection is open', async () => {
    const started = await startRawServer((socket) => socket.write(jsonText(directAnswer)))
    server = started
    client = clientFor()
    const mayLeave = vi.fn(() => false)
    const keep = vi.fn(async () => undefined)
    const outcome = await client.createShipment(
      connectionTo(started.origin),
      draft,
      'in-answer',
      keep,
      mayLeave,
    )
    expect(outcome).toMatchObject({ kind: 'not-sent', error: { code: 'shipment-too-late' } })
    expect(mayLeave).toHaveBeenCalledOnce()
    await expectOneConnection(started)
    expect(started.requests).toEqual([])
    expect(keep).not.toHaveBeenCalled()
  })
})

describe('a creation with an unknown outcome', () => {
  const cases: [name: string, respond: (socket: Socket) => void, code: string][] = [
    ['hangs after reading', () => {}, 'service-timeout'],
    ['is reset after reading', (socket) => socket.resetAndDestroy(), 'service-connection-lost'],
    ['is closed after reading', (socket) => socket.end(), 'service-connection-lost'],
    [
      'stops in the middle of the body',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${fullBody.length}\r\n\r\n${half}`),
      'service-connection-lost',
    ],
    [
      'stops in the middle of a chunked body',
      (socket) =>
        socket.end(
          `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${half.length.toString(16)}\r\n${half}\r\n`,
        ),
      'service-connection-lost',
    ],
    [
      'stops in the middle of a body without a length',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${half}`),
      'service-answer-not-understood',
    ],
    ['is no HTTP', (socket) => socket.end('hello\r\n\r\n'), 'service-connection-lost'],
    ['is empty', (socket) => socket.write(httpText(200, '')), 'service-answer-not-understood'],
    ['is no JSON', (socket) => socket.write(httpText(200, 'OK')), 'service-answer-not-understood'],
    ['is null', (socket) => socket.write(jsonText(null)), 'service-answer-not-understood'],
    ['is an HTML page with 502', (socket) => socket.write(httpText(502, page)), 'service-failed'],
    ['is 500', (socket) => socket.write(httpText(500, '{"Errors":"oops"}')), 'service-failed'],
    ['is 408', (socket) => socket.write(httpText(408, '')), 'service-failed'],
    [
      'is a redirect',
      (socket) => socket.write(httpText(307, '', { Location: '/elsewhere' })),
      'service-moved',
    ],
    [
      'is a refusal that names a shipment',
      (socket) => socket.write(httpText(409, '{"Errors":"exists","Barcode":"3SOLD"}')),
      'service-refused',
    ],
    [
      'is a refusal that says that the shipment was created',
      (socket) => socket.write(httpText(400, '{"state":"true","Errors":"no label"}')),
      'service-refused',
    ],
    [
      'says both that the shipment was created and that there are errors',
      (socket) => socket.write(jsonText({ state: 'true', Errors: 'no label', logId: '77' })),
      'service-answer-not-understood',
    ],
  ]
  it.each(cases)('is sent once and ends as unknown when the answer %s', async (_name, respond, code) => {
    const { outcome, requests } = await create(respond, 300)
    expect(outcome).toMatchObject({ kind: 'unknown', error: { code } })
    expect(requests).toBe(1)
    expect(JSON.stringify(outcome)).not.toContain('k3y-0f-the-station')
  })

  it('ends as unknown when the service never reads the request', async () => {
    server = await startRawServer(() => {}, { read: false })
    client = clientFor(300)
    const outcome = await client.createShipment(connectionTo(server.origin), draft, 'in-answer')
    expect(outcome).toMatchObject({ kind: 'unknown', error: { code: 'service-timeout' } })
    await expectOneConnection(server)
  })

  it('ends as unknown when the connection is reset before the service reads the request', async () => {
    server = await startRawServer(() => {}, { onConnection: (socket) => socket.resetAndDestroy() })
    client = clientFor()
    const outcome = await client.createShipment(connectionTo(server.origin), draft, 'in-answer')
    expect(outcome).toMatchObject({ kind: 'unknown', error: { code: 'service-connection-lost' } })
    await expectOneConnection(server)
  })

  it('ends as unknown when a slow answer exceeds the time limit', async () => {
    let timer: NodeJS.Timeout | undefined
    const { outcome, requests } = await create((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n')
      timer = setInterval(() => socket.write(' '), 20)
    }, 300)
    clearInterval(timer)
    expect(outcome).toMatchObject({
      kind: 'unknown',
      error: { code: 'service-timeout', details: { seconds: '0.3' } },
    })
    expect(requests).toBe(1)
  })

  it('ends as unknown when the answer exceeds the size limit', async () => {
    const { outcome } = await create((socket) => {
      const megabyte = Buffer.alloc(1024 * 1024, ' ')
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      const pour = () => {
        while (!socket.destroyed && socket.write(`100000\r\n${megabyte.toString('latin1')}\r\n`)) {
          // write until the buffer is full
        }
      }
      socket.on('drain', pour)
      pour()
    }, 60_000)
    expect(outcome).toMatchObject({ kind: 'unknown', error: { code: 'service-answer-not-understood' } })
  })

  it('ends as unknown when the answer is an unterminated text of 14 MB instead of JSON', async () => {
    const { outcome } = await create((socket) =>
      socket.write(httpText(200, `"url":"${'a'.repeat(14 * 1024 * 1024)}`)),
    )
    expect(outcome).toMatchObject({ kind: 'unknown', error: { code: 'service-answer-not-understood' } })
  })

  it('ends as unknown when the client is closed during the request', async () => {
    server = await startRawServer(() => {})
    const closing = clientFor(20_000)
    const creating = closing.createShipment(connectionTo(server.origin), draft, 'in-answer')
    await vi.waitFor(() => expect(server?.requests.length).toBe(1))
    await closing.close()
    expect(await creating).toMatchObject({ kind: 'unknown', error: { code: 'service-connection-lost' } })
  })
})

describe('a creation that provably made no shipment', () => {
  const cases: [name: string, answer: Buffer, code: string, says: string | undefined][] = [
    ['400 with words', httpText(400, '{"Errors":"no such option"}'), 'service-refused', 'no such option'],
    ['404 with a page', httpText(404, page), 'service-refused', 'Bad Gateway'],
    ['429 without words', httpText(429, ''), 'service-busy', undefined],
    ['401', httpText(401, 'key expired'), 'key-refused', 'key expired'],
    ['403', httpText(403, '{"message":"forbidden"}'), 'key-refused', 'forbidden'],
    ['status false', jsonText({ status: false, Errors: 'no street' }), 'service-refused', 'no street'],
    ['state false', jsonText({ state: 'false', Errors: 'no city' }), 'service-refused', 'no city'],
  ]
  it.each(cases)('is sent once and ends as refused by the answer «%s»', async (_name, answer, code, says) => {
    const { outcome, requests } = await create((socket) => socket.write(answer))
    expect(outcome).toMatchObject({ kind: 'refused', error: { code } })
    expect(!outcome.ok && outcome.error.details?.serviceSays).toBe(says)
    expect(requests).toBe(1)
  })

  it('ends as not sent when the port is closed', async () => {
    const closed = await startRawServer(() => {})
    await closed.close()
    client = clientFor()
    const outcome = await client.createShipment(connectionTo(closed.origin), draft, 'in-answer')
    expect(outcome).toMatchObject({
      kind: 'not-sent',
      error: { code: 'service-unreachable', details: { reason: 'connection-refused' } },
    })
  })

  it('ends as not sent when the client is already closed', async () => {
    client = clientFor()
    await client.close()
    const outcome = await client.createShipment(connectionTo('http://127.0.0.1:9'), draft, 'in-answer')
    expect(outcome).toMatchObject({ kind: 'not-sent', error: { details: { reason: 'closed' } } })
  })
})

describe('a creation on a slow or reused connection', () => {
  it('succeeds when the answer arrives slowly but within the time limit', async () => {
    const { outcome } = await create((socket) => {
      const answer = jsonText(directAnswer)
      let sent = 0
      const timer = setInterval(() => {
        socket.write(answer.subarray(sent, sent + 60))
        sent += 60
        if (sent >= answer.length) clearInterval(timer)
      }, 10)
    }, 5_000)
    expect(outcome).toMatchObject({ ok: true, value: { creation: { barcodes: ['3SPACK0001'] } } })
  })

  it('succeeds when the service resets the kept connection at the next request', async () => {
    server = await startRawServer((socket, { connection, requestLine }) => {
      if (requestLine.startsWith('POST')) {
        if (connection === 1) socket.resetAndDestroy()
        else socket.write(jsonText(directAnswer))
        return
      }
      socket.write(jsonText({ state: true, items: [], notFound: [] }))
    })
    client = clientFor()
    const connection = connectionTo(server.origin)
    await client.trackCode(connection, 'A', trackingOptions)
    await new Promise(setImmediate)
    const outcome = await client.createShipment(connection, draft, 'in-answer')
    expect(getKind(outcome)).toBe('ok')
    expect(server.requests.map((request) => request.connection)).toEqual([1, 2])
  })

  it('is not repeated when the service resets its connection', async () => {
    server = await startRawServer((socket, { requestLine }) => {
      if (requestLine.startsWith('POST')) socket.resetAndDestroy()
      else socket.write(jsonText({ state: true, items: [], notFound: [] }))
    })
    client = clientFor()
    const connection = connectionTo(server.origin)
    await client.trackCode(connection, 'A', trackingOptions)
    const outcome = await client.createShipment(connection, draft, 'in-answer')
    expect(getKind(outcome)).toBe('unknown')
    await client.trackCode(connection, 'B', trackingOptions)
    expect(server.requests.filter(({ requestLine }) => requestLine.startsWith('POST'))).toHaveLength(1)
  })
})

describe('a creation answer after interim HTTP answers', () => {
  it.each([
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['100 with a header, twice', 'HTTP/1.1 100 Continue\r\nVia: proxy\r\n\r\nHTTP/1.1 100 \r\n\r\n'],
    ['102 and 103', 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
    ['100 and 103', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
  ])('is the outcome when it follows interim answer %s in one write', async (_name, interim) => {
    const { outcome, requests } = await create((socket) => {
      socket.write(Buffer.concat([Buffer.from(interim), jsonText(directAnswer)]))
    })
    expect(outcome).toMatchObject({ ok: true, value: { creation: { barcodes: ['3SPACK0001'] } } })
    expect(requests).toBe(1)
  })

  it('is the outcome when the interim answer and its beginning arrive byte by byte', async () => {
    const bytes = Buffer.concat([Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), jsonText(directAnswer)])
    const { outcome } = await create((socket) => {
      socket.setNoDelay(true)
      const next = (at: number) => {
        if (at < 60) socket.write(bytes.subarray(at, at + 1), () => setImmediate(next, at + 1))
        else socket.write(bytes.subarray(at))
      }
      next(0)
    })
    expect(outcome).toMatchObject({ ok: true, value: { creation: { barcodes: ['3SPACK0001'] } } })
  })

  it('is unknown when the connection ends after the interim answer', async () => {
    const { outcome } = await create((socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'))
    expect(outcome).toMatchObject({ kind: 'unknown', error: { code: 'service-connection-lost' } })
  })
})

describe('a creation answer with a field whose name equals the password', () => {
  const answers = {
    'in-answer': directAnswer,
    'by-url': {
      ...{ state: 'true', message: 'ok', Errors: '', Barcode: '3SPACK0001', ZendingID: 77 },
      parcelInformation: { MaxL: '175' },
      url: 'https://carrier.example/label/t0ken',
    },
  }
  const names = ['labels', 'status', 'content', 'barcode', 'state', 'Barcode', 'message']
  const cases = [...names, 'parcelInformation'].flatMap((password) =>
    (['in-answer', 'by-url'] as const).map((delivery) => ({ password, delivery })),
  )
  it.each(cases)('is read as without it: $password, label $delivery', async ({ password, delivery }) => {
    const started = await startRawServer((socket) => socket.write(jsonText(answers[delivery])))
    server = started
    const createWith = async (redactor: Redactor) => {
      const kept: ReceivedAnswer[] = []
      const ownClient = createCarrierClient({
        timeouts: () => ({ connectTimeoutMs: 500, answerTimeoutMs: 2_000 }),
        labelPolicy: localService,
        log: silentLog,
        redactor,
      })
      onTestFinished(() => ownClient.close())
      const keep = async (answer: ReceivedAnswer) => void kept.push(answer)
      const outcome = await ownClient.createShipment(connectionTo(started.origin), draft, delivery, keep)
      const read = [outcome, ...kept.map((answer) => readCreationOutcome(answer))]
      return read.map((each) => (each.ok ? each.value.creation : each.error))
    }
    const redactor = createRedactor()
    redactor.add(password)
    const creations = await createWith(redactor)
    expect(creations).toMatchObject([{ barcodes: ['3SPACK0001'] }, { barcodes: ['3SPACK0001'] }])
    expect(creations).toEqual(await createWith(createRedactor()))
  })
})

describe('a truncated creation answer', () => {
  it.each(['', 'Content-Encoding: identity\r\n'])(
    'is unknown and keeps labels and barcodes when it is shorter than its Content-Length, with the header %j',
    async (coding) => {
      const { outcome } = await create((socket) =>
        socket.end(
          `HTTP/1.1 200 OK\r\n${coding}Content-Length: ${fullBody.length}\r\n\r\n${fullBody.slice(0, -30)}`,
        ),
      )
      expect(outcome).toMatchObject({
        kind: 'unknown',
        error: { code: 'service-connection-lost', details: { barcodes: '3SPACK0001' } },
        answer: { creation: { barcodes: ['3SPACK0001'], labels: [{ problem: null }] } },
      })
    },
  )

  it('is unknown and keeps labels and barcodes when the connection closes in the body', async () => {
    const { outcome } = await create((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${fullBody.slice(0, -30)}`),
    )
    expect(outcome).toMatchObject({
      kind: 'unknown',
      error: { code: 'service-answer-not-understood', details: { barcodes: '3SPACK0001' } },
      answer: { creation: { barcodes: ['3SPACK0001'], labels: [{ problem: null }] } },
    })
  })

  it('keeps ids and barcodes of its beginning and its end when it exceeds the size limit', async () => {
    const huge = { barcode: '3SHUGE', labeltype: 'pdf', encodeType: 'base64', content: 'A'.repeat(1_500_000) }
    const [label] = directAnswer.labels
    const answer = jsonText({ status: true, labels: [label, huge, { barcode: '3SLAST' }], shipmentID: '77' })
    const started = await startRawServer((socket) => socket.write(answer))
    server = started
    const kept: ReceivedAnswer[] = []
    client = createCarrierClient({
      timeouts: () => ({ connectTimeoutMs: 500, answerTimeoutMs: 20_000 }),
      maxAnswerMegabytes: 1,
      labelPolicy: () => ({ baseUrl: null, labelHosts: [] }),
      log: silentLog,
    })
    const outcome = await client.createShipment(
      connectionTo(started.origin),
      draft,
      'in-answer',
      async (came) => {
        kept.push(came)
      },
    )
    expect(outcome).toMatchObject({
      kind: 'unknown',
      error: { message: expect.stringContaining('larger than 1048576 bytes') },
      answer: {
        creation: {
          barcodes: ['3SPACK0001', '3SHUGE', '3SLAST'],
          serviceShipmentId: '77',
          labels: [{ problem: null }, { problem: 'empty' }, { problem: 'empty' }],
        },
      },
    })
    expect(kept).toMatchObject([{ isCut: true, status: 200 }])
    expect(kept.map((came) => readCreationOutcome(came))).toMatchObject([
      { kind: 'unknown', answer: { creation: { barcodes: ['3SPACK0001', '3SHUGE', '3SLAST'] } } },
    ])
  })
})
