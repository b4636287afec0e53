import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'

/** An argument of a call by its D-Bus type: string, object path, or array of object paths. */
type BusArgument = { s: string } | { o: string } | { ao: readonly string[] }

/** A D-Bus method call. */
interface BusCall {
  destination: string
  path: string
  interface: string
  member: string
  args?: readonly BusArgument[]
}

const busName = 'org.freedesktop.DBus'

/**
 * Connects to the session bus.
 * @param signal closes the connection, also while it is being opened
 * @returns undefined when there is no session bus; rejects when it does not answer or refuses this user
 */
export async function openSessionBus(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<SessionBus | undefined> {
  const path = socketPath(env)
  if (path === undefined) return undefined
  const socket = createConnection({ path })
  // Without a listener an error would end the process; pending calls are rejected on 'close'.
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
    const messages = await authenticate(socket, signal)
    const bus = new SessionBus(socket, messages)
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

/** Authenticates by the socket's owner (EXTERNAL). Returns the bytes after the bus's OK line, which are messages. */
async function authenticate(socket: Socket, signal: AbortSignal): Promise<Buffer> {
  socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(process.getuid?.() ?? 0)).toString('hex')}\r\n`)
  let received = Buffer.alloc(0)
  while (!received.includes('\r\n')) {
    const [chunk]: Buffer[] = await once(socket, 'data', { signal })
    received = Buffer.concat([received, chunk ?? Buffer.alloc(0)])
  }
  if (!received.toString('latin1').startsWith('OK ')) throw new Error('the session bus refused this user')
  socket.write('BEGIN\r\n')
  return received.subarray(received.indexOf('\r\n') + 2)
}

interface PendingCall {
  resolve(reply: BodyReader): void
  reject(error: Error): void
}

/** A minimal connection to the D-Bus of the user's session (D-Bus specification, 0.36+). */
export class SessionBus {
  private readonly socket: Socket
  private readonly pendingCalls = new Map<number, PendingCall>()
  private received: Buffer
  private serial = 0

  constructor(socket: Socket, received: Buffer) {
    this.socket = socket
    this.received = received
    socket.on('data', (chunk: Buffer) => {
      this.received = Buffer.concat([this.received, chunk])
      this.readMessages()
    })
    socket.on('close', () => {
      for (const { reject } of this.pendingCalls.values()) reject(new Error('the session bus went away'))
      this.pendingCalls.clear()
    })
  }

  /** Rejects when the call fails or the connection closes. */
  call(call: BusCall): Promise<BodyReader> {
    this.serial += 1
    const serial = this.serial
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) {
        reject(new Error('the session bus went away'))
        return
      }
      this.pendingCalls.set(serial, { resolve, reject })
      this.socket.write(toMessage(call, serial))
    })
  }

  close(): void {
    this.socket.destroy()
  }

  private readMessages(): void {
    for (;;) {
      const data = this.received
      if (data.length < 16) return
      // Big-endian messages are not supported: a bus on the same computer does not send them.
      if (data.toString('latin1', 0, 1) !== 'l') {
        this.socket.destroy()
        return
      }
      const bodyLength = data.readUInt32LE(4)
      const bodyStart = alignUp(16 + data.readUInt32LE(12), 8)
      if (data.length < bodyStart + bodyLength) return
      this.received = data.subarray(bodyStart + bodyLength)
      this.endCall(
        data.readUInt8(1),
        readReplySerial(data.subarray(0, bodyStart)),
        data.subarray(bodyStart, bodyStart + bodyLength),
      )
    }
  }

  private endCall(type: number, serial: number, body: Buffer): void {
    const pendingCalls = this.pendingCalls.get(serial)
    if (pendingCalls === undefined) return
    this.pendingCalls.delete(serial)
    if (type === 2) pendingCalls.resolve(new BodyReader(body))
    else pendingCalls.reject(new Error('the call failed'))
  }
}

function alignUp(at: number, to: number): number {
  return Math.ceil(at / to) * to
}

/** Reads the values of a message in order, each with the alignment of its type. */
class BodyReader {
  private readonly data: Buffer
  private position: number

  constructor(data: Buffer, at = 0) {
    this.data = data
    this.position = at
  }

  get at(): number {
    return this.position
  }

  align(to: number): void {
    this.position = alignUp(this.position, to)
  }

  byte(): number {
    this.position += 1
    return this.data.readUInt8(this.position - 1)
  }

  number(): number {
    this.align(4)
    this.position += 4
    return this.data.readUInt32LE(this.position - 4)
  }

  boolean(): boolean {
    return this.number() === 1
  }

  text(): string {
    const length = this.number()
    this.position += length + 1
    return this.data.toString('utf8', this.position - length - 1, this.position - 1)
  }

  /** An array of strings or of object paths. */
  texts(): string[] {
    const end = this.number() + this.position
    const texts: string[] = []
    while (this.position < end) texts.push(this.text())
    return texts
  }

  signature(): string {
    const length = this.byte()
    this.position += length + 1
    return this.data.toString('latin1', this.position - length - 1, this.position - 1)
  }

  /** A boolean inside a variant. */
  variantBoolean(): boolean {
    if (this.signature() !== 'b') throw new Error('the variant holds no flag')
    return this.boolean()
  }
}

const replySerialField = 5

/** The serial of the call that a message replies to; 0 when it is not a reply. */
function readReplySerial(header: Buffer): number {
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

/** Writes values, each with the alignment of its type. */
class MessageWriter {
  private written = Buffer.alloc(0)

  get data(): Buffer {
    return this.written
  }

  align(to: number): this {
    return this.bytes(Buffer.alloc(alignUp(this.written.length, to) - this.written.length))
  }

  bytes(bytes: Uint8Array): this {
    this.written = Buffer.concat([this.written, bytes])
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

/** Encodes a method call. */
function toMessage(
  { destination, path, interface: interfaceName, member, args = [] }: BusCall,
  serial: number,
): Buffer {
  const body = new MessageWriter()
  for (const argument of args) body.argument(argument)
  const fields = new MessageWriter()
  const texts = [
    [1, 'o', path],
    [2, 's', interfaceName],
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
