import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { readFigure } from '../../build/benchReport.mjs'
import { buildWorker } from '../support/builtWorker'
import { databaseWorker } from '../support/databaseWorker'
import type { Figure, Parts } from './bench'

/** The time that the fleet's shared database adds. */
export const parts: Parts = {
  claims: () => measure('claims'),
  stations: () => measure('stations'),
  lag: () => measure('lag'),
  search: () => measure('search'),
}

/** Measures in a separate process, which alone loads the PostgreSQL client. */
async function* measure(part: string): AsyncGenerator<Figure> {
  const script = fileURLToPath(await buildWorker('fleetWork', 'tests/bench/fleetWork.ts'))
  const child = spawn(process.execPath, [script, String(await databaseWorker()), part], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  for await (const line of createInterface(child.stdout)) yield readFigure(line)
  const [code] = await ended
  if (code !== 0) throw new Error(`the bench of the fleet ended with ${String(code)}`)
}
