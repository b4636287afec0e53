// `npm run demo -- [--walk-through] [switches]`: the real app on the built-in simulator.
import { hasDisplay } from './display.mjs'
import { refuse, runApp } from './launch.mjs'
import { prepare } from './prepare.mjs'
import { say } from './report.mjs'
import { walkThrough } from './walkThrough.mjs'

process.exitCode = await main(process.argv.slice(2))

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code
 */
async function main(args) {
  const { env } = process
  const walks = args.includes('--walk-through') || !hasDisplay(process.platform, env)
  const prepared = await prepare(env, { forTests: false })
  if (!prepared.ok) return refuse(prepared.reason)
  const { binary, notices, env: shownEnv, stop } = prepared.value
  try {
    for (const notice of notices) say(notice)
    const switches = [...prepared.value.switches, '--demo', ...args.filter((arg) => arg !== '--walk-through')]
    if (!walks) return await runApp(binary, switches, shownEnv)
    const walked = await walkThrough({ binary, switches, env: shownEnv })
    return walked.ok ? 0 : refuse(walked.reason)
  } finally {
    await stop()
  }
}
