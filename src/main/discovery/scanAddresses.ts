import { BlockList, connect, type Socket } from 'node:net'
import type { FoundPrinter, PrinterIdentity } from '../../shared/discovery'
import { maxScannedAddresses } from '../../shared/discovery'
import { isLoopbackHost } from '../../shared/fields'
import { err, ok, type Result } from '../../shared/result'
import { describeDevice, snmpPort } from './snmp'

interface Address {
  host: string
  port: number
}

/** The port on which printers take raw bytes. */
export const rawPort = 9100
const single = /^(\d{1,3}(?:\.\d{1,3}){3})(?::(\d{1,5}))?$/
const range = /^(\d{1,3}(?:\.\d{1,3}){3})-(?:(\d{1,3}(?:\.\d{1,3}){3})|(\d{1,3}))$/
const network = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/

const ownNetworks = new BlockList()
for (const [address, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  ownNetworks.addSubnet(address, bits, 'ipv4')
}

/** Whether an IPv4 address is private (RFC 1918) or link-local; loopback addresses (127.0.0.0/8) are not. */
export function isOnOwnNetwork(address: string): boolean {
  return ownNetworks.check(address, 'ipv4')
}

/**
 * Reads IPv4 addresses («192.168.1.20», with a port «192.168.1.20:6101»), ranges («192.168.1.20-60») and networks
 * («192.168.1.0/24»), separated by commas or spaces.
 * @returns the first part that can't be read, is outside the station's own networks, or exceeds 1024 addresses in total
 */
export function readAddresses(text: string): Result<Address[], string> {
  const addresses = new Map<string, Address>()
  for (const part of text.split(/[\s,;]+/).filter((each) => each !== '')) {
    const read = readPart(part)
    if (read === undefined) return err(part)
    // SECURITY: a page must not make the station connect to computers outside its own networks.
    if (!read.every(({ host }) => isOnOwnNetwork(host) || isLoopbackHost(host))) return err(part)
    for (const address of read) addresses.set(`${address.host}:${address.port}`, address)
    if (addresses.size > maxScannedAddresses) return err(part)
  }
  return ok([...addresses.values()])
}

function readPart(part: string): Address[] | undefined {
  const [, host, port] = single.exec(part) ?? []
  if (host !== undefined) {
    const number = toNumber(host)
    const wanted = port === undefined ? rawPort : Number(port)
    return number === undefined || wanted < 1 || wanted > 65_535 ? undefined : [{ host, port: wanted }]
  }
  const [, base, bits] = network.exec(part) ?? []
  if (base !== undefined) return readNetwork(toNumber(base), Number(bits))
  const [, first, last, lastByte] = range.exec(part) ?? []
  const from = first === undefined ? undefined : toNumber(first)
  if (first === undefined || from === undefined) return undefined
  const to = toNumber(last ?? first.replace(/\d+$/, lastByte ?? ''))
  return to === undefined ? undefined : listBetween(from, to)
}

/** Leaves out the network and broadcast addresses, if the network has them. */
function readNetwork(base: number | undefined, bits: number): Address[] | undefined {
  if (base === undefined || bits > 32) return undefined
  const size = 2 ** (32 - bits)
  const first = base - (base % size)
  return size <= 2 ? listBetween(first, first + size - 1) : listBetween(first + 1, first + size - 2)
}

function listBetween(from: number, to: number): Address[] | undefined {
  if (to < from || to - from >= maxScannedAddresses) return undefined
  return Array.from({ length: to - from + 1 }, (_, index) => ({ host: toHost(from + index), port: rawPort }))
}

function toNumber(host: string): number | undefined {
  const bytes = host.split('.').map(Number)
  return bytes.some((byte) => byte > 255) ? undefined : bytes.reduce((sum, byte) => sum * 256 + byte, 0)
}

function toHost(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')
}

/** The maximum of ranges in the text of the dialog, which truncates longer ones. */
const maxRanges = { hosts: 5, ports: 4 }

/**
 * Describes a scan for the person who has to allow it: «192.168.1.1-192.168.1.254 (TCP 9100, UDP 161, 254 IPv4)». All
 * scanned addresses lie in the named ranges; if there are too many, those with the narrowest gaps are merged.
 * @returns at most 280 characters
 */
export function describeAddresses(addresses: readonly Address[]): string {
  const numbers = addresses.map(({ host }) => toNumber(host) ?? 0)
  const hosts = toRanges(numbers, maxRanges.hosts).map((each) => toText(each.map(toHost)))
  const ports = toRanges(
    addresses.map(({ port }) => port),
    maxRanges.ports,
  ).map((each) => toText(each.map(String)))
  return `${hosts.join(', ')} (TCP ${ports.join(', ')}, UDP ${snmpPort}, ${addresses.length} IPv4)`
}

/** At most `maxCount` ranges, as their first and last number, that contain all numbers. */
function toRanges(numbers: readonly number[], maxCount: number): number[][] {
  const sorted = [...new Set(numbers)].sort((one, other) => one - other)
  const starts = sorted
    .map((number, index) => ({ number, gap: number - (sorted[index - 1] ?? number) }))
    .filter(({ gap }) => gap > 1)
    .sort((one, other) => other.gap - one.gap)
    .slice(0, maxCount - 1)
    .map(({ number }) => number)
  const bounds = [...sorted.slice(0, 1), ...starts.sort((one, other) => one - other)]
  return bounds.map((first, index) => {
    const next = bounds[index + 1] ?? Number.POSITIVE_INFINITY
    return [first, sorted.findLast((number) => number < next) ?? first]
  })
}

function toText([first = '', last = '']: readonly string[]): string {
  return first === last ? first : `${first}-${last}`
}

const parallel = 32

/**
 * Finds the addresses that accept a TCP connection and asks them by SNMP for their description. Nothing is sent over
 * the connection: a device that is no label printer would print it.
 * @param connectMs the timeout for a connection, and again for the description
 */
export async function scanAddresses(
  addresses: readonly Address[],
  connectMs: number,
  describe = describeDevice,
): Promise<FoundPrinter[]> {
  const found: FoundPrinter[] = []
  const waiting = [...addresses]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const socket = await openSocket(next, connectMs)
      if (socket === undefined) continue
      socket.destroy()
      const name = (await describe(next.host, connectMs)) ?? ''
      found.push({ ...next, name, isZpl: /\b(?:ZPL|ZTC|Zebra)/i.test(name) })
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  const indexOf = ({ host, port }: Address) =>
    addresses.findIndex((each) => each.host === host && each.port === port)
  return found.sort((one, other) => indexOf(one) - indexOf(other))
}

function openSocket(address: Address, connectMs: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(address)
    const end = (result: Socket | undefined) => {
      clearTimeout(timer)
      if (result === undefined) socket.destroy()
      resolve(result)
    }
    const timer = setTimeout(() => end(undefined), connectMs)
    socket.once('connect', () => end(socket))
    socket.once('error', () => end(undefined))
  })
}

