import { Worker } from 'node:worker_threads'
import { appError } from '../../../shared/errors'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'
import type { RasterAnswer, Rasterizer, RasterTask } from './rasterizer'

/** Labels need a tenth of it; a PDF made to use up memory ends its own thread alone. */
const heapMb = 512

/** One label that takes its time must not hold up the printers of others. */
const maxThreads = 2

/** A label that waits for a thread, or is being drawn in one. */
interface Work {
  task: RasterTask
  placed(): void
  finish(result: Result<RasterAnswer>): void
}

/**
 * A rasteriser in threads of its own, so that no label, however slow, holds up the app. The first thread starts at once,
 * to be warm for the first label, another one when a label would have to wait. Each draws one label at a time; one that
 * dies or hangs is replaced, and only the label that it was drawing fails, with words.
 * @param script the built `worker.ts`
 * @param timeoutMs longest time for drawing one label, without the time that it waits for a thread
 */
export function createWorkerRasterizer(script: URL, timeoutMs = 20_000): Rasterizer {
  const queue: Work[] = []
  const threads = new Set<RasterThread>()
  startThread()

  function startThread(): RasterThread {
    const thread = new RasterThread(script, timeoutMs, drawNext)
    threads.add(thread)
    return thread
  }

  function drawNext(): void {
    for (const thread of threads) if (thread.hasEnded) threads.delete(thread)
    while (queue.length > 0) {
      const idle = [...threads].find((thread) => thread.isIdle)
      if (idle === undefined && threads.size >= maxThreads) return
      const work = queue.shift()
      if (work !== undefined) (idle ?? startThread()).draw(work)
    }
  }

  const ask = (task: RasterTask, placed = () => {}): Promise<Result<RasterAnswer>> =>
    new Promise((resolve) => {
      queue.push({ task, placed, finish: resolve })
      drawNext()
    })

  return {
    async measure(pdf) {
      const answer = await ask({ kind: 'measure', pdf })
      if (!answer.ok) return answer
      return answer.value.kind === 'measure' ? ok(answer.value.pages) : mixedUp()
    },
    async renderGrey(pdf, dotsPerMm, page) {
      const answer = await ask({ kind: 'grey', pdf, dotsPerMm, ...(page !== undefined && { page }) })
      if (!answer.ok) return answer
      return answer.value.kind === 'grey' ? ok(answer.value.pages) : mixedUp()
    },
    async renderMono(pdf, layout) {
      const answer = await ask({ kind: 'mono', pdf, layout })
      if (!answer.ok) return answer
      return answer.value.kind === 'mono' ? ok(answer.value.bitmaps) : mixedUp()
    },
    async renderZpl(pdf, layout, onPlaced) {
      const answer = await ask({ kind: 'zpl', pdf, layout }, onPlaced)
      if (!answer.ok) return answer
      if (answer.value.kind !== 'zpl') return mixedUp()
      const { bytes, findings, placements, bitmaps } = answer.value
      return ok({ zpl: Buffer.from(bytes), findings, placements, bitmaps })
    },
    async layOnStock(pdf, layout) {
      const answer = await ask({ kind: 'stock', pdf, layout })
      if (!answer.ok) return answer
      if (answer.value.kind !== 'stock') return mixedUp()
      const { bytes, copies, findings } = answer.value
      return ok({ pdf: bytesOr(bytes, pdf), copies, findings })
    },
    async takePages(pdf, range) {
      const answer = await ask({ kind: 'pages', pdf, range })
      if (!answer.ok) return answer
      return answer.value.kind === 'pages' ? ok(bytesOr(answer.value.bytes, pdf)) : mixedUp()
    },
    async close() {
      const waiting = queue.splice(0)
      for (const { finish } of waiting) finish(failure('the app is closing'))
      await Promise.all([...threads].map((thread) => thread.end('the app is closing')))
    },
  }
}

/** What was written, or the stored bytes themselves. */
function bytesOr(written: Uint8Array | undefined, stored: Buffer): Buffer {
  return written === undefined ? stored : Buffer.from(written.buffer, written.byteOffset, written.byteLength)
}

/** One thread and the label that it draws. */
class RasterThread {
  hasEnded = false
  private readonly worker: Worker
  private current: { work: Work; timer: NodeJS.Timeout } | undefined

  constructor(
    script: URL,
    private readonly timeoutMs: number,
    private readonly onFree: () => void,
  ) {
    this.worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: heapMb } })
    this.worker.on('message', (said: 'placed' | Result<RasterAnswer>) => {
      if (said === 'placed') this.current?.work.placed()
      else this.finish(said)
    })
    this.worker.on('error', (error) => void this.end(error.message))
    this.worker.on('exit', () => void this.end('the rasteriser ended'))
  }

  get isIdle(): boolean {
    return !this.hasEnded && this.current === undefined
  }

  draw(work: Work): void {
    const timer = setTimeout(() => void this.end('it takes too long to draw'), this.timeoutMs)
    this.current = { work, timer }
    this.worker.postMessage(work.task)
  }

  async end(reason: string): Promise<void> {
    if (this.hasEnded) return
    this.hasEnded = true
    this.finish(failure(reason))
    await this.worker.terminate()
  }

  private finish(result: Result<RasterAnswer>): void {
    const drawn = this.current
    this.current = undefined
    clearTimeout(drawn?.timer)
    drawn?.work.finish(result)
    this.onFree()
  }
}

function failure(reason: string): Result<never> {
  return err(
    appError(
      'label-unreadable',
      `The label can't be drawn: ${reason}. Try again, or print it from another program.`,
      { reason },
    ),
  )
}

function mixedUp(): never {
  throw new Error('The rasteriser answered another question.')
}
