import { loadPdfium } from '../../../src/main/printing/raster/pdfium'
import { createRasterFunctions } from '../../../src/main/printing/raster/rasterFunctions'
import { createRasterizer, type Rasterizer } from '../../../src/main/printing/raster/rasterizer'

/** Shared by all tests of a process: PDFium takes longer to load than to draw a label. */
const withoutFonts = lazily(() => loadFunctions([]))

/**
 * The rasterizer in the test's thread, without a worker.
 * @param fontFolders none by default, so that a label looks the same on every computer
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
