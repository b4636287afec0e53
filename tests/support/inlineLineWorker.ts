import { createLineFunctions } from '../../src/main/consignments/lines/lineFunctions'
import type { LineWorker, OnChecked } from '../../src/main/consignments/lines/lineWorker'

/** The worker for manifest lines in the current thread, for tests of other parts. */
export function createInlineLineWorker(folder: string, onChecked: OnChecked): LineWorker {
  const work = createLineFunctions(folder, onChecked)
  return {
    call: (name, input) => work[name](input),
    async close() {
      await work.close(undefined)
    },
  }
}
