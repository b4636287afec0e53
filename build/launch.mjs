import { buildIfNeeded } from './bundle.mjs'
import { display, hasDisplay } from './display.mjs'
import { repoDir } from './paths.mjs'
import { runInForeground } from './processes.mjs'
import { complain, done, failed, say } from './report.mjs'
import { runtimeForRealUse } from './runtime.mjs'
import { machineSwitches } from './switches.mjs'

const waysOut = `Ways out: set ELECTRON_MIRROR to a mirror of Electron's downloads that this machine can reach (docs/decisions/0001-runtime.md);
or set ELECTRON_OVERRIDE_DIST_PATH to a folder with an official Electron that is already on this machine;
or run \`npm run demo\`, which shows the app on a built-in simulator and does not need the download.`

/**
 * Starts the app for real use and waits for its end.
 * @param {readonly string[]} switches of the app
 * @returns {Promise<number>} the app's exit code, or 1 when it could not be started
 */
export async function start(switches) {
  const runtime = await runtimeForRealUse(process.env)
  if (!runtime.ok) return refuse(`${runtime.reason}\n${waysOut}`)
  const built = await buildIfNeeded()
  if (!built.ok) return refuse(built.reason)
  const shown = await displayForRealUse(switches)
  if (!shown.ok) return refuse(shown.reason)
  const needed = await machineSwitches(shown.value.env, { realUse: true })
  for (const notice of needed.notices) say(notice)
  try {
    return await runApp(runtime.value.binary, [...needed.switches, ...switches], shown.value.env)
  } finally {
    await shown.value.stop()
  }
}

/**
 * Runs the app in the foreground.
 * @param {string} binary Electron's
 * @param {readonly string[]} switches Electron's and the app's
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} its exit code
 */
export function runApp(binary, switches, env) {
  return runInForeground(binary, [repoDir, ...switches], { env })
}

/**
 * @param {string} reason
 * @returns {number} the exit code of a launcher that did not start the app
 */
export function refuse(reason) {
  complain(reason)
  return 1
}

/** Commands that draw nothing: the app runs them without a display. */
const withoutWindow = /^--(backup|restore|export-diagnostics)=/

/**
 * Refuses to open a window on a machine without a display; only a hidden station may run there, on a private display, and the commands
 * that open none.
 * @param {readonly string[]} switches
 * @returns {Promise<import('./report.mjs').Outcome<import('./display.mjs').Display>>}
 */
async function displayForRealUse(switches) {
  const drawsNothing = switches.some((given) => withoutWindow.test(given))
  if (drawsNothing || hasDisplay(process.platform, process.env)) {
    return done({ env: process.env, stop: async () => undefined })
  }
  if (!switches.includes('--hidden')) {
    return failed('There is no display: set DISPLAY, or add --hidden to work without a window.')
  }
  return display(process.env)
}
