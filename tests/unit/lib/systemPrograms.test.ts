import { mkdirSync, writeFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { findSystemProgram, runProgram } from '../../../src/main/lib/programs'
import { temporaryFolder } from '../../support/temporaryFolder'

describe('programs of the system', () => {
  it.runIf(process.platform !== 'win32')(
    'are found in the first folder that contains an executable of that name',
    async () => {
      const root = await temporaryFolder()
      const folders = ['none', 'text', 'program'].map((name) => join(root, name))
      for (const folder of folders.slice(1)) mkdirSync(folder)
      writeFileSync(join(root, 'text', 'lp'), 'no program', { mode: 0o644 })
      writeFileSync(join(root, 'program', 'lp'), '#!/bin/sh\n', { mode: 0o755 })
      expect(findSystemProgram('lp', folders)).toBe(join(root, 'program', 'lp'))
      expect(findSystemProgram('lpstat', folders)).toBe(join(root, 'none', 'lpstat'))
    },
  )

  it('are never searched in the folders of PATH', async () => {
    const folder = await temporaryFolder()
    writeFileSync(join(folder, 'lp'), '#!/bin/sh\necho started\n', { mode: 0o755 })
    vi.stubEnv('PATH', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await runProgram('lp', [], { timeoutMs: 1000 })).toEqual({ kind: 'missing' })
    expect(findSystemProgram('lp')).not.toContain(folder)
  })

  it('are never searched in the working directory', async () => {
    const folder = await temporaryFolder()
    writeFileSync(join(folder, 'lp'), '#!/bin/sh\necho started\n', { mode: 0o755 })
    const before = process.cwd()
    process.chdir(folder)
    onTestFinished(() => process.chdir(before))
    for (const name of ['lp', './lp']) {
      expect(await runProgram(name, [], { timeoutMs: 1000 })).toEqual({ kind: 'missing' })
    }
    if (process.platform !== 'win32') {
      expect(await runProgram(join(folder, 'lp'), [], { timeoutMs: 5000 })).toMatchObject({ kind: 'success' })
    }
    const found = findSystemProgram('lp')
    expect(isAbsolute(found)).toBe(true)
    expect(found).not.toContain(folder)
  })
})
