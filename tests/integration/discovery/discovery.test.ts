import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findAnnouncedPrinters } from '../../../src/main/discovery/announcedPrinters'
import { createDiscoveryHandlers } from '../../../src/main/discovery/handlers'
import { identifyPrinter, scanAddresses } from '../../../src/main/discovery/scanAddresses'
import { describeDevice } from '../../../src/main/discovery/snmp'
import { appError } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'
import { defaultSettings } from '../../../src/shared/settings'
import { listenOnLoopback } from '../../support/loopback'

/** A device on loopback that accepts connections. Returns its port and the received data. */
async function device(onData: (socket: Socket, said: string) => void = () => undefined) {
  const received: string[] = []
  const connections: Socket[] = []
  const server = createServer((socket) => {
    connections.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', (part) => {
      received.push(String(part))
      onData(socket, String(part))
    })
  })
  const port = await listenOnLoopback(server)
  onTestFinished(() => {
    for (const socket of connections) socket.destroy()
    server.close()
  })
  return { port, received, connections }
}

function name(text: string): Buffer {
  return Buffer.concat([
    ...text.split('.').map((part) => Buffer.from([part.length, ...Buffer.from(part)])),
    Buffer.from([0]),
  ])
}

function record(of: string, type: number, data: Buffer): Buffer {
  const head = Buffer.from([0, type, 0, 1, 0, 0, 0, 60, 0, 0])
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([name(of), head, data])
}

function toAnswer(...records: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([0, 0, 0x84, 0, 0, 0, 0, records.length, 0, 0, 0, 0]), ...records])
}

const service = '_pdl-datastream._tcp.local'
const instance = `Zebra bench 1.${service}`
const pointer = record(service, 12, name(instance))
const location = record(
  instance,
  33,
  Buffer.concat([Buffer.from([0, 0, 0, 0, 0x23, 0x8c]), name('zebra.local')]),
)
const text = record(instance, 16, Buffer.concat([Buffer.from([18]), Buffer.from('ty=ZTC ZD420-203dp')]))
const place = (address: number[]) => record('zebra.local', 1, Buffer.from(address))

