import { loadPdfium } from '../../../src/main/printing/raster/pdfium'
import { createRasterFunctions } from '../../../src/main/printing/raster/rasterFunctions'
import { createRasterizer, type Rasterizer } from '../../../src/main/printing/raster/rasterizer'

/**
 * The rasteriser in the test's own thread: the same work without the worker around it.
 * @param fontFolders none by default, so that a label comes out the same on every computer
 */
export function createInlineRasterizer(fontFolders: readonly string[] = []): Rasterizer {
  const loading = loadPdfium(fontFolders).then(createRasterFunctions)
  return createRasterizer(
    async (name, input, onEvent = () => undefined) => (await loading)[name](input, onEvent),
    async () => undefined,
  )
}
