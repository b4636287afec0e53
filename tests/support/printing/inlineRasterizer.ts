import { loadPdfium } from '../../../src/main/printing/raster/pdfium'
import type { RasterAnswer, Rasterizer, RasterTask } from '../../../src/main/printing/raster/rasterizer'
import { runTask } from '../../../src/main/printing/raster/runTask'
import type { Result } from '../../../src/shared/result'
import { ok } from '../../../src/shared/result'

/**
 * The rasteriser in the test's own thread: the same work without the worker around it.
 * @param fontFolders none by default, so that a label comes out the same on every computer
 */
export function createInlineRasterizer(fontFolders: readonly string[] = []): Rasterizer {
  const loading = loadPdfium(fontFolders)
  async function ask<Kind extends RasterTask['kind']>(
    kind: Kind,
    task: RasterTask,
    onPlaced?: () => void,
  ): Promise<Result<Extract<RasterAnswer, { kind: Kind }>>> {
    const answer = runTask(await loading, task, onPlaced)
    if (!answer.ok) return answer
    if (!isOf(answer.value, kind)) throw new Error(`asked ${kind}, answered ${answer.value.kind}`)
    return ok(answer.value)
  }
  return {
    async measure(pdf) {
      const answer = await ask('measure', { kind: 'measure', pdf })
      return answer.ok ? ok(answer.value.pages) : answer
    },
    async renderGrey(pdf, dotsPerMm, page) {
      const answer = await ask('grey', { kind: 'grey', pdf, dotsPerMm, ...(page !== undefined && { page }) })
      return answer.ok ? ok(answer.value.pages) : answer
    },
    async renderMono(pdf, layout) {
      const answer = await ask('mono', { kind: 'mono', pdf, layout })
      return answer.ok ? ok(answer.value.bitmaps) : answer
    },
    async renderZpl(pdf, layout, onPlaced) {
      const answer = await ask('zpl', { kind: 'zpl', pdf, layout }, onPlaced)
      if (!answer.ok) return answer
      const { kind: _, bytes, ...drawn } = answer.value
      return ok({ zpl: Buffer.from(bytes), ...drawn })
    },
    async layOnStock(pdf, layout) {
      const answer = await ask('stock', { kind: 'stock', pdf, layout })
      if (!answer.ok) return answer
      const { bytes, copies, findings } = answer.value
      return ok({ pdf: bytes === undefined ? pdf : Buffer.from(bytes), copies, findings })
    },
    async takePages(pdf, range) {
      const answer = await ask('pages', { kind: 'pages', pdf, range })
      return answer.ok ? ok(answer.value.bytes === undefined ? pdf : Buffer.from(answer.value.bytes)) : answer
    },
    async close() {},
  }
}

function isOf<Kind extends RasterAnswer['kind']>(
  answer: RasterAnswer,
  kind: Kind,
): answer is Extract<RasterAnswer, { kind: Kind }> {
  return answer.kind === kind
}
