import type { LinesSummary } from '../../shared/consignments'
import { WorkerPool } from '../lib/workerPool'
import type { LineCalls, LineWorker, OnChecked } from './lineWorker'

/** What the thread reports after a change. */
export interface LinesChecked {
  manifestId: string
  summary: LinesSummary
}

/**
 * The worker in a thread of its own: reading and checking a hundred thousand lines holds up neither the app nor the
 * screen. The thread starts with the first call; one that dies is replaced at the next, and the call under way throws.
 * @param script the built `lines/worker.ts`
 * @param folder absolute path of the folder that holds the lines
 */
export function startLineWorker(script: URL, folder: string, onChecked: OnChecked): LineWorker {
  const pool = new WorkerPool<LineCalls, LinesChecked>({
    script,
    maxThreads: 1,
    survivesErrors: true,
    workerData: { folder },
    onEvent: ({ manifestId, summary }) => onChecked(manifestId, summary),
  })
  return {
    async call(name, input) {
      const answer = await pool.run(name, input)
      if (answer.ok) return answer.value
      throw new Error(answer.error.cause ?? 'The thread that holds the lines of manifests has ended.')
    },
    async close() {
      if (pool.isRunning) await pool.run('close', undefined)
      await pool.close()
    },
  }
}
