import { describe, expect, it } from 'vitest'
import { run } from '../../../build/processes.mjs'

describe('run', () => {
  it('gives the exit code and what was printed', async () => {
    const script = "console.log('out'); console.error('err'); process.exit(3)"
    const ended = await run(process.execPath, ['-e', script])
    expect(ended).toMatchObject({ code: 3, stdout: 'out\n' })
    expect(ended.output).toContain('err')
  })

  it('ends what takes too long, and what is not wanted any more', async () => {
    const endless = ['-e', 'setInterval(() => 0, 1000)']
    expect((await run(process.execPath, endless, { limitMs: 50 })).code).toBe(124)
    expect((await run(process.execPath, endless, { stop: AbortSignal.timeout(50) })).code).toBe(124)
  })

  it('returns 127 for a program that does not exist', async () => {
    expect((await run('packbench-no-such-program', [])).code).toBe(127)
  })
})
