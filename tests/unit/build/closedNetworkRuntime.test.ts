import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  getIntegrity,
  hasClosedNetworkRuntime,
  notice,
  npmCommand,
  prepareClosedNetworkElectron,
} from '../../../build/closedNetworkRuntime.mjs'

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packbench-runtime-test-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

describe('hasClosedNetworkRuntime', () => {
  it('is true for Linux on x64 only', () => {
    expect(hasClosedNetworkRuntime({ platform: 'linux', arch: 'x64' })).toBe(true)
    expect(hasClosedNetworkRuntime({ platform: 'linux', arch: 'arm64' })).toBe(false)
    expect(hasClosedNetworkRuntime({ platform: 'win32', arch: 'x64' })).toBe(false)
    expect(hasClosedNetworkRuntime({ platform: 'darwin', arch: 'x64' })).toBe(false)
  })
})

describe('getIntegrity', () => {
  it('returns the sha512 of the file in the form of npm', async () => {
    const path = join(folder, 'file')
    await writeFile(path, 'label')
    expect(await getIntegrity(path)).toBe(`sha512-${createHash('sha512').update('label').digest('base64')}`)
  })
})

describe('npmCommand', () => {
  it('returns the npm that runs the script, without a shell', () => {
    expect(npmCommand({ npm_execpath: '/n/npm-cli.js' })).toEqual({
      command: process.execPath,
      args: ['/n/npm-cli.js'],
    })
  })

  it('returns the npm on PATH when another package manager, or none, runs the script', () => {
    expect(npmCommand({ npm_execpath: '/n/pnpm.cjs' })).toEqual({ command: 'npm', args: [] })
    expect(npmCommand({})).toEqual({ command: 'npm', args: [] })
  })
})

describe('the notice of the closed-network runtime', () => {
  it('says that the build is unofficial and not for real credentials', () => {
    expect(notice).toMatch(/unofficial build/)
    expect(notice).toMatch(/never with real credentials/)
  })
})

describe.skipIf(process.platform === 'win32')('prepareClosedNetworkElectron', () => {
  /** The environment with an npm on PATH that runs the given shell script. */
  async function withNpm(script: string): Promise<NodeJS.ProcessEnv> {
    const bin = join(folder, 'bin')
    await mkdir(bin)
    await writeFile(join(bin, 'npm'), `#!/bin/sh\n${script}\n`)
    await chmod(join(bin, 'npm'), 0o755)
    return { PATH: `${bin}:${process.env.PATH}` }
  }

  it('refuses a download with another checksum than the pinned one, and leaves no file', async () => {
    // The fourth argument is the folder to pack into.
    const env = await withNpm('echo "not the runtime" > "$4/runtime.tgz"')
    const cache = join(folder, 'cache')
    const outcome = await prepareClosedNetworkElectron({ env, folder: cache })
    expect(outcome.ok ? '' : outcome.reason).toMatch(/unexpected checksum .* It was not unpacked/)
    expect(await readdir(cache)).toEqual([])
  })

  it('gives npm’s error as the reason when npm fails', async () => {
    const env = await withNpm('echo "npm error code ENOTFOUND" >&2; exit 1')
    const outcome = await prepareClosedNetworkElectron({ env, folder: join(folder, 'cache') })
    expect(outcome.ok ? '' : outcome.reason).toMatch(/npm registry: npm error code ENOTFOUND\.$/)
  })
})
