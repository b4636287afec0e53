// `npm run dev -- [switches]`: the demo on Vite's server, with each change shown as it is saved.
import { join } from 'node:path'
import { display } from './display.mjs'
import { refuse } from './launch.mjs'
import { repoDir } from './paths.mjs'
import { runInForeground } from './processes.mjs'
import { say } from './report.mjs'
import { runtimeForDemoAndTests } from './runtime.mjs'
import { machineSwitches } from './switches.mjs'
import { prepareSystem } from './system.mjs'

process.exitCode = await main(process.argv.slice(2))

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code
 */
async function main(args) {
  const { env } = process
  const system = await prepareSystem({ env, forTests: false })
  if (!system.ok) return refuse(system.reason)
  const runtime = await runtimeForDemoAndTests(env)
  if (!runtime.ok) return refuse(runtime.reason)
  const shown = await display(env)
  if (!shown.ok) return refuse(shown.reason)
  try {
    const needed = await machineSwitches(shown.value.env, { realUse: false })
    for (const notice of needed.notices) say(notice)
    const tool = join(repoDir, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
    const switches = [...needed.switches, '--demo', ...args]
    return await runInForeground(process.execPath, [tool, 'dev', '--watch', '--', ...switches], {
      cwd: repoDir,
      env: { ...shown.value.env, ELECTRON_EXEC_PATH: runtime.value.binary },
    })
  } finally {
    await shown.value.stop()
  }
}
