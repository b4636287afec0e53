import { createSocket, type Socket } from 'node:dgram'
import { BlockList } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { FoundPrinter } from '../../shared/discovery'
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
const maxAnswers = 2000

/** Addresses of private networks: no other one is taken from an announcement. */
const privateAddresses = new BlockList()
for (const [address, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['127.0.0.0', 8],
] as const) {
  privateAddresses.addSubnet(address, bits, 'ipv4')
}

/**
 * Printers that announce themselves on the local network (DNS-SD over multicast DNS, RFC 6762 and 6763). Printers are
 * asked by one query to all of them; no connection is made to any.
 */
export async function findAnnouncedPrinters(deps: AnnouncementDeps): Promise<FoundPrinter[]> {
  const { group = multicastDns, interfaces = listOwnAddresses(), waitMs } = deps
  const known = new Map<string, DnsRecord>()
  const asked = new Set<string>()
  const sockets: Socket[] = []
  let answers = 0
  const ask = (socket: Socket, questions: readonly DnsQuestion[]) => {
    const open = questions.filter(({ name, type }) => !asked.has(`${type} ${name}`))
    if (open.length === 0) return
    for (const { name, type } of open) asked.add(`${type} ${name}`)
    // A network that can't be reached has no printers to say so.
    socket.send(encodeQuery(open), group.port, group.address, () => undefined)
  }
  for (const address of interfaces) {
    const socket = createSocket('udp4')
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('message', (message) => {
      answers += 1
      if (answers > maxAnswers) return
      for (const record of decodeAnswer(message)) known.set(keyOf(record), record)
      ask(socket, listMissing([...known.values()]))
    })
    socket.bind(0, address, () => {
      if (group === multicastDns) socket.setMulticastInterface(address)
      const query = encodeQuery(services.map((name) => ({ name, type: 'PTR' })))
      socket.send(query, group.port, group.address, () => undefined)
    })
  }
  await pause(waitMs)
  for (const socket of sockets) socket.close()
  return toPrinters([...known.values()])
}

function listOwnAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address),
  )
}

function keyOf(record: DnsRecord): string {
  const ending = record.type === 'PTR' ? record.target : record.type === 'A' ? record.address : ''
  return `${record.type} ${record.name.toLowerCase()} ${ending.toLowerCase()}`
}

/** What has to be asked for to know where announced printers are: most say it at once, some do not. */
function listMissing(records: readonly DnsRecord[]): DnsQuestion[] {
  return listInstances(records).flatMap((name): DnsQuestion[] => {
    const service = findService(records, name)
    if (service === undefined) {
      return [
        { name, type: 'SRV' },
        { name, type: 'TXT' },
      ]
    }
    return findAddress(records, service.target) === undefined ? [{ name: service.target, type: 'A' }] : []
  })
}

function listInstances(records: readonly DnsRecord[]): string[] {
  return records.flatMap((record) =>
    record.type === 'PTR' && services.includes(record.name.toLowerCase()) ? [record.target] : [],
  )
}

function findService(records: readonly DnsRecord[], name: string) {
  for (const each of records) if (each.type === 'SRV' && isSameName(each.name, name)) return each
  return undefined
}

function findAddress(records: readonly DnsRecord[], name: string): string | undefined {
  const addresses = records.flatMap((each) =>
    each.type === 'A' && isSameName(each.name, name) ? [each.address] : [],
  )
  return addresses.find((address) => privateAddresses.check(address, 'ipv4'))
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function toPrinters(records: readonly DnsRecord[]): FoundPrinter[] {
  const printers = new Map<string, FoundPrinter>()
  for (const instance of listInstances(records)) {
    const service = findService(records, instance)
    const host = service === undefined ? undefined : findAddress(records, service.target)
    if (service === undefined || host === undefined) continue
    const isRaw = instance.toLowerCase().endsWith(services[0] ?? '')
    const texts = records.flatMap((each) =>
      each.type === 'TXT' && isSameName(each.name, instance) ? each.texts : [],
    )
    const name = findText(texts, 'ty') ?? findText(texts, 'product') ?? toLabel(instance)
    const printer = {
      host,
      port: isRaw ? service.port : rawPort,
      name,
      isZpl: /zpl|zebra|\bztc\b/i.test([name, toLabel(instance), ...texts].join(' ')),
    }
    const key = `${printer.host}:${printer.port}`
    if (isRaw || !printers.has(key)) printers.set(key, printer)
  }
  return [...printers.values()].sort((one, other) => one.name.localeCompare(other.name))
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