/** A responder on loopback, instead of the multicast DNS group. */
async function responder(answers: Buffer[]) {
  const socket = createSocket('udp4')
  const queries: Buffer[] = []
  socket.on('message', (query, { port, address }) => {
    queries.push(query)
    const next = answers.shift()
    if (next !== undefined) socket.send(next, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => {
    socket.close()
  })
  const find = () =>
    findAnnouncedPrinters({
      group: { address: '127.0.0.1', port: socket.address().port },
      interfaces: ['127.0.0.1'],
      waitMs: 300,
    })
  return { queries, find }
}

const zebra = { host: '192.168.1.20', port: 9100, name: 'ZTC ZD420-203dp', isZpl: true }

describe('printers that announce themselves', () => {
  it('are found with their address, port and name', async () => {
    const { find } = await responder([toAnswer(pointer, location, text, place([192, 168, 1, 20]))])
    expect(await find()).toEqual([zebra])
  })

  it('are queried for their address when the first answer lacks it', async () => {
    const { find, queries } = await responder([
      toAnswer(pointer),
      toAnswer(location, text),
      toAnswer(place([192, 168, 1, 20])),
    ])
    expect(await find()).toEqual([zebra])
    expect(queries).toHaveLength(3)
  })

  it('are ignored with an address outside private networks, as are invalid answers', async () => {
    const { find } = await responder([
      toAnswer(pointer, location, text, place([203, 0, 113, 20])),
      Buffer.from('no message of DNS'),
    ])
    expect(await find()).toEqual([])
  })

  it('are ignored with an address of this computer, where another program may listen', async () => {
    const { find } = await responder([toAnswer(pointer, location, text, place([127, 0, 0, 1]))])
    expect(await find()).toEqual([])
  })

  it('are an empty list without an answer', async () => {
    const { find } = await responder([])
    expect(await find()).toEqual([])
  })
})

describe('a scan of addresses', () => {
  it('finds devices that accept a connection, in the given order, and sends nothing', async () => {
    const [one, other] = [await device(), await device()]
    const closed = await device()
    const addresses = [other.port, 1, one.port].map((port) => ({ host: '127.0.0.1', port }))
    const found = await scanAddresses(addresses, 500)
    expect(found.map(({ port }) => port)).toEqual([other.port, one.port])
    expect([...one.received, ...other.received]).toEqual([])
    expect(closed.connections).toEqual([])
  })

  it('asks a person first, and opens no connection without agreement', async () => {
    const { port, connections } = await device()
    const refusal = err(appError('change-not-confirmed', { places: '' }))
    let answer: typeof refusal | ReturnType<typeof ok<undefined>> = refusal
    const asked: string[] = []
    const handlers = createDiscoveryHandlers({
      targetConsent: {
        async forScan(described) {
          asked.push(described)
          return answer
        },
        forPrinter: async () => answer,
      },
      settings: { current: () => defaultSettings },
    })
    const addresses = `127.0.0.1:${port}`
    expect(await handlers.findPrinters({ addresses })).toEqual(refusal)
    expect(await handlers.identifyPrinter({ host: '127.0.0.1', port })).toEqual(refusal)
    expect(connections).toEqual([])
    expect(asked).toEqual([`127.0.0.1 (TCP ${port}, UDP 161, 1 IPv4)`])
    expect(await handlers.findPrinters({ addresses: '203.0.113.20' })).toMatchObject({
      error: { code: 'addresses-invalid', details: { part: '203.0.113.20' } },
    })
    expect(asked).toHaveLength(1)
    answer = ok(undefined)
    expect(await handlers.findPrinters({ addresses })).toMatchObject({
      value: { asked: 1, printers: [{ port }] },
    })
    expect(await handlers.findPrinters({ addresses: 'everywhere' })).toMatchObject({
      error: { code: 'addresses-invalid', details: { part: 'everywhere' } },
    })
  })
})

/** An SNMP answer as net-snmp and printers write it: with lengths in long form and the id of the request. */
function toSnmpAnswer(request: Buffer, said: Buffer, status = 0, type = 0x04): Buffer {
  const value = (of: number, ...parts: Buffer[]) => {
    const content = Buffer.concat(parts)
    return Buffer.concat([Buffer.from([of, 0x82, content.length >> 8, content.length & 0xff]), content])
  }
  const number = (each: number) => Buffer.from([0x02, 0x01, each])
  const [id, oid] = [request.subarray(17, 21), request.subarray(33, 44)]
  const binding = value(0x30, Buffer.from([0x06, oid.length]), oid, value(type, said))
  const list = value(0x30, binding)
  const response = value(0xa2, Buffer.from([0x02, 0x04]), id, number(status), number(0), list)
  return value(0x30, number(0), Buffer.from('\u0004\u0006public'), response)
}

/** A device that answers SNMP on loopback. */
async function agent(answer: (request: Buffer) => Buffer | undefined) {
  const socket = createSocket('udp4')
  const requests: Buffer[] = []
  socket.on('message', (request, { port, address }) => {
    requests.push(request)
    const said = answer(request)
    if (said !== undefined) socket.send(said, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => {
    socket.close()
  })
  return { requests, port: socket.address().port }
}

describe('a device found by its address', () => {
  const zt410 = Buffer.from('Zebra Technologies ZTC ZT410-203dpi ZPL\u0000')

  it('has its name from SNMP, and is marked as a ZPL printer when the name contains ZPL', async () => {
    const zebra = await agent((request) => toSnmpAnswer(request, zt410))
    const office = await agent((request) => toSnmpAnswer(request, Buffer.from('HP LaserJet M404')))
    const [one, other, silent] = [await device(), await device(), await device()]
    const agents = new Map([
      ['127.0.0.1', zebra.port],
      ['127.0.0.2', office.port],
    ])
    const addresses = [
      { host: '127.0.0.1', port: one.port },
      { host: '127.0.0.1', port: other.port },
      { host: '127.0.0.1', port: silent.port },
    ]
    const turns = [agents.get('127.0.0.1'), agents.get('127.0.0.2'), 1]
    const found = await scanAddresses(addresses, 300, (host, waitMs) =>
      describeDevice(host, waitMs, turns.shift()),
    )
    expect(found.map(({ name, isZpl }) => [name, isZpl]).toSorted()).toEqual([
      ['', false],
      ['HP LaserJet M404', false],
      ['Zebra Technologies ZTC ZT410-203dpi ZPL', true],
    ])
    // A GetRequest of SNMP version 1 for 1.3.6.1.2.1.25.3.2.1.3.1 in the community «public».
    const [request] = zebra.requests
    expect(request?.toString('hex').replace(/^(.{34}).{8}/, '$1________')).toBe(
      '302c02010004067075626c6963a01f0204________0201000201003011300f060b2b060102011903020103010500',
    )
  })

  it.each([
    ['an error', (request: Buffer) => toSnmpAnswer(request, zt410, 2)],
    ['a number', (request: Buffer) => toSnmpAnswer(request, Buffer.from([1]), 0, 0x02)],
    ['an empty text', (request: Buffer) => toSnmpAnswer(request, Buffer.from(' \u0000'))],
    ['another request', () => toSnmpAnswer(Buffer.alloc(60, 1), zt410)],
    ['a truncated message', (request: Buffer) => toSnmpAnswer(request, zt410).subarray(0, 40)],
    ['a length without end', () => Buffer.from([0x30, 0x80, 0x02])],
    ['nothing', () => undefined],
  ])('has no name when it answers with %s', async (_, answer) => {
    const { port } = await agent(answer)
    expect(await describeDevice('127.0.0.1', 200, port)).toBeUndefined()
  })

  it('has no name when its address cannot be reached', async () => {
    // The system refuses to send to the broadcast address.
    expect(await describeDevice('255.255.255.255', 60_000)).toBeUndefined()
  })
})

describe('identifyPrinter', () => {
  it.each([
    ['\u0002ZD420-203dpi,V84.20.11Z,8,8176KB\u0003\r\n', { model: 'ZD420-203dpi', dpi: 203 }],
    ['\u0002ZT411,V92.21.17Z,12,65536KB,,\u0003', { model: 'ZT411', dpi: 300 }],
    ['\u0002Odd one,V1,99,1\u0003', { model: 'Odd one', dpi: null }],
    ['Welcome!', undefined],
  ])('reads model and resolution from the answer %j', async (said, identity) => {
    const { port, received } = await device((socket) => socket.write(said))
    expect(await identifyPrinter({ host: '127.0.0.1', port }, 300)).toEqual(identity)
    expect(received).toEqual(['~HI\r\n'])
  })

  it('returns undefined when the printer is silent, hangs up, sends too much or is unreachable', async () => {
    const silent = await device()
    const rude = await device((socket) => socket.destroy())
    const chatty = await device((socket) => socket.write('x'.repeat(10_000)))
    for (const { port } of [silent, rude, chatty, { port: 1 }]) {
      expect(await identifyPrinter({ host: '127.0.0.1', port }, 200)).toBeUndefined()
    }
  })
})
