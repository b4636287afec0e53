// `npm run demo -- [--walk-through] [switches]`: the real app on the built-in simulator.
import { buildIfNeeded } from './bundle.mjs'
import { display, hasDisplay } from './display.mjs'
import { refuse, runApp } from './launch.mjs'
import { say } from './report.mjs'
import { runtimeForDemoAndTests } from './runtime.mjs'
import { machineSwitches } from './switches.mjs'
import { prepareSystem } from './system.mjs'
import { walkThrough } from './walkThrough.mjs'

process.exitCode = await main(process.argv.slice(2))

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code
 */
async function main(args) {
  const { env } = process
  const walks = args.includes('--walk-through') || !hasDisplay(process.platform, env)
  const system = await prepareSystem({ env, forTests: false })
  if (!system.ok) return refuse(system.reason)
  const runtime = await runtimeForDemoAndTests(env)
  if (!runtime.ok) return refuse(runtime.reason)
  const built = await buildIfNeeded()
  if (!built.ok) return refuse(built.reason)
  const shown = await display(env)
  if (!shown.ok) return refuse(shown.reason)
  try {
    const needed = await machineSwitches(shown.value.env, { realUse: false })
    for (const notice of needed.notices) say(notice)
    const switches = [...needed.switches, '--demo', ...args.filter((arg) => arg !== '--walk-through')]
    if (!walks) return await runApp(runtime.value.binary, switches, shown.value.env)
    const walked = await walkThrough({ binary: runtime.value.binary, switches, env: shown.value.env })
    return walked.ok ? 0 : refuse(walked.reason)
  } finally {
    await shown.value.stop()
  }
}
