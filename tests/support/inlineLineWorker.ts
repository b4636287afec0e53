import { createLineFunctions } from '../../src/main/consignments/lines/lineFunctions'
import type { LineWorker, OnChecked } from '../../src/main/consignments/lines/lineWorker'

/** The worker for manifests' lines in this very thread, for tests that are about something else. */
export function createInlineLineWorker(folder: string, onChecked: OnChecked): LineWorker {
  const work = createLineFunctions(folder, onChecked)
  return {
    call: (name, input) => work[name](input),
    async close() {
      await work.close(undefined)
    },
  }
}
