import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { simulatorApart } from './build/simulatorApart.mjs'

// The oldest Electron that runs this code is 33 (Node 20.18, Chrome 130): see docs/decisions/0001-runtime.md.
export default defineConfig({
  main: {
    plugins: [simulatorApart()],
    build: {
      target: 'node20.18',
      outDir: 'out/main',
      rollupOptions: {
        // Rasterising, reading barcodes and tables run in worker threads, which need files of their own.
        input: {
          index: 'src/main/index.ts',
          rasterWorker: 'src/main/printing/raster/worker.ts',
          barcodeWorker: 'src/main/printing/barcodes/worker.ts',
          tableWorker: 'src/main/app/tableWorker.ts',
          invoiceWorker: 'src/main/customs/invoiceWorker.ts',
          linesWorker: 'src/main/consignments/lines/worker.ts',
          databaseProcess: 'src/main/storage/databaseProcess.ts',
        },
        output: { format: 'es' },
      },
    },
  },
  preload: {
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
    plugins: [react()],
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
      rollupOptions: { input: join(import.meta.dirname, 'src/renderer/index.html') },
    },
  },
})
