import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'

/** An argument of a call, by its D-Bus type: text, object path, or a list of object paths. */
type BusArgument = { s: string } | { o: string } | { ao: readonly string[] }

/** Which method of which object of which program is called. */
interface BusCall {
  destination: string
  path: string
  interface: string
  member: string
  args?: readonly BusArgument[]
}

/** A reply's body, read from its start. */
export interface BusReply {
  flag(): boolean
  text(): string
  /** Also of object paths. */
  texts(): string[]
  /** A flag inside of a variant. */
  variantFlag(): boolean
}

/** A connection to the D-Bus of the user's session, for a few calls (D-Bus specification, 0.36+). */
export interface SessionBus {
  /** Rejects when the call fails or the bus goes away. */
  call(call: BusCall): Promise<BusReply>
  close(): void
}

const busName = 'org.freedesktop.DBus'

/**
 * Connects to the session's bus.
 * @param signal ends connecting and everything after it
 * @returns undefined when there is none; rejects when there is one that does not answer or lets nobody in
 */
export async function openSessionBus(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<SessionBus | undefined> {
  const path = socketPath(env)
  if (path === undefined) return undefined
  const socket = createConnection({ path })
  // Whoever waits on the socket still gets an answer.
  socket.on('error', () => undefined)
  const end = () => socket.destroy(new Error('the session bus did not answer in time'))
  signal.addEventListener('abort', end, { once: true })
  socket.on('close', () => signal.removeEventListener('abort', end))
  try {
    await once(socket, 'connect', { signal })
  } catch {
    return undefined
  }
  try {
    const messages = await signIn(socket, signal)
    const bus = new Connection(socket, messages)
    await bus.call({
      destination: busName,
      path: '/org/freedesktop/DBus',
      interface: busName,
      member: 'Hello',
    })
    return bus
  } catch (error) {
    socket.destroy()
    throw error
  }
}

function socketPath({ DBUS_SESSION_BUS_ADDRESS: given, XDG_RUNTIME_DIR: runtime }: NodeJS.ProcessEnv) {
  const address = given ?? (runtime === undefined ? '' : `unix:path=${runtime}/bus`)
  const [, kind, value = ''] = /unix:(?:[^;]*,)?(path|abstract)=([^,;]+)/.exec(address) ?? []
  if (kind === undefined) return undefined
  const plain = decodeURIComponent(value)
  return kind === 'path' ? plain : `\0${plain}`
}

/** Says who we are, as the socket's owner shows. What follows the bus' line of consent are messages. */
async function signIn(socket: Socket, signal: AbortSignal): Promise<Buffer> {
  socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(process.getuid?.() ?? 0)).toString('hex')}\r\n`)
  let said = Buffer.alloc(0)
  while (!said.includes('\r\n')) {
    const [chunk]: Buffer[] = await once(socket, 'data', { signal })
    said = Buffer.concat([said, chunk ?? Buffer.alloc(0)])
  }
  if (!said.toString('latin1').startsWith('OK ')) throw new Error('the session bus refused this user')
  socket.write('BEGIN\r\n')
  return said.subarray(said.indexOf('\r\n') + 2)
}

interface Waiting {
  resolve(reply: BusReply): void
  reject(error: Error): void
}

class Connection implements SessionBus {
  readonly #socket: Socket
  readonly #waiting = new Map<number, Waiting>()
  #received: Buffer
  #serial = 0

  constructor(socket: Socket, received: Buffer) {
    this.#socket = socket
    this.#received = received
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#takeIn()
    })
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the session bus went away'))
      this.#waiting.clear()
    })
  }

  call(call: BusCall): Promise<BusReply> {
    this.#serial += 1
    const serial = this.#serial
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(new Error('the session bus went away'))
        return
      }
      this.#waiting.set(serial, { resolve, reject })
      this.#socket.write(toMessage(call, serial))
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #takeIn(): void {
    for (;;) {
      const data = this.#received
      if (data.length < 16) return
      // Only a bus of another byte order answers so, and none runs on the same computer.
      if (data.toString('latin1', 0, 1) !== 'l') {
        this.#socket.destroy()
        return
      }
      const bodyLength = data.readUInt32LE(4)
      const bodyStart = aligned(16 + data.readUInt32LE(12), 8)
      if (data.length < bodyStart + bodyLength) return
      this.#received = data.subarray(bodyStart + bodyLength)
      this.#answer(
        data.readUInt8(1),
        replySerial(data.subarray(0, bodyStart)),
        data.subarray(bodyStart, bodyStart + bodyLength),
      )
    }
  }

  #answer(type: number, serial: number, body: Buffer): void {
    const waiting = this.#waiting.get(serial)
    if (waiting === undefined) return
    this.#waiting.delete(serial)
    if (type === 2) waiting.resolve(new BodyReader(body))
    else waiting.reject(new Error('the call failed'))
  }
}

function aligned(at: number, to: number): number {
  return Math.ceil(at / to) * to
}

/** Reads the values of a message, each at its own alignment. */
class BodyReader implements BusReply {
  readonly #data: Buffer
  #at: number

  constructor(data: Buffer, at = 0) {
    this.#data = data
    this.#at = at
  }

  get at(): number {
    return this.#at
  }

  align(to: number): void {
    this.#at = aligned(this.#at, to)
  }

  byte(): number {
    this.#at += 1
    return this.#data.readUInt8(this.#at - 1)
  }

  number(): number {
    this.align(4)
    this.#at += 4
    return this.#data.readUInt32LE(this.#at - 4)
  }

  flag(): boolean {
    return this.number() === 1
  }

  text(): string {
    const length = this.number()
    this.#at += length + 1
    return this.#data.toString('utf8', this.#at - length - 1, this.#at - 1)
  }

  texts(): string[] {
    const end = this.number() + this.#at
    const texts: string[] = []
    while (this.#at < end) texts.push(this.text())
    return texts
  }

  signature(): string {
    const length = this.byte()
    this.#at += length + 1
    return this.#data.toString('latin1', this.#at - length - 1, this.#at - 1)
  }

  variantFlag(): boolean {
    if (this.signature() !== 'b') throw new Error('the variant holds no flag')
    return this.flag()
  }
}

const replySerialField = 5

/** The serial of the call that a message answers; 0 when it answers none. */
function replySerial(header: Buffer): number {
  const reader = new BodyReader(header, 12)
  const end = reader.number() + 16
  while (reader.at < end) {
    reader.align(8)
    const field = reader.byte()
    const type = reader.signature()
    if (field === replySerialField && type === 'u') return reader.number()
    if (type === 'u') reader.number()
    else if (type === 'g') reader.signature()
    else reader.text()
  }
  return 0
}

/** Writes values, each at its own alignment. */
class MessageWriter {
  #data = Buffer.alloc(0)

  get data(): Buffer {
    return this.#data
  }

  align(to: number): this {
    return this.bytes(Buffer.alloc(aligned(this.#data.length, to) - this.#data.length))
  }

  bytes(bytes: Uint8Array): this {
    this.#data = Buffer.concat([this.#data, bytes])
    return this
  }

  number(value: number): this {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    return this.align(4).bytes(bytes)
  }

  text(text: string): this {
    return this.number(Buffer.byteLength(text)).bytes(Buffer.from(`${text}\0`))
  }

  signature(text: string): this {
    return this.bytes(Buffer.from([text.length])).bytes(Buffer.from(`${text}\0`))
  }

  argument(argument: BusArgument): this {
    if ('s' in argument) return this.text(argument.s)
    if ('o' in argument) return this.text(argument.o)
    const paths = new MessageWriter()
    for (const path of argument.ao) paths.text(path)
    return this.number(paths.data.length).bytes(paths.data)
  }
}

/** A method call as it goes on the wire. */
function toMessage(
  { destination, path, interface: face, member, args = [] }: BusCall,
  serial: number,
): Buffer {
  const body = new MessageWriter()
  for (const argument of args) body.argument(argument)
  const fields = new MessageWriter()
  const texts = [
    [1, 'o', path],
    [2, 's', face],
    [3, 's', member],
    [6, 's', destination],
  ] as const
  for (const [code, type, text] of texts)
    fields
      .align(8)
      .bytes(Buffer.from([code]))
      .signature(type)
      .text(text)
  if (args.length > 0) {
    const types = args.flatMap((argument) => Object.keys(argument)).join('')
    fields
      .align(8)
      .bytes(Buffer.from([8]))
      .signature('g')
      .signature(types)
  }
  return new MessageWriter()
    .bytes(Buffer.from('l\x01\x00\x01', 'latin1'))
    .number(body.data.length)
    .number(serial)
    .number(fields.data.length)
    .bytes(fields.data)
    .align(8)
    .bytes(body.data).data
}
