import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'

/** One measured figure; `limit` is what it is meant to stay at or below. */
export interface Figure {
  name: string
  value: number
  unit: string
  limit?: number
  note?: string
}

const started = z.object({ baseUrl: z.string() })

/**
 * A simulator in a process of its own.
 * @param answerMs how long each bulk tracking answer waits, as a service across a network does
 */
export async function simulatorProcess(answerMs = 0): Promise<{ baseUrl: string; stop(): void }> {
  const child = fork(join(import.meta.dirname, 'simulatorProcess.mjs'), [String(answerMs)])
  const [message] = await once(child, 'message')
  return { baseUrl: started.parse(message).baseUrl, stop: () => child.kill() }
}

/** Runs something in a folder that is removed afterwards. */
export async function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'packbench-bench-'))
  try {
    return await run(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The value below which a part of the values lies: 0.5 for the median, 0.95 for p95. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Rounded to two decimals, for print. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}
