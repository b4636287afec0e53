import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { packageVersion } from '../../../build/packageVersion.mjs'
import { repoDir } from '../../../build/paths.mjs'

const start = join(repoDir, 'build', 'start.mjs')

describe('npm start without Electron', () => {
  it('prints the version', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [start, '--version'], { env: {} })
    expect(stdout).toBe(`${await packageVersion(repoDir)}\n`)
  })

  it('prints the help, which names every switch', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [start, '--help'], { env: {} })
    for (const name of [
      '--user-data-dir=DIR',
      '--provision=FILE',
      '--hidden',
      '--demo',
      '--version',
      '--help',
    ]) {
      expect(stdout).toContain(name)
    }
  })
})
