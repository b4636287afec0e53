import { createServer, type Server } from 'node:http'
import {
  decodeIpp,
  encodeIpp,
  groupTag,
  type IppAttribute,
  type IppGroup,
  type IppMessage,
  toNumber,
  toText,
  valueTag,
} from '../../../src/main/printing/cups/ipp'
import { listenOnLoopback } from '../loopback'
import { type AnySize, describePrinter, labelMedia, type Media } from './printerDescription'

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
const jobState = { pending: 3, cancelled: 7, completed: 9 }

/** A job as it arrived: its attributes as the sender wrote them, and its document. */
export interface ArrivedJob {
  id: number
  state: number
  attributes: IppAttribute[]
  format: string
  document: Buffer
}

export interface FakePrinterOptions {
  media?: Media[]
  /** Bounds within which it also accepts sizes without a name. */
  anySize?: AnySize
  /** Accepted document formats; PWG raster if omitted. */
  formats?: string[]
}

/** Starts a fake printer. */
export async function startFakePrinter(options: FakePrinterOptions = {}): Promise<FakePrinter> {
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => {
      const message = decodeIpp(Buffer.concat(parts))
      const answer = message === undefined ? reply(status.badRequest, 0, []) : printer.answer(message)
      outgoing.writeHead(200, { 'content-type': 'application/ipp' })
      outgoing.end(encodeIpp(answer))
    })
  })
  const port = await listenOnLoopback(server)
  const printer = new FakePrinter(server, `ipp://127.0.0.1:${port}/ipp/print`, options)
  return printer
}

/** A fake IPP Everywhere label printer on the loopback interface, controlled by a test. */
export class FakePrinter {
  /** In order of arrival. */
  readonly jobs: ArrivedJob[] = []
  /** While true, no job is accepted. */
  refuses = false
  private reason = 'none'

  constructor(
    private readonly server: Server,
    readonly uri: string,
    private readonly options: FakePrinterOptions,
  ) {}

  /** Holds jobs for a reason such as `media-empty` until `resume` is called. */
  pause(reason: string): void {
    this.reason = reason
  }

  resume(): void {
    this.reason = 'none'
    for (const job of this.jobs) this.finish(job)
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve())
      this.server.closeAllConnections()
    })
  }

  /** The response to a request. */
  answer(message: IppMessage): IppMessage {
    const id = message.requestId
    switch (message.code) {
      case operation.getPrinterAttributes:
        return reply(status.ok, id, [this.description()])
      case operation.validateJob:
        return reply(this.refuses ? status.notAccepting : status.ok, id, [])
      case operation.createJob:
      case operation.printJob:
        return this.refuses ? reply(status.notAccepting, id, []) : this.jobReply(id, this.take(message))
      case operation.sendDocument:
      case operation.cancelJob:
      case operation.getJobAttributes:
        return this.jobReply(id, this.applyToJob(message))
      case operation.getJobs:
        return reply(
          status.ok,
          id,
          this.jobs.map((job) => this.describeJob(job)),
        )
      default:
        return reply(status.unknownOperation, id, [])
    }
  }

  private take(message: IppMessage): ArrivedJob {
    const job: ArrivedJob = {
      id: this.jobs.length + 1,
      state: jobState.pending,
      attributes: message.groups.flatMap((group) => group.attributes),
      format: '',
      document: Buffer.alloc(0),
    }
    this.jobs.push(job)
    if (message.code === operation.printJob) this.receive(job, message)
    return job
  }

  /** Applies a request to its job; undefined when the job is unknown. */
  private applyToJob(message: IppMessage): ArrivedJob | undefined {
    const job = this.jobs[(toNumber(message.groups[0], 'job-id') ?? 0) - 1]
    if (job === undefined) return undefined
    if (message.code === operation.sendDocument) this.receive(job, message)
    if (message.code === operation.cancelJob) job.state = jobState.cancelled
    return job
  }

  private receive(job: ArrivedJob, message: IppMessage): void {
    job.document = Buffer.concat([job.document, message.data])
    job.format = toText(message.groups[0], 'document-format') ?? job.format
    this.finish(job)
  }

  private finish(job: ArrivedJob): void {
    if (job.state === jobState.pending && this.reason === 'none') job.state = jobState.completed
  }

  private description(): IppGroup {
    return describePrinter({
      uri: this.uri,
      media: this.options.media ?? labelMedia,
      anySize: this.options.anySize,
      formats: this.options.formats ?? ['image/pwg-raster'],
      reason: this.reason,
    })
  }

  private jobReply(requestId: number, job: ArrivedJob | undefined): IppMessage {
    if (job === undefined) return reply(status.notFound, requestId, [])
    return reply(status.ok, requestId, [this.describeJob(job)])
  }

  private describeJob(job: ArrivedJob): IppGroup {
    const reason = job.state === jobState.pending && this.reason !== 'none' ? 'printer-stopped' : 'none'
    return {
      tag: groupTag.job,
      attributes: [
        { name: 'job-id', tag: valueTag.integer, values: [job.id] },
        { name: 'job-uri', tag: valueTag.uri, values: [`${this.uri}/${job.id}`] },
        { name: 'job-state', tag: valueTag.enumeration, values: [job.state] },
        { name: 'job-state-reasons', tag: valueTag.keyword, values: [reason] },
      ],
    }
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
