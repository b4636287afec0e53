import { run } from './processes.mjs'

/**
 * Electron switches that the machine requires, with the notices that explain them.
 * @typedef {{ switches: string[], notices: string[] }} MachineSwitches
 */

/**
 * Determines the switches without which Electron does not start.
 * @param {{ platform: NodeJS.Platform, root: boolean, sandboxWorks: boolean, env: NodeJS.ProcessEnv }} machine
 * @returns {MachineSwitches}
 */
export function switchesFor({ platform, root, sandboxWorks, env }) {
  /** @type {MachineSwitches} */
  const needed = { switches: [], notices: [] }
  if (platform !== 'linux') return needed
  if (root || !sandboxWorks) {
    const cause = root
      ? 'Electron refuses to start as root with it'
      : 'this system does not let users create one'
    needed.switches.push('--no-sandbox')
    needed.notices.push(`NOTICE: running without the Chromium sandbox, because ${cause}.`)
  }
  if (!env.DISPLAY && env.WAYLAND_DISPLAY) needed.switches.push('--ozone-platform-hint=auto')
  return needed
}

/**
 * The switches for this machine.
 * @param {NodeJS.ProcessEnv} env
 * @param {{ realUse: boolean }} purpose in real use the sandbox of an ordinary user is never disabled
 * @returns {Promise<MachineSwitches>}
 */
export async function machineSwitches(env, { realUse }) {
  const root = process.getuid?.() === 0
  const sandboxWorks = process.platform !== 'linux' || root || realUse || (await userNamespacesWork())
  return switchesFor({ platform: process.platform, root, sandboxWorks, env })
}

/** @returns {Promise<boolean>} whether an ordinary user may create the namespaces that the sandbox needs */
async function userNamespacesWork() {
  const { code } = await run('unshare', ['--user', '--map-root-user', 'true'])
  return code === 0
}
