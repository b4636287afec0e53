import type { Result } from '../../../shared/result'
import { ok } from '../../../shared/result'
import { placeOnLabel } from './bitmap'
import type { Pdfium } from './pdfium'
import type { RasterAnswer, RasterTask } from './rasterizer'
import { zplOf } from './zpl'

/** Does one piece of work on a PDF, from its bytes to what the printer or the screen takes. */
export async function runTask(pdfium: Pdfium, task: RasterTask): Promise<Result<RasterAnswer>> {
  switch (task.kind) {
    case 'measure': {
      const pages = await pdfium.measure(task.pdf)
      return pages.ok ? ok({ kind: 'measure', pages: pages.value }) : pages
    }
    case 'grey': {
      const pages = await pdfium.render(task.pdf, task.dotsPerMm)
      return pages.ok ? ok({ kind: 'grey', pages: pages.value }) : pages
    }
    case 'zpl': {
      const pages = await pdfium.render(task.pdf, task.layout.dotsPerMm)
      if (!pages.ok) return pages
      const labels = pages.value.map((page) => zplOf(placeOnLabel(page, task.layout), task.layout))
      return ok({ kind: 'zpl', bytes: new Uint8Array(Buffer.from(labels.join(''), 'latin1')) })
    }
  }
}
