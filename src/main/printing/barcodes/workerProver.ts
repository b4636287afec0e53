import type { BarcodeProof, LabelFinding } from '../../../shared/labels'
import type { Result } from '../../../shared/result'
import { WorkerPool } from '../../lib/workerPool'
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
