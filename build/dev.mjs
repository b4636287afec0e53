// `npm run dev -- [switches]`: the demo on Vite's server, with each change shown as it is saved.
import { join } from 'node:path'
import { refuse } from './launch.mjs'
import { repoDir } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { runInForeground } from './processes.mjs'
import { say } from './report.mjs'

process.exitCode = await main(process.argv.slice(2))

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code
 */
async function main(args) {
  const prepared = await prepare(process.env, { forTests: false, build: false })
  if (!prepared.ok) return refuse(prepared.reason)
  const { binary, notices, env, stop } = prepared.value
  try {
    for (const notice of notices) say(notice)
    const tool = join(repoDir, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
    const switches = [...prepared.value.switches, '--demo', ...args]
    return await runInForeground(process.execPath, [tool, 'dev', '--watch', '--', ...switches], {
      cwd: repoDir,
      env: { ...env, ELECTRON_EXEC_PATH: binary },
    })
  } finally {
    await stop()
  }
}
