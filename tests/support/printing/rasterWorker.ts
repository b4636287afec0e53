import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'

const entry = path.resolve(import.meta.dirname, '../../../src/main/printing/raster/worker.ts')

/**
 * Builds the rasteriser's thread as the app's own build does, into a folder inside the project, from where it finds
 * its packages.
 * @returns the script for `createWorkerRasterizer`
 */
export async function buildRasterWorker(outDir: string): Promise<URL> {
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: entry,
      target: 'node20.18',
      outDir,
      emptyOutDir: true,
      rollupOptions: { output: { format: 'es', entryFileNames: 'rasterWorker.mjs' } },
    },
  })
  return pathToFileURL(path.join(outDir, 'rasterWorker.mjs'))
}
