import type { LineDesk, OnChecked } from '../../src/main/manifests/lineDesk'
import { createDeskWork } from '../../src/main/manifests/lines/deskWork'

/** The desk for manifests' lines in this very thread, for tests that are about something else. */
export function createInlineLineDesk(folder: string, onChecked: OnChecked): LineDesk {
  const work = createDeskWork(folder, onChecked)
  return {
    call: (name, input) => work[name](input),
    async close() {
      await work.close(undefined)
    },
  }
}
