import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findAnnouncedPrinters } from '../../../src/main/discovery/announcedPrinters'
import { createDiscoveryHandlers } from '../../../src/main/discovery/handlers'
import { identifyPrinter, scanAddresses } from '../../../src/main/discovery/scanAddresses'
import { appError } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'
import { defaultSettings } from '../../../src/shared/settings'

/** A device on loopback that takes connections; gives its port and what it was sent. */
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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of connections) socket.destroy()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
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

/** What answers to queries on loopback, in the place of the group of multicast DNS. */
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

  it('are asked where they are when they do not say so at once', async () => {
    const { find, queries } = await responder([
      toAnswer(pointer),
      toAnswer(location, text),
      toAnswer(place([192, 168, 1, 20])),
    ])
    expect(await find()).toEqual([zebra])
    expect(queries).toHaveLength(3)
  })

  it('are passed over with an address outside of private networks, and whatever else is said', async () => {
    const { find } = await responder([
      toAnswer(pointer, location, text, place([203, 0, 113, 20])),
      Buffer.from('no message of DNS'),
    ])
    expect(await find()).toEqual([])
  })

  it('are passed over with an address of this computer, where another program may listen', async () => {
    const { find } = await responder([toAnswer(pointer, location, text, place([127, 0, 0, 1]))])
    expect(await find()).toEqual([])
  })

  it('are none where nobody answers', async () => {
    const { find } = await responder([])
    expect(await find()).toEqual([])
  })
})

describe('a scan of addresses', () => {
  it('finds what takes a connection, in the order that was given, and sends nothing', async () => {
    const [one, other] = [await device(), await device()]
    const closed = await device()
    const addresses = [other.port, 1, one.port].map((port) => ({ host: '127.0.0.1', port }))
    const found = await scanAddresses(addresses, 500)
    expect(found.map(({ port }) => port)).toEqual([other.port, one.port])
    expect([...one.received, ...other.received]).toEqual([])
    expect(closed.connections).toEqual([])
  })

  it('asks a person first, and opens nothing when the answer is no', async () => {
    const { port, connections } = await device()
    const refusal = err(appError('change-not-confirmed', { places: '' }))
    let answer: typeof refusal | ReturnType<typeof ok<undefined>> = refusal
    const asked: string[] = []
    const handlers = createDiscoveryHandlers(
      {
        async forScan(described) {
          asked.push(described)
          return answer
        },
        forPrinter: async () => answer,
      },
      () => defaultSettings,
    )
    const addresses = `127.0.0.1:${port}`
    expect(await handlers.findPrinters({ addresses })).toEqual(refusal)
    expect(await handlers.identifyPrinter({ host: '127.0.0.1', port })).toEqual(refusal)
    expect(connections).toEqual([])
    expect(asked).toEqual([`127.0.0.1 (TCP ${port}, 1 IPv4)`])
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

describe('what a printer says of itself', () => {
  it.each([
    ['\u0002ZD420-203dpi,V84.20.11Z,8,8176KB\u0003\r\n', { model: 'ZD420-203dpi', dpi: 203 }],
    ['\u0002ZT411,V92.21.17Z,12,65536KB,,\u0003', { model: 'ZT411', dpi: 300 }],
    ['\u0002Odd one,V1,99,1\u0003', { model: 'Odd one', dpi: null }],
    ['Welcome!', undefined],
  ])('is read from its answer %j', async (said, identity) => {
    const { port, received } = await device((socket) => socket.write(said))
    expect(await identifyPrinter({ host: '127.0.0.1', port }, 300)).toEqual(identity)
    expect(received).toEqual(['~HI\r\n'])
  })

  it('is nothing when it does not answer, hangs up, says too much or is not there', async () => {
    const silent = await device()
    const rude = await device((socket) => socket.destroy())
    const chatty = await device((socket) => socket.write('x'.repeat(10_000)))
    for (const { port } of [silent, rude, chatty, { port: 1 }]) {
      expect(await identifyPrinter({ host: '127.0.0.1', port }, 200)).toBeUndefined()
    }
  })
})
