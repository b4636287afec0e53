import { appError } from '../../../shared/errors'
import { err, ok, type Result } from '../../../shared/result'
import { type WorkerFailure, WorkerPool } from '../../lib/workerPool'
import type { RasterCalls, Rasterizer } from './rasterizer'

/** Labels need a tenth of it; a PDF made to use up memory ends its own thread alone. */
const maxHeapMb = 512

/** One label that takes its time must not hold up the printers of others. */
const maxThreads = 2

/** Asks for one piece of work, in whatever thread it is done. */
export type CallRaster = <Name extends keyof RasterCalls>(
  name: Name,
  input: RasterCalls[Name]['input'],
  onEvent?: (event: 'placed') => void,
) => Promise<RasterCalls[Name]['output']>

/** A rasteriser on top of those calls. */
export function createRasterizer(call: CallRaster, close: () => Promise<void>): Rasterizer {
  return {
    measure: (pdf) => call('measure', { pdf }),
    renderGrey: (pdf, dotsPerMm, page) =>
      call('renderGrey', { pdf, dotsPerMm, ...(page !== undefined && { page }) }),
    renderMono: (pdf, layout) => call('renderMono', { pdf, layout }),
    async renderZpl(pdf, layout, onPlaced) {
      const drawn = await call('renderZpl', { pdf, layout }, onPlaced)
      return drawn.ok ? ok({ ...drawn.value, zpl: Buffer.from(drawn.value.zpl.buffer) }) : drawn
    },
    async layOnStock(pdf, layout) {
      const laid = await call('layOnStock', { pdf, layout })
      if (!laid.ok) return laid
      const { bytes, ...rest } = laid.value
      return ok({ ...rest, pdf: bytesOr(bytes, pdf) })
    },
    async takePages(pdf, range) {
      const taken = await call('takePages', { pdf, range })
      return taken.ok ? ok(bytesOr(taken.value.bytes, pdf)) : taken
    },
    close,
  }
}

/**
 * A rasteriser in threads of its own, so that no label, however slow, holds up the app. The first thread starts at once,
 * to be warm for the first label.
 * @param script the built `worker.ts`
 * @param maxTaskMs longest time for drawing one label, without the time that it waits for a thread
 */
export function createWorkerRasterizer(script: URL, maxTaskMs = 20_000): Rasterizer {
  const pool = new WorkerPool<RasterCalls, 'placed'>({ script, maxThreads, maxHeapMb, maxTaskMs })
  pool.warmUp()
  return createRasterizer(
    async (name, input, onEvent) => {
      const answer = await pool.run(name, input, onEvent)
      return answer.ok ? answer.value : failure(answer.error)
    },
    () => pool.close(),
  )
}

/** What was written, or the stored bytes themselves. */
function bytesOr(written: Uint8Array | undefined, stored: Buffer): Buffer {
  return written === undefined ? stored : Buffer.from(written.buffer, written.byteOffset, written.byteLength)
}

const reasons: Record<WorkerFailure['kind'], string> = {
  'timed-out': 'it takes too long to draw',
  'waited-too-long': 'the rasteriser is busy',
  ended: 'the rasteriser ended',
  threw: 'the rasteriser failed',
  closed: 'the app is closing',
}

function failure({ kind, cause }: WorkerFailure): Result<never> {
  const reason = cause ?? reasons[kind]
  return err(appError('label-unreadable', { case: 'not-drawn', reason }))
}
