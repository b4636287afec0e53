import type { BarcodeProof, LabelFinding, ProveBarcodes } from '../../../shared/labels'
import { ok, type Result } from '../../../shared/result'
import { WorkerPool } from '../../lib/workerPool'
import { type RasterLayout, toRasterLayout } from '../layout/labelLayout'
import type { Rasterizer } from '../raster/rasterizer'
import type { BarcodeComparison, DrawnLabel } from './proveBarcodes'

/** A page at 16 pixels per mm needs a tenth of it. */
const maxHeapMb = 256
const usualLimits = { readingMs: 5000, waitingMs: 5000 }

export interface BarcodeCalls {
  prove: { input: DrawnLabel; output: Result<BarcodeComparison> }
}

/** The result of reading a label's barcodes, and the findings for those that would be lost. */
export interface ProvedLabel {
  proof: BarcodeProof
  findings: LabelFinding[]
}

/**
 * Reads barcodes in a thread, which starts with the first label at the latest. If it fails, the label is printed
 * without a proof.
 * @param script the built `worker.ts`
 * @param limits the timeouts for reading one label and for waiting for the thread
 */
export function createWorkerProver(script: URL, limits = usualLimits) {
  const { readingMs: maxTaskMs, waitingMs: maxWaitMs } = limits
  const pool = new WorkerPool<BarcodeCalls>({ script, maxThreads: 1, maxHeapMb, maxTaskMs, maxWaitMs })
  return {
    /** Never rejects. The proof is `not-proved` when reading fails or takes too long. */
    async prove(label: DrawnLabel): Promise<ProvedLabel> {
      const answer = await pool.run('prove', label)
      if (answer.ok && answer.value.ok) {
        const { symbols, findings } = answer.value.value
        return { proof: { kind: 'proved', symbols }, findings }
      }
      const isSlow = !answer.ok && ['timed-out', 'waited-too-long'].includes(answer.error.kind)
      return { proof: { kind: 'not-proved', reason: isSlow ? 'too-slow' : 'failed' }, findings: [] }
    },
    /** Starts the thread, so that the first label does not wait for it. */
    warmUp: () => pool.warmUp(),
    close: () => pool.close(),
  }
}

/** Reads the barcodes of labels before they are printed. */
export type BarcodeProver = ReturnType<typeof createWorkerProver>

/** More kinds of labels than a station prints in a day. Above it, all kinds are read again. */
const maxKinds = 1000
/** Reading larger pages, such as A4 at 600 dpi, would delay the following labels too long. */
const maxLabelDots = 20_000_000
/** How often a kind of labels is tried that is not read in time: further labels are not delayed by it. */
const maxTries = 2

/**
 * Wraps a rasterizer: it reads the barcodes of labels for printers before it returns them. Barcodes that would be lost
 * are added to the findings, so that the job waits for a person.
 * @param choice the present setting which labels are read
 */
export function withBarcodeProofs(
  rasterizer: Rasterizer,
  prover: Pick<BarcodeProver, 'prove'>,
  choice: () => ProveBarcodes,
): Rasterizer {
  /**
   * For each kind of labels since the app started: how often it was not read in time, or `maxTries` when it was read
   * and lost nothing.
   */
  const tries = new Map<string, number>()

  async function proveKind(kind: string, read: () => Promise<ProvedLabel>): Promise<ProvedLabel | undefined> {
    if (choice() === 'never') return undefined
    const tried = tries.get(kind) ?? 0
    if (choice() === 'first' && tried >= maxTries) return undefined
    const proved = await read()
    if (tries.size >= maxKinds) tries.clear()
    if (proved.findings.length === 0) {
      tries.set(kind, proved.proof.kind === 'proved' ? maxTries : tried + 1)
    }
    return proved
  }

  return {
    ...rasterizer,
    async renderZpl(pdf, layout, onPlaced) {
      const drawn = await rasterizer.renderZpl(pdf, layout, onPlaced)
      if (!drawn.ok) return drawn
      const { placements, bitmaps } = drawn.value
      const proved = await proveKind(toKind(layout, placements), () =>
        prover.prove({ pdf, layout: { ...layout, placements }, bitmaps }),
      )
      return ok(withProof(drawn.value, proved))
    },
    async layOnStock(pdf, layout) {
      const laid = await rasterizer.layOnStock(pdf, layout)
      const dots = layout.dotsPerMm === undefined ? undefined : toRasterLayout(layout, layout.dotsPerMm)
      if (!laid.ok || dots === undefined || dots.widthDots * dots.heightDots > maxLabelDots) return laid
      const pages = await rasterizer.measure(pdf)
      const proved = await proveKind(toKind(dots, pages), async () => {
        const drawn = await rasterizer.renderMono(pdf, dots)
        return drawn.ok ? prover.prove({ pdf, layout: dots, bitmaps: drawn.value }) : notDrawn
      })
      return ok(withProof(laid.value, proved))
    },
  }
}

const notDrawn: ProvedLabel = { proof: { kind: 'not-proved', reason: 'failed' }, findings: [] }

function withProof<Label extends { findings: LabelFinding[]; barcodes?: BarcodeProof }>(
  label: Label,
  proved: ProvedLabel | undefined,
): Label {
  if (proved === undefined) return label
  return { ...label, findings: [...label.findings, ...proved.findings], barcodes: proved.proof }
}

/** A key for labels of one carrier option with the same layout and placements on one printer. */
function toKind({ placements: request, ...layout }: RasterLayout, placement: unknown): string {
  const subject = 'printer' in request ? [request.carrierOptionId, request.printer.id] : []
  return JSON.stringify([subject, layout, placement])
}
