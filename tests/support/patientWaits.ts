import { vi } from 'vitest'

/** A busy machine can need more than the one second after which `vi.waitFor` fails, and no setting of Vitest changes that. */
const maxWaitMs = 20_000

// Files of a project share their process, and with it what the first one has replaced.
const mark = Symbol.for('packbench.patientWaits')
if (!Reflect.has(vi, mark)) {
  Reflect.set(vi, mark, true)
  const { waitFor } = vi
  vi.waitFor = (callback, options) =>
    waitFor(callback, typeof options === 'number' ? options : { timeout: maxWaitMs, ...options })
}
