import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'

const repo = path.resolve(import.meta.dirname, '../..')

/**
 * Builds a thread of the app as the app's own build does, into a folder inside the project, from where it finds its
 * packages.
 * @param source the thread's entry, from the root of the repository
 * @returns the script to start it with
 */
export async function buildWorker(name: string, source: string): Promise<URL> {
  const outDir = path.join(repo, 'out/tests', name)
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: path.join(repo, source),
      target: 'node20.18',
      outDir,
      emptyOutDir: true,
      rollupOptions: { output: { format: 'es', entryFileNames: `${name}.mjs` } },
    },
  })
  return pathToFileURL(path.join(outDir, `${name}.mjs`))
}
