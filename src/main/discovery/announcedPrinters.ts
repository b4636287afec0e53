import { createSocket, type Socket } from 'node:dgram'
import { networkInterfaces } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { FoundPrinter } from '../../shared/discovery'
import { isOnOwnNetwork } from '../lib/networks'
import { type DnsQuestion, type DnsRecord, decodeAnswer, encodeQuery } from './dnsMessage'

/** Raw port 9100 first; LPD names the same printers where it is all they announce. */
const services = ['_pdl-datastream._tcp.local', '_printer._tcp.local']
const rawPort = 9100

export interface AnnouncementDeps {
  /** Where queries go; the group of multicast DNS when left out. */
  group?: { address: string; port: number }
  /** IPv4 addresses of the interfaces that are asked through; those of the computer's networks when left out. */
  interfaces?: readonly string[]
  /** How long answers are waited for, in milliseconds. */
  waitMs: number
}

const multicastDns = { address: '224.0.0.251', port: 5353 }
/** Most answers that are looked at: a network may be full of them. */
const maxAnswers = 1000
/** Most records that are kept of them. */
const maxKnown = 2000
/** Questions of one query: with names of usual length it fits into a packet. */
const questionsPerQuery = 20

/**
 * Printers that announce themselves on the local network (DNS-SD over multicast DNS, RFC 6762 and 6763). Printers are
 * asked by one query to all of them; no connection is made to any.
 */
export async function findAnnouncedPrinters(deps: AnnouncementDeps): Promise<FoundPrinter[]> {
  const { group = multicastDns, interfaces = listOwnAddresses(), waitMs } = deps
  const known = new KnownRecords()
  const asked = new Set<string>()
  const sockets: Socket[] = []
  let answers = 0
  const ask = (socket: Socket, questions: readonly DnsQuestion[]) => {
    const open = questions.filter(({ name, type }) => !asked.has(`${type} ${name}`))
    for (const { name, type } of open) asked.add(`${type} ${name}`)
    for (let from = 0; from < open.length; from += questionsPerQuery) {
      const query = encodeQuery(open.slice(from, from + questionsPerQuery))
      // A network that can't be reached has no printers to say so.
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

/** What was announced up to now, by name in lower case; records beyond a number are passed over. */
export class KnownRecords {
  private count = 0
  private readonly instances = new Map<string, string>()
  private readonly locations = new Map<string, { target: string; port: number }>()
  private readonly texts = new Map<string, string[]>()
  /** The first address in a private network of each host. */
  private readonly addresses = new Map<string, string>()

  /** @returns whether a name became known */
  add(records: readonly DnsRecord[]): boolean {
    const before = this.count
    for (const record of records) this.addOne(record)
    return this.count > before
  }

  /** What has to be asked for to know where announced printers are: most say it at once, some do not. */
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

  /** The printers whose address and port are known, by name. */
  toPrinters(): FoundPrinter[] {
    const printers = new Map<string, FoundPrinter>()
    for (const [key, instance] of this.instances) {
      const location = this.locations.get(key)
      const host = location === undefined ? undefined : this.addresses.get(location.target.toLowerCase())
      if (location === undefined || host === undefined) continue
      const isRaw = key.endsWith(services[0] ?? '')
      const texts = this.texts.get(key) ?? []
      const name = findText(texts, 'ty') ?? findText(texts, 'product') ?? toLabel(instance)
      const printer = {
        host,
        port: isRaw ? location.port : rawPort,
        name,
        isZpl: /zpl|zebra|\bztc\b/i.test([name, toLabel(instance), ...texts].join(' ')),
      }
      const place = `${printer.host}:${printer.port}`
      if (isRaw || !printers.has(place)) printers.set(place, printer)
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

/** The first label of an instance's name is what people call it. */
function toLabel(instance: string): string {
  const [label = ''] = instance.match(/^(?:\\.|[^.\\])+/) ?? []
  return label.replace(/\\(.)/g, '$1')
}
