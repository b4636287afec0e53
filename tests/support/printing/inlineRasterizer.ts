import { loadPdfium } from '../../../src/main/printing/raster/pdfium'
import { createRasterFunctions } from '../../../src/main/printing/raster/rasterFunctions'
import { createRasterizer, type Rasterizer } from '../../../src/main/printing/raster/rasterizer'

/** PDFium takes longer to load than to draw a label, and serves one call after the other: all of a process share it. */
const withoutFonts = lazily(() => loadFunctions([]))

/**
 * The rasteriser in the test's own thread: the same work without the worker around it.
 * @param fontFolders none by default, so that a label comes out the same on every computer
 */
export function createInlineRasterizer(fontFolders: readonly string[] = []): Rasterizer {
  const load = fontFolders.length === 0 ? withoutFonts : lazily(() => loadFunctions(fontFolders))
  return createRasterizer(
    async (name, input, onEvent = () => undefined) => (await load())[name](input, onEvent),
    async () => undefined,
  )
}

async function loadFunctions(fontFolders: readonly string[]) {
  return createRasterFunctions(await loadPdfium(fontFolders))
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
