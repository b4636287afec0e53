// npm run bench -- SUITE [--json]: runs tests/bench/SUITE.ts, bundled for Node, and prints its figures.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'

const repo = join(import.meta.dirname, '..')
const [suite, ...switches] = process.argv.slice(2)
const entry = join(repo, 'tests', 'bench', `${suite}.ts`)
if (suite === undefined || !/^[\w-]+$/.test(suite) || !existsSync(entry)) {
  process.stderr.write('Name a suite: npm run bench -- SUITE [--json], where tests/bench/SUITE.ts exists.\n')
  process.exit(2)
}
const outDir = join(repo, 'out', 'bench')
await build({
  configFile: false,
  root: repo,
  logLevel: 'error',
  build: {
    ssr: entry,
    outDir,
    emptyOutDir: false,
    target: 'node20',
    rollupOptions: { output: { format: 'es' } },
  },
})
/** @type {{ default: () => Promise<{ name: string, value: number, unit: string }[]> }} */
const { default: run } = await import(pathToFileURL(join(outDir, `${suite}.js`)).href)
const figures = await run()
if (switches.includes('--json')) process.stdout.write(`${JSON.stringify({ suite, figures }, undefined, 2)}\n`)
else for (const { name, value, unit } of figures) process.stdout.write(`${name}: ${value} ${unit}\n`)
process.exit(0)
