import { describe, expect, it } from 'vitest'
import { run } from '../../../build/processes.mjs'

describe('run', () => {
  it('returns the exit code and the output of the program', async () => {
    const script = "console.log('out'); console.error('err'); process.exit(3)"
    const ended = await run(process.execPath, ['-e', script])
    expect(ended).toMatchObject({ code: 3, stdout: 'out\n' })
    expect(ended.output).toContain('err')
  })

  it('ends a program after its time limit or on a stop signal, and returns 124', async () => {
    const endless = ['-e', 'setInterval(() => 0, 1000)']
    expect((await run(process.execPath, endless, { limitMs: 50 })).code).toBe(124)
    expect((await run(process.execPath, endless, { stop: AbortSignal.timeout(50) })).code).toBe(124)
  })

  it('returns 127 for a program that does not exist', async () => {
    expect((await run('packbench-no-such-program', [])).code).toBe(127)
  })
})
