import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { markerName, notice } from '../../../build/closedNetworkRuntime.mjs'
import { builderEnvironment } from '../../../build/packaging/builderEnvironment.mjs'
import config from '../../../build/packaging/electronBuilder'
import { repoDir } from '../../../build/paths.mjs'
import { run } from '../../../build/processes.mjs'
import { temporaryFolder } from '../../support/temporaryFolder'

/** Runs `npm run package` with the given arguments where the only Electron is the unofficial one. */
async function packageWith(...args: string[]) {
  const folder = await temporaryFolder()
  await writeFile(join(folder, markerName), notice)
  const env = { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: folder }
  const script = join(repoDir, 'build', 'package.mjs')
  return run(process.execPath, [script, ...args], { env, limitMs: 25_000 })
}

it('packing for a release ends with exit code 1 when there is only an unofficial Electron', async () => {
  const { code, output } = await packageWith('--official')
  expect(output).toContain('the unofficial build')
  expect(code).toBe(1)
})

it.each(['debian', '--fast'])(
  'packing ends with exit code 2, and makes nothing, for the unknown argument %s',
  async (unknown) => {
    const { code, output } = await packageWith('deb', unknown)
    expect(output).toContain(unknown)
    expect(output).not.toContain('Electron')
    expect(code).toBe(2)
  },
)

it('packs without a certificate when its variable is empty, as a workflow passes a secret that is not set', () => {
  const env = { CSC_LINK: '', CSC_KEY_PASSWORD: '', APPLE_ID: '', LANG: '', PATH: '/usr/bin' }
  expect(builderEnvironment(env)).toEqual({ LANG: '', PATH: '/usr/bin' })
  expect(builderEnvironment({ CSC_LINK: 'MIIK', CSC_KEY_PASSWORD: '' })).toEqual({ CSC_LINK: 'MIIK' })
})

it('signs the program for macOS once more after its fuses were changed, since Apple silicon starts none with a broken signature', () => {
  expect(config.electronFuses?.resetAdHocDarwinSignature).toBe(process.platform === 'darwin')
})
