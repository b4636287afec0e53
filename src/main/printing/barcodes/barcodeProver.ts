import type { BarcodeProof, LabelFinding, ProveBarcodes } from '../../../shared/labels'
import { ok, type Result } from '../../../shared/result'
import { WorkerPool } from '../../lib/workerPool'
import { type RasterLayout, toDotsOf } from '../layout/labelLayout'
import type { Rasterizer } from '../raster/rasterizer'
import type { BarcodeComparison, DrawnLabel } from './proveBarcodes'

/** A page of sixteen pixels a millimetre takes a tenth of it. */
const maxHeapMb = 256
const usualLimits = { readingMs: 5000, waitingMs: 5000 }

/** What can be asked of the thread. */
export interface BarcodeCalls {
  prove: { input: DrawnLabel; output: Result<BarcodeComparison> }
}

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

/**
 * Reads barcodes in one thread of its own, which starts with the first label at the latest. Whatever goes wrong in it,
 * the label is printed and not proved.
 * @param script the built `worker.ts`
 * @param limits for reading one label, and for waiting until the thread is free
 */
export function createWorkerProver(script: URL, limits = usualLimits): BarcodeProver {
  const { readingMs: maxTaskMs, waitingMs: maxWaitMs } = limits
  const pool = new WorkerPool<BarcodeCalls>({ script, maxThreads: 1, maxHeapMb, maxTaskMs, maxWaitMs })
  return {
    async prove(label) {
      const answer = await pool.run('prove', label)
      if (answer.ok && answer.value.ok) {
        const { symbols, findings } = answer.value.value
        return { proof: { kind: 'proved', symbols }, findings }
      }
      const isSlow = !answer.ok && ['timed-out', 'waited-too-long'].includes(answer.error.kind)
      return { proof: { kind: 'not-proved', reason: isSlow ? 'too-slow' : 'failed' }, findings: [] }
    },
    warmUp: () => pool.warmUp(),
    close: () => pool.close(),
  }
}

/** More kinds of labels than a station prints in a day; beyond it they are read once more. */
const maxKinds = 1000
/** Larger pages, such as A4 of an office printer's 600 dpi, would hold up what waits for longer than they are worth. */
const maxLabelDots = 20_000_000
/** A kind of labels that is not read in time again and again is not to hold up each of them. */
const maxTries = 2

/**
 * The same rasteriser, whose labels for printers have their barcodes read before they are handed out. What of them
 * would be lost joins the findings, so that the label is held.
 * @param choice which labels are read, as it is now
 */
export function withBarcodeProofs(
  rasterizer: Rasterizer,
  prover: Pick<BarcodeProver, 'prove'>,
  choice: () => ProveBarcodes,
): Rasterizer {
  /**
   * Kinds of labels since the app began, with the engine as it is now: how often each was not read in time, or all
   * tries at once when it was read and lost nothing.
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
      const dots = layout.dotsPerMm === undefined ? undefined : toDotsOf(layout, layout.dotsPerMm)
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

/** Labels of one carrier option that come to lie alike on one printer; pages of another size lie otherwise. */
function toKind({ placements: question, ...layout }: RasterLayout, lying: unknown): string {
  const of = 'printer' in question ? [question.carrierOptionId, question.printer.id] : []
  return JSON.stringify([of, layout, lying])
}
