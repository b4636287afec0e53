import { workerData } from 'node:worker_threads'
import { z } from 'zod'
import { answerCalls, emitEvent } from '../../lib/workerPool'
import { createLineFunctions } from './lineFunctions'
import type { LineCalls, LinesChecked } from './lineWorker'

// Entry of the thread that holds the lines of air waybills, built as a separate file beside the main script.
const { folder } = z.object({ folder: z.string() }).parse(workerData)
answerCalls<LineCalls>(
  createLineFunctions(folder, (manifestId, summary) => {
    const checked: LinesChecked = { manifestId, summary }
    emitEvent(checked)
  }),
)
