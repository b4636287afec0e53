import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Notice } from '../../shared/app'

/** The file that marks the closed-network runtime (docs/decisions/0001-runtime.md). */
const marker = 'UNOFFICIAL-BUILD.txt'

/**
 * What is to be said of the Electron that runs the app.
 * @param binary its absolute path
 */
export function runtimeNotices(binary: string): Notice[] {
  if (!existsSync(join(dirname(binary), marker))) return []
  return [
    {
      code: 'unofficial-runtime',
      message:
        'This is an unofficial build of Electron, for the demo and the tests only: never type real credentials here.',
    },
  ]
}
