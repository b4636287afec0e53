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

/** Labels in the printer's language, one format each, and what they lack of the pages. */
export interface ZplDrawing {
  zpl: Buffer
  findings: LabelFinding[]
  /** Where labels lie on the pages; places that stay empty are not printed. */
  placements: readonly Placement[]
  /** The dots that `zpl` holds, one picture for each printed label. */
  bitmaps: readonly MonoBitmap[]
  /** What reading its barcodes showed, where they were read. */
  barcodes?: BarcodeProof
}

/** A PDF as it goes to a printer that takes PDF: the stored bytes when they are right as they are. */
export interface LaidPdf {
  pdf: Buffer
  /** How often all of it is to be printed: copies of several labels are in the PDF already. */
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
  /** The sizes of all pages as they are shown: cut to the crop box, turned, in the PDF's own unit. */
  measure(pdf: Buffer): Promise<Result<PageSize[]>>
  /** One page in grey; the first 20 when no page is named. Pages count from 0. */
  renderGrey(pdf: Buffer, dotsPerMm: number, page?: number): Promise<Result<GreyPage[]>>
  /** Labels in black and white, dot for dot as they are printed. The errors of placing it come from here as well. */
  renderMono(pdf: Buffer, layout: RasterLayout): Promise<Result<MonoBitmap[]>>
  /**
   * Labels in the printer's language, one format each.
   * @param onPlaced called when the label's placements are known and drawing begins
   */
  renderZpl(pdf: Buffer, layout: ZplLayout, onPlaced?: () => void): Promise<Result<ZplDrawing>>
  /** The PDF as it is to lie on the stock, and what it lacks of the pages. */
  layOnStock(pdf: Buffer, layout: StockLayout): Promise<Result<LaidPdf>>
  /**
   * A whole PDF for other programs, or the pages of it that are wanted: the stored bytes when they are that.
   * @returns the error `invalid-input` when there are no such pages
   */
  takePages(pdf: Buffer, range: PageRange | undefined): Promise<Result<Buffer>>
  /** Ends what it runs in; nothing may be asked afterwards. */
  close(): Promise<void>
}

/** The same questions as calls of a worker. */
export interface RasterCalls {
  measure: { input: { pdf: Uint8Array }; output: Result<PageSize[]> }
  renderGrey: { input: { pdf: Uint8Array; dotsPerMm: number; page?: number }; output: Result<GreyPage[]> }
  renderMono: { input: { pdf: Uint8Array; layout: RasterLayout }; output: Result<MonoBitmap[]> }
  /** Emits `placed` when the label's placements are known and drawing begins. */
  renderZpl: {
    input: { pdf: Uint8Array; layout: ZplLayout }
    output: Result<Omit<ZplDrawing, 'zpl' | 'barcodes'> & { zpl: Uint8Array<ArrayBuffer> }>
  }
  /** Without bytes, those that were given are right as they are. */
  layOnStock: {
    input: { pdf: Uint8Array; layout: StockLayout }
    output: Result<Omit<LaidPdf, 'pdf' | 'barcodes'> & { bytes?: Uint8Array }>
  }
  takePages: {
    input: { pdf: Uint8Array; range: PageRange | undefined }
    output: Result<{ bytes?: Uint8Array }>
  }
}

/** Labels need a tenth of it; a PDF made to use up memory ends its own thread alone. */
const maxHeapMb = 512

/** One label that takes its time must not hold up the printers of others. */
const maxThreads = 2

/** Asks for one piece of work, in whatever thread it is done. */
type CallRaster = <Name extends keyof RasterCalls>(
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
 * A rasteriser in threads of its own, so that no label, however slow, holds up the app. The first thread starts with the
 * first label, or with `warmUp` so that this label does not wait for that.
 * @param script the built `worker.ts`
 * @param maxTaskMs longest time for drawing one label, without the time that it waits for a thread
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
