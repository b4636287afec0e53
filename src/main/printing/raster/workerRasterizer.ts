import { Worker } from 'node:worker_threads'
import { appError } from '../../../shared/errors'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'
import type { RasterAnswer, Rasterizer, RasterTask } from './rasterizer'

/** Labels need a tenth of it; a PDF made to use up memory ends its own thread alone. */
const heapMb = 512

interface Waiting {
  settle(result: Result<RasterAnswer>): void
  timer: NodeJS.Timeout
}

/**
 * A rasteriser in a thread of its own, so that no label, however slow, holds up the app. The thread starts at once, to
 * be warm for the first label; one that dies or hangs is replaced, and what it was asked fails with words.
 * @param script the built `worker.ts`
 * @param timeoutMs longest time for one label
 */
export function createWorkerRasterizer(script: URL, timeoutMs = 20_000): Rasterizer {
  let thread: RasterThread | undefined = new RasterThread(script, timeoutMs)

  const ask = (task: RasterTask): Promise<Result<RasterAnswer>> => {
    if (thread === undefined || thread.ended) thread = new RasterThread(script, timeoutMs)
    return thread.ask(task)
  }

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
    async renderZpl(pdf, layout) {
      const answer = await ask({ kind: 'zpl', pdf, layout })
      if (!answer.ok) return answer
      return answer.value.kind === 'zpl' ? ok(Buffer.from(answer.value.bytes)) : mixedUp()
    },
    async close() {
      await thread?.end('the app is closing')
      thread = undefined
    },
  }
}

/** One thread and the questions it has not answered yet. */
class RasterThread {
  ended = false
  private readonly worker: Worker
  private readonly waiting = new Map<number, Waiting>()
  private lastId = 0

  constructor(
    script: URL,
    private readonly timeoutMs: number,
  ) {
    this.worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: heapMb } })
    this.worker.on('message', ({ id, result }: { id: number; result: Result<RasterAnswer> }) =>
      this.settle(id, result),
    )
    this.worker.on('error', (error) => void this.end(error.message))
    this.worker.on('exit', () => void this.end('the rasteriser ended'))
  }

  ask(task: RasterTask): Promise<Result<RasterAnswer>> {
    this.lastId += 1
    const id = this.lastId
    return new Promise((resolve) => {
      const timer = setTimeout(() => void this.end('it takes too long to draw'), this.timeoutMs)
      this.waiting.set(id, { settle: resolve, timer })
      this.worker.postMessage({ id, task })
    })
  }

  async end(reason: string): Promise<void> {
    if (this.ended) return
    this.ended = true
    for (const id of this.waiting.keys()) this.settle(id, failure(reason))
    await this.worker.terminate()
  }

  private settle(id: number, result: Result<RasterAnswer>): void {
    const question = this.waiting.get(id)
    if (question === undefined) return
    this.waiting.delete(id)
    clearTimeout(question.timer)
    question.settle(result)
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
