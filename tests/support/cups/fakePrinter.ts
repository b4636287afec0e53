import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeIpp } from '../../../src/main/printing/ipp/decode'
import { encodeIpp } from '../../../src/main/printing/ipp/encode'
import type { IppAttribute, IppGroup, IppMessage } from '../../../src/main/printing/ipp/message'
import { groupTag, numberOf, textOf, valueTag } from '../../../src/main/printing/ipp/message'
import type { Media } from './printerDescription'
import { describePrinter, labelMedia } from './printerDescription'

const operation = {
  printJob: 0x0002,
  validateJob: 0x0004,
  createJob: 0x0005,
  sendDocument: 0x0006,
  cancelJob: 0x0008,
  getJobAttributes: 0x0009,
  getJobs: 0x000a,
  getPrinterAttributes: 0x000b,
}
const status = { ok: 0, badRequest: 0x0400, notFound: 0x0406, notAccepting: 0x0506, unknownOperation: 0x0501 }
const jobState = { pending: 3, canceled: 7, aborted: 8, completed: 9 }

/** A job as it arrived: its attributes as the sender wrote them, and its document. */
export interface ArrivedJob {
  id: number
  state: number
  attributes: IppAttribute[]
  format: string
  document: Buffer
}

/** A pretended IPP Everywhere label printer on the loopback interface, to be driven by a test. */
export interface FakePrinter {
  /** ipp://127.0.0.1:PORT/ipp/print */
  uri: string
  jobs: ArrivedJob[]
  /** Holds arriving jobs with a reason such as `media-empty` until `resume`. */
  pause(reason: string): void
  resume(): void
  /** Whether to refuse or abort jobs from now on. */
  behaviour: 'print' | 'refuse' | 'abort'
  close(): Promise<void>
}

export interface FakePrinterOptions {
  media?: Media[]
  /** Document formats it takes; PWG raster when left out. */
  formats?: string[]
}

/** Starts a pretended printer. */
export async function startFakePrinter(options: FakePrinterOptions = {}): Promise<FakePrinter> {
  const media = options.media ?? labelMedia
  const formats = options.formats ?? ['image/pwg-raster']
  const jobs: ArrivedJob[] = []
  let reason = 'none'
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => {
      const message = decodeIpp(Buffer.concat(parts))
      const answer = message === undefined ? reply(status.badRequest, 0, []) : answerTo(message)
      outgoing.writeHead(200, { 'content-type': 'application/ipp' })
      outgoing.end(encodeIpp(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const uri = `ipp://127.0.0.1:${portOf(server.address())}/ipp/print`

  const take = (message: IppMessage): ArrivedJob => {
    const attributes = message.groups.flatMap((group) => group.attributes)
    const job = {
      id: jobs.length + 1,
      state: jobState.pending,
      attributes,
      format: '',
      document: Buffer.alloc(0),
    }
    jobs.push(job)
    return job
  }
  const receive = (job: ArrivedJob, message: IppMessage): void => {
    job.document = Buffer.concat([job.document, message.data])
    job.format = textOf(message.groups[0], 'document-format') ?? job.format
    finish(job)
  }
  const finish = (job: ArrivedJob): void => {
    if (printer.behaviour === 'abort') job.state = jobState.aborted
    else if (reason === 'none') job.state = jobState.completed
  }
  const jobReply = (requestId: number, job: ArrivedJob | undefined): IppMessage =>
    job === undefined
      ? reply(status.notFound, requestId, [])
      : reply(status.ok, requestId, [describeJob(uri, job, reason)])

  const answerTo = (message: IppMessage): IppMessage => {
    const id = message.requestId
    const job = jobs[(numberOf(message.groups[0], 'job-id') ?? 0) - 1]
    switch (message.code) {
      case operation.getPrinterAttributes:
        return reply(status.ok, id, [describePrinter({ uri, media, formats, reason })])
      case operation.validateJob:
        return reply(printer.behaviour === 'refuse' ? status.notAccepting : status.ok, id, [])
      case operation.createJob:
      case operation.printJob: {
        if (printer.behaviour === 'refuse') return reply(status.notAccepting, id, [])
        const taken = take(message)
        if (message.code === operation.printJob) receive(taken, message)
        return jobReply(id, taken)
      }
      case operation.sendDocument:
        if (job !== undefined) receive(job, message)
        return jobReply(id, job)
      case operation.cancelJob:
        if (job !== undefined) job.state = jobState.canceled
        return jobReply(id, job)
      case operation.getJobAttributes:
        return jobReply(id, job)
      case operation.getJobs:
        return reply(
          status.ok,
          id,
          jobs.map((each) => describeJob(uri, each, reason)),
        )
      default:
        return reply(status.unknownOperation, id, [])
    }
  }

  const printer: FakePrinter = {
    uri,
    jobs,
    behaviour: 'print',
    pause(because) {
      reason = because
    },
    resume() {
      reason = 'none'
      for (const job of jobs) if (job.state === jobState.pending) finish(job)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return printer
}

function describeJob(printerUri: string, job: ArrivedJob, reason: string): IppGroup {
  const held = job.state === jobState.pending && reason !== 'none'
  return {
    tag: groupTag.job,
    attributes: [
      { name: 'job-id', tag: valueTag.integer, values: [job.id] },
      { name: 'job-uri', tag: valueTag.uri, values: [`${printerUri}/${job.id}`] },
      { name: 'job-state', tag: valueTag.enumeration, values: [job.state] },
      { name: 'job-state-reasons', tag: valueTag.keyword, values: [held ? 'printer-stopped' : 'none'] },
    ],
  }
}

function reply(code: number, requestId: number, groups: IppGroup[]): IppMessage {
  const operationGroup = {
    tag: groupTag.operation,
    attributes: [
      { name: 'attributes-charset', tag: valueTag.charset, values: ['utf-8'] },
      { name: 'attributes-natural-language', tag: valueTag.language, values: ['en'] },
    ],
  }
  return { code, requestId, groups: [operationGroup, ...groups], data: Buffer.alloc(0) }
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP port')
  return address.port
}
