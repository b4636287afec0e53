import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { pathToFileURL } from 'node:url'
import Papa from 'papaparse'
import { LineSheet } from '../../src/main/consignments/lines/lineSheet'
import { guessMapping, toLines } from '../../src/main/consignments/lines/lineTable'
import { startLineWorker } from '../../src/main/consignments/lines/lineWorker'
import { readTable } from '../../src/main/tables/readTable'
import { toCsv } from '../support/manifests/lines'
import type { Figure, Parts } from './bench'
import { measureScreen } from './manifestScreen'

const lines = 20_000
const rounds = 12
const number = '074-12345675'

/** The milliseconds of the fastest round of each work. The works run in turn, so that other load of the machine affects all. */
async function fastest(works: readonly (() => unknown)[]): Promise<number[]> {
  const best = works.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, work] of works.entries()) {
      const start = performance.now()
      await work()
      best[index] = Math.min(best[index] ?? 0, performance.now() - start)
    }
  }
  return best
}

/** A manifest of 20,000 lines in main and in the window. */
export const parts: Parts = {
  lines: measureLines,
  screen: () => measureScreen(lines),
}

/** Import, check and request body of a manifest, compared with the CSV parser alone on the same file. */
async function* measureLines(): AsyncGenerator<Figure> {
  const text = toCsv(lines)
  const bytes = Buffer.from(text)
  const importWhole = async () => {
    const table = await readTable(bytes)
    if (!table.ok) throw new Error(table.error.words)
    const mapping = guessMapping(table.value.rows[0] ?? [])
    const taken = toLines(table.value, mapping, 'automatic', number)
    if (!taken.ok) throw new Error(taken.error.text)
    const sheet = new LineSheet(taken.value, number)
    sheet.check()
    if (sheet.summary().errors > 0) throw new Error('The lines have errors.')
    sheet.body()
  }
  const [parser = 0, whole = 0] = await fastest([() => Papa.parse<string[]>(text), importWhole])
  yield {
    name: `${lines} lines read, mapped, checked and made a body`,
    ...{ value: roundToTenth(whole), unit: 'ms', atMost: 3 },
    reference: { name: 'papaparse alone', value: parser },
  }
  yield* await measureMainStall(bytes)
}

/** The longest stall of the main thread while the built worker does the same work. */
async function measureMainStall(bytes: Buffer): Promise<Figure[]> {
  const script = join(process.cwd(), 'out', 'main', 'linesWorker.js')
  const folder = await mkdtemp(join(tmpdir(), 'packbench-bench-'))
  const worker = startLineWorker(pathToFileURL(script), folder, () => undefined)
  const of = { manifestId: crypto.randomUUID(), airWaybillNumber: number }
  await worker.call('open', of)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const start = performance.now()
  const read = await worker.call('readFile', { fileName: 'lines.csv', bytes: new Uint8Array(bytes).buffer })
  if (!read.ok) throw new Error(read.error.words)
  const { importId, mapping } = read.value
  await worker.call('takeFile', { ...of, importId, mapping, decimalMark: 'automatic', replace: true })
  await worker.call('prepare', of)
  const took = performance.now() - start
  delay.disable()
  await worker.close()
  await rm(folder, { recursive: true })
  return [
    { name: 'the same in the thread, stored too', value: roundToTenth(took), unit: 'ms' },
    {
      name: 'longest stall of the main thread meanwhile',
      value: roundToTenth(delay.max / 1e6),
      unit: 'ms',
      atMost: 50,
    },
  ]
}

function roundToTenth(value: number): number {
  return Math.round(value * 10) / 10
}
