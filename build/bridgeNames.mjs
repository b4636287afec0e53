import { join } from 'node:path'
import { normalizePath, runnerImport } from 'vite'
import { repoDir } from './paths.mjs'

const bridgePath = join(repoDir, 'src', 'shared', 'bridge.ts')

/**
 * Bundles only the names of the bridge's methods and events into the preload, without their schemas: the preload validates
 * nothing, and building the schemas would delay each page load.
 * @returns {import('vite').Plugin}
 */
export function bridgeNames() {
  return {
    name: 'bridge-names',
    enforce: 'pre',
    async load(id) {
      if (id !== normalizePath(bridgePath)) return undefined
      /** @type {{ module: typeof import('../src/shared/bridge'), dependencies: string[] }} */
      const { module, dependencies } = await runnerImport(bridgePath, { root: repoDir, logLevel: 'error' })
      for (const path of dependencies) this.addWatchFile(join(repoDir, path))
      const { methodNames, eventNames } = module
      return `
        export const methodNames = ${JSON.stringify(methodNames)}
        const eventNames = ${JSON.stringify(eventNames)}
        export const isEventName = (name) => eventNames.includes(name)
      `
    },
  }
}
