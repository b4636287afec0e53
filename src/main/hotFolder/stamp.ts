import type { BigIntStats } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'

/** What changes when somebody writes to a file or puts another in its place. */
export function stampOf(stats: BigIntStats): string {
  return `${stats.ino}:${stats.size}:${stats.mtimeNs}`
}

/**
 * Reads a file once nobody is writing to it any more.
 * @param expected its stamp when it was last seen at rest; undefined when it has not been looked at
 * @param limit largest size in bytes that is read
 * @param wait waits as long as a file must be at rest; false gives up
 * @returns the bytes, or 'too-large', and the stamp of what was read; undefined when `wait` gave up
 */
export async function readAtRest(
  path: string,
  expected: string | undefined,
  limit: number,
  wait: () => Promise<boolean>,
): Promise<{ content: Buffer | 'too-large'; stamp: string } | undefined> {
  let atRest = expected
  for (;;) {
    const before = await stat(path, { bigint: true })
    if (stampOf(before) === atRest) {
      if (before.size > BigInt(limit)) return { content: 'too-large', stamp: atRest }
      const content = await readFile(path)
      const after = await stat(path, { bigint: true })
      if (stampOf(after) === atRest && BigInt(content.length) === after.size)
        return { content, stamp: atRest }
    }
    atRest = stampOf(before)
    if (!(await wait())) return undefined
  }
}
