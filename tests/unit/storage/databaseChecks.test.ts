import { constants } from 'node:os'
import { describe, expect, it, vi } from 'vitest'
import { checkDatabase, type DatabaseProcess } from '../../../src/main/storage/databaseChecks'

/** A checking process that ends like this, run after run. */
function processEnding(...ends: Awaited<ReturnType<DatabaseProcess>>[]) {
  return vi.fn<DatabaseProcess>(async () => ends.shift() ?? { output: '', code: 0 })
}

const never = new AbortController().signal
const { SIGABRT, SIGKILL, SIGSEGV, SIGTERM } = constants.signals

describe('checkDatabase', () => {
  it.each([SIGKILL, SIGTERM, 1, null])(
    'does not call a database damaged whose checking process ended with code %s, as when it was killed',
    async (code) => {
      const run = processEnding({ output: '', code })
      expect(await checkDatabase(run, '/packbench.db', never)).toEqual({
        kind: 'not-checked',
        reason: `the process that read it ended with code ${code ?? 'unknown'}`,
      })
    },
  )

  it.each([SIGABRT, SIGSEGV, 0xc0000409, -1073741819])(
    'calls a database damaged whose checking process crashed twice with code %s',
    async (code) => {
      const run = processEnding({ output: '', code }, { output: '', code })
      expect(await checkDatabase(run, '/packbench.db', never)).toMatchObject({ kind: 'damaged' })
      expect(run).toHaveBeenCalledTimes(2)
    },
  )

  it('takes the result of the second process when the first one crashed', async () => {
    const run = processEnding(
      { output: '', code: SIGSEGV },
      { output: '{"kind":"sound","shipments":3}\n', code: SIGTERM },
    )
    expect(await checkDatabase(run, '/packbench.db', never)).toEqual({ kind: 'sound', shipments: 3 })
  })
})
