import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'

const repo = resolve(import.meta.dirname, '../..')

const built = new Map<string, Promise<URL>>()

/**
 * Builds a worker thread of the app with the app's build settings, once per process. The output is inside the project, so that
 * the script finds its packages.
 * @param source path of the thread's entry, relative to the root of the repository
 * @param isWhole bundles its packages too, because loading hundreds of files in each thread takes several times as long
 * @returns the URL of the built script
 */
export function buildWorker(name: string, source: string, isWhole = false): Promise<URL> {
  const script = built.get(source) ?? buildOnce(name, source, isWhole)
  built.set(source, script)
  return script
}

async function buildOnce(name: string, source: string, isWhole: boolean): Promise<URL> {
  // Concurrent builds of the same thread must not overwrite each other.
  const outDir = join(repo, 'out/tests', name, String(process.pid))
  await build({
    configFile: false,
    logLevel: 'error',
    ...(isWhole && { ssr: { noExternal: ['kysely', 'zod'] } }),
    build: {
      ssr: join(repo, source),
      target: 'node20.18',
      outDir,
      emptyOutDir: true,
      rollupOptions: { output: { format: 'es', entryFileNames: `${name}.mjs`, codeSplitting: !isWhole } },
    },
  })
  return pathToFileURL(join(outDir, `${name}.mjs`))
}
