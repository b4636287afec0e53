import { createSocket, type Socket } from 'node:dgram'
import { networkInterfaces } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { FoundPrinter } from '../../shared/discovery'
import { type DnsQuestion, type DnsRecord, decodeAnswer, encodeQuery } from './dnsMessage'
import { isOnOwnNetwork, rawPort } from './scanAddresses'

/** Raw port 9100 first. Some printers announce LPD only. */
const services = ['_pdl-datastream._tcp.local', '_printer._tcp.local']

export interface AnnouncementDeps {
  /** The destination of queries; the multicast DNS group by default. */
  group?: { address: string; port: number }
  /** The IPv4 addresses of the interfaces that send queries; all non-loopback interfaces by default. */
  interfaces?: readonly string[]
  /** How long to wait for answers, in milliseconds. */
  waitMs: number
}

const multicastDns = { address: '224.0.0.251', port: 5353 }
/** Limits the work on a network that sends many answers. */
const maxAnswers = 1000
const maxKnown = 2000
/** With names of usual length, such a query fits into a packet. */
const questionsPerQuery = 20

/**
 * Finds printers that announce themselves on the local network (DNS-SD over multicast DNS, RFC 6762 and 6763). It sends
 * multicast queries only and connects to no printer.
 */
export async function findAnnouncedPrinters(deps: AnnouncementDeps): Promise<FoundPrinter[]> {
  const { group = multicastDns, interfaces = listOwnAddresses(), waitMs } = deps
  const known = new KnownRecords()
  const asked = new Set<string>()
  const sockets: Socket[] = []
  let answers = 0
  const ask = (socket: Socket, questions: readonly DnsQuestion[]) => {
    const unasked = questions.filter(({ name, type }) => !asked.has(`${type} ${name}`))
    for (const { name, type } of unasked) asked.add(`${type} ${name}`)
    for (let from = 0; from < unasked.length; from += questionsPerQuery) {
      const query = encodeQuery(unasked.slice(from, from + questionsPerQuery))
      // An error is ignored: an unreachable network has no printers to report.
      socket.send(query, group.port, group.address, () => undefined)
    }
  }
  for (const address of interfaces) {
    const socket = createSocket('udp4')
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('message', (message) => {
      answers += 1
      if (answers > maxAnswers) return
      if (known.add(decodeAnswer(message))) ask(socket, known.listMissing())
    })
    socket.bind(0, address, () => {
      if (group === multicastDns) socket.setMulticastInterface(address)
      const query = encodeQuery(services.map((name) => ({ name, type: 'PTR' })))
      socket.send(query, group.port, group.address, () => undefined)
    })
  }
  await pause(waitMs)
  for (const socket of sockets) socket.close()
  return known.toPrinters()
}

function listOwnAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address),
  )
}

/** The announced records, by name in lower case. Records beyond a maximum are ignored. */
export class KnownRecords {
  private count = 0
  private readonly instances = new Map<string, string>()
  private readonly locations = new Map<string, { target: string; port: number }>()
  private readonly texts = new Map<string, string[]>()
  /** The first address in a private network of each host. */
  private readonly addresses = new Map<string, string>()

  /** @returns whether a new name was added */
  add(records: readonly DnsRecord[]): boolean {
    const before = this.count
    for (const record of records) this.addOne(record)
    return this.count > before
  }

  /** The questions for missing addresses of announced printers. Most announce them at once, some do not. */
  listMissing(): DnsQuestion[] {
    return [...this.instances].flatMap(([key, name]): DnsQuestion[] => {
      const location = this.locations.get(key)
      if (location === undefined) {
        return [
          { name, type: 'SRV' },
          { name, type: 'TXT' },
        ]
      }
      const { target } = location
      return this.addresses.has(target.toLowerCase()) ? [] : [{ name: target, type: 'A' }]
    })
  }

  /** The printers whose address and port are known, sorted by name. */
  toPrinters(): FoundPrinter[] {
    const printers = new Map<string, FoundPrinter>()
    for (const [key, instance] of this.instances) {
      const location = this.locations.get(key)
      const host = location === undefined ? undefined : this.addresses.get(location.target.toLowerCase())
      if (location === undefined || host === undefined) continue
      const isRaw = key.endsWith(services[0] ?? '')
      const texts = this.texts.get(key) ?? []
      const name = findText(texts, 'ty') ?? findText(texts, 'product') ?? toDisplayName(instance)
      const printer = {
        host,
        port: isRaw ? location.port : rawPort,
        name,
        isZpl: /zpl|zebra|\bztc\b/i.test([name, toDisplayName(instance), ...texts].join(' ')),
      }
      const address = `${printer.host}:${printer.port}`
      if (isRaw || !printers.has(address)) printers.set(address, printer)
    }
    return [...printers.values()].sort((one, other) => one.name.localeCompare(other.name))
  }

  private addOne(record: DnsRecord): void {
    const name = record.name.toLowerCase()
    switch (record.type) {
      case 'PTR':
        if (services.includes(name)) this.put(this.instances, record.target.toLowerCase(), record.target)
        break
      case 'SRV':
        if (record.port > 0) this.put(this.locations, name, record)
        break
      case 'TXT':
        this.put(this.texts, name, record.texts)
        break
      case 'A':
        if (!this.addresses.has(name) && isOnOwnNetwork(record.address))
          this.put(this.addresses, name, record.address)
        break
    }
  }

  private put<Value>(map: Map<string, Value>, key: string, value: Value): void {
    if (!map.has(key)) {
      if (this.count >= maxKnown) return
      this.count += 1
    }
    map.set(key, value)
  }
}

function findText(texts: readonly string[], key: string): string | undefined {
  const found = texts.find((text) => text.toLowerCase().startsWith(`${key}=`))
  return found?.slice(key.length + 1).trim() || undefined
}

/** The first label of an instance's name is the name that people see. */
function toDisplayName(instance: string): string {
  const [label = ''] = instance.match(/^(?:\\.|[^.\\])+/) ?? []
  return label.replace(/\\(.)/g, '$1')
}
