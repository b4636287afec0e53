/**
 * Loaded into the app before its own code: logs each durable boundary that the app reaches, and kills it at one of them. A
 * boundary is a step that changes the state after a crash: a change of the disk, a commit, bytes sent to the service or a
 * printer. The app contains none of this code: the tests kill the bundle that is shipped.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import type { Transactions } from '../../../src/main/storage/databaseThread'
import { crashOrderSchema } from './order'

const order = crashOrderSchema.parse(JSON.parse(process.env.PACKBENCH_CRASH ?? ''))
const log = fs.openSync(order.log, 'a')
let left = order.passes

/** Writes a boundary in one system call, so that a kill right after it can't lose it. */
function reach(boundary: string, subject: string): void {
  fs.writeSync(log, `${boundary}\t${subject}\n`)
  if (boundary !== order.at) return
  left -= 1
  if (left < 0) process.kill(process.pid, 'SIGKILL')
}

const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/
const ids = new RegExp(id, 'g')

/** The last names of a path, without the parts that differ per order. */
function toPlace(path: string): string {
  const names =
    dirname(path) === order.dataFolder ? basename(path) : join(basename(dirname(path)), basename(path))
  return names
    .replaceAll(ids, '*')
    .replaceAll(/CRASH-[\w-]+/g, '*')
    .replaceAll(/\.\d+\.tmp|\.tmp-\w+/g, '.tmp')
}

/** Whether a path belongs to the station's data or hot folder, and not to Chromium or the logs. */
function isOurs(path: unknown): path is string {
  return (
    typeof path === 'string' &&
    order.watched.some((folder) => path.startsWith(folder)) &&
    !path.includes('/logs/')
  )
}

type Call = (this: unknown, ...args: unknown[]) => unknown

function getCall(owner: object, name: string): Call {
  const found: unknown = Reflect.get(owner, name)
  if (typeof found !== 'function') throw new Error(`${name} is no function`)
  return function (...args) {
    return Reflect.apply(found, this, args)
  }
}

/** @param pathAt index of the argument that is the path concerned */
function watchCall(owner: object, name: string, pathAt: number): void {
  const original = getCall(owner, name)
  const watched: Call = function (...args) {
    const path = args[pathAt]
    if (!isOurs(path)) return original.apply(this, args)
    const boundary = `${name} ${toPlace(path)}`
    reach(`before ${boundary}`, path)
    const made = original.apply(this, args)
    if (!(made instanceof Promise)) {
      reach(`after ${boundary}`, path)
      return made
    }
    return made.then((value: unknown) => {
      reach(`after ${boundary}`, path)
      return value
    })
  }
  Reflect.set(owner, name, watched)
}

const renamed = 1
for (const name of ['rename', 'link']) watchCall(fs.promises, name, renamed)
for (const name of ['rm', 'unlink', 'writeFile']) watchCall(fs.promises, name, 0)
watchCall(fs, 'renameSync', renamed)
for (const name of ['rmSync', 'writeFileSync']) watchCall(fs, name, 0)

const open = getCall(fs.promises, 'open')
Reflect.set(fs.promises, 'open', async (...args: unknown[]) => {
  const handle = await open.apply(fs.promises, args)
  const [path] = args
  if (!isOurs(path) || typeof handle !== 'object' || handle === null) return handle
  const sync = getCall(handle, 'sync')
  Reflect.set(handle, 'sync', async () => {
    reach(`before sync ${toPlace(path)}`, path)
    await sync.apply(handle, [])
    reach(`after sync ${toPlace(path)}`, path)
  })
  return handle
})
syncBuiltinESMExports()

const statementSchema = z.object({
  name: z.literal('run'),
  input: z.object({ sql: z.string(), parameters: z.array(z.unknown()), place: z.string() }),
})
/** Transactions that run completely in the database thread: one commit each. */
const transactions: Record<Exclude<keyof Transactions, 'readShipment'>, true> = {
  writeIntent: true,
  writeRefused: true,
  writeUnknown: true,
  writeCreated: true,
  addPrintJobs: true,
  changePrintJob: true,
  replacePrintJobs: true,
  noteConsignees: true,
}
const transactionSchema = z.object({
  name: z.string().refine((name) => Object.hasOwn(transactions, name)),
  input: z.unknown(),
})
const states =
  /^(?:intended|sent|created|refused|unknown|queued|sending|handed-over|done|failed|unconfirmed|cancelled|shipped|to-ship)$/

