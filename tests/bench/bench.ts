import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Figure } from '../../build/benchReport.mjs'
import type { Fault } from '../../src/simulator/faults'
import type { Operation } from '../../src/simulator/route'
import { listenOnLoopback } from '../support/loopback'

export type { Figure }

/** The parts of a suite that can be measured separately, each in less than three minutes. They yield figures as they are measured. */
export type Parts = Readonly<Record<string, () => AsyncIterable<Figure>>>

const started = z.object({ baseUrl: z.string() })

/**
 * Starts a simulator in a separate process.
 * @param faults faults of all answers by operation, such as `slow` for a service across a network
 */
export async function simulatorProcess(
  faults: Partial<Record<Operation, Fault>> = {},
): Promise<{ baseUrl: string; stop(): void }> {
  const child = fork(join(import.meta.dirname, 'simulatorProcess.mjs'), [JSON.stringify(faults)])
  const [message] = await once(child, 'message')
  return { baseUrl: started.parse(message).baseUrl, stop: () => child.kill() }
}

/** Runs a function with a temporary folder that is removed afterwards. */
export async function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'packbench-bench-'))
  try {
    return await run(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Listens on a free port of 127.0.0.1. `close` also ends open connections. */
export async function listen(
  behave: (socket: Socket) => void,
): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    behave(socket)
  })
  const port = await listenOnLoopback(server)
  return {
    port,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The quantile of the values: `part` is 0.5 for the median, 0.95 for p95. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Rounds to two decimals, for output. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** The duration of some work in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/**
 * Runs several works in turn, so that other load of the machine affects all of them.
 * @param rounds number of measured rounds, after one warm-up round
 * @returns a function that returns a quantile of a work's durations in milliseconds, by its name; the median by default
 */
export async function alternate<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<(name: Name, part?: number) => number> {
  const times = new Map<string, number[]>()
  for (let turn = -1; turn < rounds; turn += 1) {
    for (const [name, work] of Object.entries<() => Promise<unknown>>(works)) {
      const took = await timed(work)
      if (turn >= 0) times.set(name, [...(times.get(name) ?? []), took])
    }
  }
  return (name, part = 0.5) => quantile(times.get(name) ?? [], part)
}
