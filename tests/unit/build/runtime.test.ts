import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { markerName, notice } from '../../../build/closedNetworkRuntime.mjs'
import { runtimeForRealUse } from '../../../build/runtime.mjs'

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packbench-runtime-test-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

describe('runtimeForRealUse', () => {
  it('refuses the unofficial build when ELECTRON_OVERRIDE_DIST_PATH names it', async () => {
    await writeFile(join(folder, markerName), notice)
    const outcome = await runtimeForRealUse({ ELECTRON_OVERRIDE_DIST_PATH: folder })
    expect(outcome.ok ? '' : outcome.reason).toMatch(/unofficial build/)
  })

  it('reports that ELECTRON_OVERRIDE_DIST_PATH names a folder without Electron', async () => {
    const outcome = await runtimeForRealUse({ ELECTRON_OVERRIDE_DIST_PATH: folder })
    expect(outcome.ok ? '' : outcome.reason).toMatch(/ELECTRON_OVERRIDE_DIST_PATH names no working Electron/)
  })
})
