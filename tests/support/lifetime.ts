import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll, onTestFailed, onTestFinished } from 'vitest'

type Ending = () => unknown

/** The release functions of the shared resource that is being created; undefined outside of `sharedByTests`. */
const shared = new AsyncLocalStorage<Ending[]>()

/** Releases a resource with the test that created it or, if shared, with its last test. */
export function endWithTest(end: Ending): void {
  const endings = shared.getStore()
  if (endings === undefined) onTestFinished(async () => void (await end()))
  else endings.push(end)
}

/** A resource that several tests share, and the function that resets it for the next test. */
interface Shared<T> {
  made: T
  renew(): Promise<void>
}

/**
 * Makes a resource once for the tests of a file or of a `describe`, and releases it after the last of them. After a failed test
 * the next test, or the retry, gets a new one.
 */
export function sharedByTests<T>(make: () => Promise<Shared<T>>): () => Promise<T> {
  let kept: Shared<T> | undefined
  let endings: Ending[] = []
  const end = async () => {
    const ended = endings
    kept = undefined
    endings = []
    for (const each of ended.reverse()) await each()
  }
  afterAll(end)
  return async () => {
    onTestFailed(end)
    if (kept === undefined) kept = await shared.run(endings, make)
    else await kept.renew()
    return kept.made
  }
}
