import { run } from './processes.mjs'

/**
 * Electron switches that the machine makes necessary, each with the line that tells of it.
 * @typedef {{ switches: string[], notices: string[] }} MachineSwitches
 */

/**
 * Works out which switches Electron needs to start at all.
 * @param {{ platform: NodeJS.Platform, root: boolean, sandboxWorks: boolean, env: NodeJS.ProcessEnv }} machine
 * @returns {MachineSwitches}
 */
export function switchesFor({ platform, root, sandboxWorks, env }) {
  /** @type {MachineSwitches} */
  const needed = { switches: [], notices: [] }
  if (platform !== 'linux') return needed
  if (root || !sandboxWorks) {
    const cause = root
      ? 'Electron does not start as root otherwise'
      : 'this system lets no user make a sandbox'
    needed.switches.push('--no-sandbox')
    needed.notices.push(`NOTICE: running without the Chromium sandbox, since ${cause}.`)
  }
  if (!env.DISPLAY && env.WAYLAND_DISPLAY) needed.switches.push('--ozone-platform-hint=auto')
  return needed
}

/**
 * The switches for this machine.
 * @param {NodeJS.ProcessEnv} env
 * @param {{ realUse: boolean }} purpose in real use an ordinary user's sandbox is never given up
 * @returns {Promise<MachineSwitches>}
 */
export async function machineSwitches(env, { realUse }) {
  const root = process.getuid?.() === 0
  const sandboxWorks = process.platform !== 'linux' || root || realUse || (await userNamespacesWork())
  return switchesFor({ platform: process.platform, root, sandboxWorks, env })
}

/** @returns {Promise<boolean>} whether an ordinary user may make the namespaces that the sandbox is built of */
async function userNamespacesWork() {
  const { code } = await run('unshare', ['--user', '--map-root-user', 'true'])
  return code === 0
}