/** Describes the change of a statement, e.g. `insert shipments=intended`; undefined for a statement that only reads. */
function toChange({ sql, parameters }: z.infer<typeof statementSchema>['input']): string | undefined {
  const [, verb, table] =
    /^\s*(insert|update|delete|replace)\b(?:\s+or\s+\w+)?\s+(?:into\s+|from\s+)?"?(\w+)/i.exec(sql) ?? []
  if (verb === undefined || table === undefined) return undefined
  const state = parameters.find((each) => typeof each === 'string' && states.test(each))
  return `${verb.toLowerCase()} ${table}${state === undefined ? '' : `=${state}`}`
}

/** Changes of the open transaction of each thread, and its commit in progress. */
const changes = new WeakMap<object, string[]>()
const commits = new WeakMap<object, { boundary: string; subject: string }>()

const watched = new WeakSet<object>()

function reportCommitted(worker: object): void {
  const over = commits.get(worker)
  if (over === undefined) return
  commits.delete(worker)
  reach(`after commit ${over.boundary}`, over.subject)
}

/** The commit that a statement causes; undefined when it makes nothing durable. */
function findCommit(worker: object, input: z.infer<typeof statementSchema>['input']): string | undefined {
  if (input.place === 'begins') changes.set(worker, [])
  if (/^\s*commit/i.test(input.sql)) {
    const made = [...new Set(changes.get(worker))]
    return made.length === 0 ? undefined : made.join(', ')
  }
  const change = toChange(input)
  if (change === undefined) return undefined
  if (input.place === 'alone') return change
  changes.get(worker)?.push(change)
  return undefined
}

/** The commit that a message requests from the thread, and its subject. */
function findMessagesCommit(
  worker: object,
  message: unknown,
): { boundary: string; subject: string } | undefined {
  const whole = transactionSchema.safeParse(message).data
  if (whole !== undefined) {
    return { boundary: whole.name, subject: (JSON.stringify(whole.input).match(ids) ?? []).join(' ') }
  }
  const statement = statementSchema.safeParse(message).data?.input
  const boundary = statement && findCommit(worker, statement)
  if (boundary === undefined) return undefined
  const named = statement?.parameters.filter((each) => typeof each === 'string' && id.test(each)) ?? []
  return { boundary, subject: named.join(' ') }
}

const postMessage = getCall(Worker.prototype, 'postMessage')
Reflect.set(Worker.prototype, 'postMessage', function (this: Worker, ...args: unknown[]) {
  const commit = findMessagesCommit(this, args[0])
  if (commit !== undefined) {
    reach(`before commit ${commit.boundary}`, commit.subject)
    // A thread processes one message at a time, so its next answer belongs to this one.
    if (!watched.has(this)) this.prependListener('message', () => reportCommitted(this))
    watched.add(this)
    commits.set(this, commit)
  }
  return postMessage.apply(this, args)
})

/** Data sent to the service or a printer; undefined for other data. */
function findSending(port: number | undefined, data: unknown): string | undefined {
  const to = port === undefined ? undefined : order.ports[String(port)]
  if (to === undefined) return undefined
  const text = Buffer.isBuffer(data) ? data.subarray(0, 200).toString('latin1') : String(data).slice(0, 200)
  if (to === 'printer') return /^~H/.test(text) ? 'question to the printer' : 'label to the printer'
  const [, method, path] = /^([A-Z]+) (\S*?)(?:\?\S*)? HTTP/.exec(text) ?? []
  const named = path?.split('/').filter((segment) => /^[a-z_]+$/.test(segment))
  return method === undefined ? 'body to the service' : `${method} /${named?.join('/')} to the service`
}

const write = getCall(Socket.prototype, 'write')
Reflect.set(Socket.prototype, 'write', function (this: Socket, ...args: unknown[]) {
  const sending = findSending(this.remotePort, args[0])
  if (sending === undefined) return write.apply(this, args)
  reach(`before ${sending}`, '')
  const written = write.apply(this, args)
  // Parts of one request are sent together, after this turn of the event loop.
  setImmediate(() => reach(`after ${sending}`, ''))
  return written
})
