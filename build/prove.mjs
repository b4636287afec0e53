// `npm run prove:crash` and `npm run prove:soak`: the long versions of two end-to-end tests, described in docs/reliability.md.
import { join } from 'node:path'
import { repoDir } from './paths.mjs'
import { runInForeground } from './processes.mjs'

/** @type {Record<string, { file: string, env: Record<string, string> }>} */
const proofs = {
  crash: { file: 'tests/e2e/crashMatrix.test.ts', env: { PACKBENCH_CRASH_MATRIX: 'all' } },
  soak: { file: 'tests/e2e/soak.test.ts', env: { PACKBENCH_SOAK: process.env.PACKBENCH_SOAK ?? '20000' } },
}

const proof = proofs[process.argv[2] ?? '']
if (proof === undefined) throw new Error(`Name one of ${Object.keys(proofs).join(', ')}.`)
const args = [join(repoDir, 'build', 'test.mjs'), proof.file, ...process.argv.slice(3)]
process.exitCode = await runInForeground(process.execPath, args, {
  cwd: repoDir,
  env: { ...process.env, ...proof.env },
})
