import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { bridgeNames } from './build/bridgeNames.mjs'
import { narrowText } from './build/narrowText.mjs'
import { simulatorApart } from './build/simulatorApart.mjs'

/** Packages of plain JavaScript that main needs before the window is usable. */
const loadedAtStart = ['electron-store', 'kysely', 'pino', 'rotating-file-stream', 'undici', 'zod']

// The oldest Electron that runs this code is 33 (Node 20.18, Chrome 130): see docs/decisions/0001-runtime.md.
export default defineConfig({
  main: {
    plugins: [simulatorApart(), narrowText()],
    build: {
      target: 'node20.18',
      outDir: 'out/main',
      // Read from hundreds of files they take several times as long. Names and lines stay, for the log's stack traces.
      externalizeDeps: { exclude: loadedAtStart },
      rollupOptions: {
        // The station is read when the window's process starts. Rasterising, reading barcodes and tables run in worker threads, which need files of their own.
        input: {
          index: 'src/main/index.ts',
          composeApp: 'src/main/app/composeApp.ts',
          rasterWorker: 'src/main/printing/raster/worker.ts',
          barcodeWorker: 'src/main/printing/barcodes/worker.ts',
          tableWorker: 'src/main/app/tableWorker.ts',
          invoiceWorker: 'src/main/customs/invoiceWorker.ts',
          linesWorker: 'src/main/consignments/lines/worker.ts',
          databaseWorker: 'src/main/app/databaseWorkerEntry.ts',
          databaseProcess: 'src/main/storage/databaseProcessEntry.ts',
        },
        output: { format: 'es' },
      },
    },
  },
  preload: {
    plugins: [bridgeNames(), narrowText()],
    build: {
      target: 'node20.18',
      outDir: 'out/preload',
      // A sandboxed preload can load no modules: everything it needs is in this one CommonJS file.
      externalizeDeps: false,
      rollupOptions: {
        input: 'src/preload/index.ts',
        output: { format: 'cjs', entryFileNames: 'index.cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react(), narrowText()],
    // The page's own origin is app://packbench: it must be told where changes come from.
    server: {
      host: '127.0.0.1',
      port: 5173,
      strictPort: true,
      hmr: { protocol: 'ws', host: '127.0.0.1', clientPort: 5173 },
    },
    build: {
      target: 'chrome130',
      outDir: 'out/renderer',
      // A third of the code to read at each start.
      minify: true,
      rollupOptions: { input: join(import.meta.dirname, 'src/renderer/index.html') },
    },
  },
})