const connectMs = 2_000
const maxIdentity = 4_096
const resolutions = new Map([
  [6, 152],
  [8, 203],
  [12, 300],
  [24, 600],
] as const)

/**
 * Asks a printer with `~HI` for its identity: model, version, dots per mm and memory, between STX and ETX.
 * @returns undefined without a valid answer within `waitMs` milliseconds
 */
export async function identifyPrinter(
  address: Address,
  waitMs: number,
): Promise<PrinterIdentity | undefined> {
  const socket = await openSocket(address, connectMs)
  if (socket === undefined) return undefined
  return new Promise((resolve) => {
    let answer = ''
    const conclude = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(readIdentity(answer))
    }
    const timer = setTimeout(conclude, waitMs)
    socket.on('error', conclude)
    socket.on('close', conclude)
    socket.on('data', (part) => {
      answer += part.toString('latin1')
      if (answer.includes(end) || answer.length > maxIdentity) conclude()
    })
    socket.write('~HI\r\n')
  })
}

const start = '\u0002'
const end = '\u0003'

function readIdentity(answer: string): PrinterIdentity | undefined {
  const [, from = ''] = answer.split(start, 2)
  const [frame = ''] = from.split(end, 1)
  const [model = '', , dots = ''] = frame.split(',').map((field) => field.trim())
  if (!/^[\x20-\x7e]{2,60}$/.test(model)) return undefined
  const named = [152, 203, 300, 600] as const
  const inName = named.find((dpi) => new RegExp(`${dpi}\\s*dpi`, 'i').test(model))
  return { model, dpi: inName ?? findResolution(Number(dots)) }
}

function findResolution(dotsPerMm: number): PrinterIdentity['dpi'] {
  for (const [dots, dpi] of resolutions) if (dots === dotsPerMm) return dpi
  return null
}
