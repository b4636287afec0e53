import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createTables } from '../../../src/main/app/tables'
import { startLineWorker } from '../../../src/main/consignments/lines/lineWorker'
import { maxManifestLines } from '../../../src/shared/consignments'
import { buildWorker } from '../../support/builtWorker'
import { toCsv } from '../../support/manifests/lines'
import { temporaryFolder } from '../../support/temporaryFolder'
import { textCell, toWorkbook } from '../../support/workbooks'

const lines = 100_000
/** Longer than this, a label that is ready would be seen to wait. */
const maxPauseMs = 500

/** Runs work, and checks that this thread could do something else all the while, on a busy machine too. */
async function whileFree(work: () => Promise<unknown>): Promise<void> {
  const start = performance.now()
  let last = start
  let longest = 0
  const beat = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(beat, 10)
  await work()
  clearInterval(timer)
  beat()
  expect(longest).toBeLessThan(Math.max(maxPauseMs, (last - start) / 2))
}

/** A workbook with a header row and that many lines. */
function largeWorkbook(header: readonly string[], toCells: (row: number) => string): Buffer {
  const top = header.map((name, column) => textCell(`${'ABCDEF'[column]}1`, name)).join('')
  const rows = Array.from(
    { length: lines },
    (_, index) => `<row r="${index + 2}">${toCells(index + 2)}</row>`,
  )
  return toWorkbook(`<row r="1">${top}</row>${rows.join('')}`)
}

function toBytes(content: string | Buffer): ArrayBuffer {
  return new Uint8Array(Buffer.from(content)).buffer
}

describe('a hundred thousand lines', () => {
  let tableWorker: URL
  let linesWorker: URL

  beforeAll(async () => {
    tableWorker = await buildWorker('tableWorker', 'src/main/app/tableWorker.ts')
    linesWorker = await buildWorker('linesWorker', 'src/main/consignments/lines/worker.ts')
  })

  async function lineWorker() {
    const worker = startLineWorker(linesWorker, await temporaryFolder(), () => undefined)
    onTestFinished(() => worker.close())
    return worker
  }

  it.each([
    ['CSV', () => Buffer.from(toCsv(lines))],
    [
      'XLSX',
      () =>
        largeWorkbook(
          ['parcelId', 'name', 'parcelWeight'],
          (row) =>
            `${textCell(`A${row}`, `P${row}`)}${textCell(`B${row}`, 'Zoë')}<c r="C${row}"><v>0.5</v></c>`,
        ),
    ],
  ] as const)('of a manifest in %s are read away from the main thread', async (_kind, make) => {
    const worker = await lineWorker()
    const file = { fileName: 'lines', bytes: toBytes(make()) }
    await whileFree(async () => {
      expect(await worker.call('readFile', file)).toMatchObject({ ok: true, value: { lines } })
    })
  })

  it('are no more than a manifest takes; past the most, the file is refused in one sentence', async () => {
    const worker = await lineWorker()
    const file = { fileName: 'lines.csv', bytes: toBytes(`parcelId\n${'P\n'.repeat(maxManifestLines + 1)}`) }
    expect(await worker.call('readFile', file)).toMatchObject({
      ok: false,
      error: { code: 'too-many-lines', detail: '200000' },
    })
  })

  it('of a catalogue are read away from the main thread', async () => {
    const file = toBytes(
      largeWorkbook(
        ['code', 'name', 'weight'],
        (row) =>
          `${textCell(`A${row}`, `C${row}`)}${textCell(`B${row}`, 'Book')}<c r="C${row}"><v>0.5</v></c>`,
      ),
    )
    await whileFree(async () => {
      const read = await createTables(tableWorker).readCatalogue(file)
      expect(read.ok && read.value.products.length).toBe(lines)
    })
  })

  it('of a catalogue and one more are refused in one sentence', async () => {
    const file = toBytes(`code,name\n${'C,Book\n'.repeat(lines + 1)}`)
    expect(await createTables(tableWorker).readCatalogue(file)).toMatchObject({
      ok: false,
      error: { code: 'too-many-lines', detail: '100000' },
    })
  })

  it('of orders are read away from the main thread, and come whole and in their order', async () => {
    const rows = Array.from({ length: lines }, (_, index) => `ORDER-${index};Zoë;Dorpsstraat ${index}`)
    const file = Buffer.from(['reference;name;street', ...rows].join('\n'))
    await whileFree(async () => {
      const read = await createTables(tableWorker).readRows(file)
      if (!read.ok) throw new Error(read.error.code)
      expect(read.value.rows.map((row) => row.join(';')).slice(1)).toEqual(rows)
    })
  })

  it('of tracking codes are read away from the main thread, and those past the most are counted', async () => {
    const file = Buffer.from(Array.from({ length: lines }, (_, index) => `3S${index}`).join('\n'))
    await whileFree(async () => {
      const read = await createTables(tableWorker).read('codes.txt', file)
      expect(read).toMatchObject({ ok: true, value: { tooMany: 50_000 } })
    })
  })
})
