import { appError } from '../../../shared/errors'
import type { BarcodeProof, LabelFinding } from '../../../shared/labels'
import type { PageRange } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { type WorkerFailure, WorkerPool } from '../../lib/workerPool'
import type { PageSize } from '../layout/geometry'
import type {
  GreyPage,
  MonoBitmap,
  Placement,
  RasterLayout,
  StockLayout,
  ZplLayout,
} from '../layout/labelLayout'

/** Labels in the printer's language, one format each, and what they lose of the pages. */
export interface ZplDrawing {
  zpl: Buffer
  findings: LabelFinding[]
  /** The placements on the pages. */
  placements: readonly Placement[]
  /** The dots in `zpl`, by placement; undefined for an empty one, which is not printed. */
  bitmaps: readonly (MonoBitmap | undefined)[]
  /** What reading its barcodes showed, where they were read. */
  barcodes?: BarcodeProof
}

/** The PDF for a printer that takes PDF: the stored bytes, if they can be printed unchanged. */
export interface LaidPdf {
  pdf: Buffer
  /** How often to print the whole PDF: it contains the copies of several labels already. */
  copies: number
  findings: LabelFinding[]
  /** What reading its barcodes showed, where they were read. */
  barcodes?: BarcodeProof
}

/**
 * Reads PDF labels. Failures are `label-unreadable` with words for an operator: damaged, encrypted, too many pages,
 * too large, too slow.
 */
export interface Rasterizer {
  /** The sizes of all pages as they are shown: crop box, rotation and user unit applied. */
  measure(pdf: Buffer): Promise<Result<PageSize[]>>
  /** Draws one page in grey, from 0; the first 20 when no page is given. */
  renderGrey(pdf: Buffer, dotsPerMm: number, page?: number): Promise<Result<GreyPage[]>>
  /**
   * Draws labels in black and white, dot for dot as they are printed. Also returns the errors of `planPlacements`.
   * @returns the dots by placement; undefined for an empty one, which is not printed
   */
  renderMono(pdf: Buffer, layout: RasterLayout): Promise<Result<(MonoBitmap | undefined)[]>>
  /**
   * Draws labels in the printer's language, one format each.
   * @param onPlaced called when the placements are known and drawing starts
   */
  renderZpl(pdf: Buffer, layout: ZplLayout, onPlaced?: () => void): Promise<Result<ZplDrawing>>
  /** Lays a PDF on the stock, and finds what it loses of the pages. */
  layOnStock(pdf: Buffer, layout: StockLayout): Promise<Result<LaidPdf>>
  /**
   * A PDF for other programs, with all pages or a range of them; the stored bytes if they are complete and no page is
   * left out.
   * @returns the error `invalid-input` when the pages do not exist
   */
  takePages(pdf: Buffer, range: PageRange | undefined): Promise<Result<Buffer>>
  /** Ends its threads; no call may follow. */
  close(): Promise<void>
}

/** The same functions as calls to a worker. */
export interface RasterCalls {
  measure: { input: { pdf: Uint8Array }; output: Result<PageSize[]> }
  renderGrey: { input: { pdf: Uint8Array; dotsPerMm: number; page?: number }; output: Result<GreyPage[]> }
  renderMono: {
    input: { pdf: Uint8Array; layout: RasterLayout }
    output: Result<(MonoBitmap | undefined)[]>
  }
  /** Emits `placed` when the placements are known and drawing starts. */
  renderZpl: {
    input: { pdf: Uint8Array; layout: ZplLayout }
    output: Result<Omit<ZplDrawing, 'zpl' | 'barcodes'> & { zpl: Uint8Array<ArrayBuffer> }>
  }
  /** No bytes mean that the given ones need no change. */
  layOnStock: {
    input: { pdf: Uint8Array; layout: StockLayout }
    output: Result<Omit<LaidPdf, 'pdf' | 'barcodes'> & { bytes?: Uint8Array }>
  }
  takePages: {
    input: { pdf: Uint8Array; range: PageRange | undefined }
    output: Result<{ bytes?: Uint8Array }>
  }
}

/** Labels need a tenth of it. A PDF that is made to use up memory ends only its own thread. */
const maxHeapMb = 512

/** A slow label must not delay other printers. */
const maxThreads = 2

type CallRaster = <Name extends keyof RasterCalls>(
  name: Name,
  input: RasterCalls[Name]['input'],
  onEvent?: (event: 'placed') => void,
) => Promise<RasterCalls[Name]['output']>

/** Creates a rasterizer that runs the calls, for example in a worker. */
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
 * A rasterizer in worker threads, so that a slow label does not block the app. The first thread starts with the first
 * label, or earlier with `warmUp`.
 * @param script the built `worker.ts`
 * @param maxTaskMs the maximum time for one label, without the time that it waits for a thread
 */
export function createWorkerRasterizer(script: URL, maxTaskMs = 20_000): Rasterizer & { warmUp(): void } {
  const pool = new WorkerPool<RasterCalls, 'placed'>({
    ...{ script, maxThreads, maxHeapMb, maxTaskMs, repeatsEnded: true },
  })
  const rasterizer = createRasterizer(
    async (name, input, onEvent) => {
      const answer = await pool.run(name, input, onEvent)
      return answer.ok ? answer.value : failure(answer.error)
    },
    () => pool.close(),
  )
  return { ...rasterizer, warmUp: () => pool.warmUp() }
}

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
