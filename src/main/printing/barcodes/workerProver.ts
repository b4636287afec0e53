import { Worker } from 'node:worker_threads'
import type { BarcodeProof } from '../../../shared/barcodes'
import type { LabelFinding } from '../../../shared/labelFindings'
import type { Result } from '../../../shared/result'
import type { BarcodeComparison, DrawnLabel } from './proveBarcodes'

/** A page of sixteen pixels a millimetre takes a tenth of it. */
const heapMb = 256
const usualLimits = { readingMs: 5000, waitingMs: 5000 }

/** What reading a label's barcodes showed, and what of them would be lost. */
export interface ProvedLabel {
  proof: BarcodeProof
  findings: LabelFinding[]
}

/** Reads the barcodes of labels before they are printed. */
export interface BarcodeProver {
  /** Never rejects: a label that can't be read in time is not proved. */
  prove(label: DrawnLabel): Promise<ProvedLabel>
  /** Starts the thread, so that the first label does not wait for that. */
  warmUp(): void
  close(): Promise<void>
}

interface Work {
  label: DrawnLabel
  /** Ends the wait for the thread. */
  waiting: NodeJS.Timeout
  finish(proved: ProvedLabel): void
}

/**
 * Reads barcodes in one thread of its own, which starts with the first label at the latest. The thread is replaced when it dies or
 * reads one label for too long. Whatever goes wrong in it, the label is printed and not proved.
 * @param script the built `worker.ts`
 * @param limits for reading one label, and for waiting until the thread is free
 */
export function createWorkerProver(script: URL, limits = usualLimits): BarcodeProver {
  const queue: Work[] = []
  let thread: ReaderThread | undefined

  const runningThread = () => {
    if (thread === undefined || thread.hasEnded) thread = new ReaderThread(script, limits.readingMs, readNext)
    return thread
  }

  function readNext(): void {
    if (thread?.isBusy) return
    const work = queue.shift()
    if (work === undefined) return
    clearTimeout(work.waiting)
    runningThread().read(work)
  }

  return {
    prove: (label) =>
      new Promise((resolve) => {
        const waiting = setTimeout(() => {
          queue.splice(queue.indexOf(work), 1)
          resolve(notProved('too-slow'))
        }, limits.waitingMs)
        const work: Work = { label, waiting, finish: resolve }
        queue.push(work)
        readNext()
      }),
    warmUp: () => void runningThread(),
    async close() {
      for (const { waiting, finish } of queue.splice(0)) {
        clearTimeout(waiting)
        finish(notProved('failed'))
      }
      await thread?.end('failed')
    },
  }
}

/** One thread and the label that it reads. */
class ReaderThread {
  hasEnded = false
  private readonly worker: Worker
  private current: { work: Work; timer: NodeJS.Timeout } | undefined

  constructor(
    script: URL,
    private readonly readingMs: number,
    private readonly onFree: () => void,
  ) {
    this.worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: heapMb } })
    this.worker.unref()
    this.worker.on('message', (result: Result<BarcodeComparison>) => this.finish(toProved(result)))
    this.worker.on('error', () => void this.end('failed'))
    this.worker.on('exit', () => void this.end('failed'))
  }

  get isBusy(): boolean {
    return !this.hasEnded && this.current !== undefined
  }

  read(work: Work): void {
    const timer = setTimeout(() => void this.end('too-slow'), this.readingMs)
    this.current = { work, timer }
    this.worker.postMessage(work.label)
  }

  async end(reason: 'too-slow' | 'failed'): Promise<void> {
    if (this.hasEnded) return
    this.hasEnded = true
    this.finish(notProved(reason))
    await this.worker.terminate()
  }

  private finish(proved: ProvedLabel): void {
    const read = this.current
    this.current = undefined
    clearTimeout(read?.timer)
    read?.work.finish(proved)
    this.onFree()
  }
}

function toProved(result: Result<BarcodeComparison>): ProvedLabel {
  if (!result.ok) return notProved('failed')
  const { symbols, findings } = result.value
  return { proof: { kind: 'proved', symbols }, findings }
}

function notProved(reason: 'too-slow' | 'failed'): ProvedLabel {
  return { proof: { kind: 'not-proved', reason }, findings: [] }
}
