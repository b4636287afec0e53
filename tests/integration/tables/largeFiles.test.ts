import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createTables } from '../../../src/main/app/tableThreads'
import { startLineWorker } from '../../../src/main/consignments/lines/lineWorker'
import { maxManifestLines } from '../../../src/shared/consignments'
import { buildWorker } from '../../support/builtWorker'
import { toCsv } from '../../support/manifests/lines'
import { temporaryFolder } from '../../support/temporaryFolder'
import { textCell, toWorkbook } from '../../support/workbooks'

const lines = 100_000
/** A longer pause of the main thread would noticeably delay a label. */
const maxPauseMs = 500

/** Runs work and expects that this thread is never blocked for long. The limit grows on a busy machine. */
async function expectUnblockedThread(work: () => Promise<unknown>): Promise<void> {
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

/** A workbook with a header row and `lines` rows. */
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

/** Milliseconds for a workbook of 100,000 lines: six seconds on an idle machine, over two minutes on one with a load of 30. */
const workbookMs = 300_000

describe('a large table file', () => {
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
  ] as const)(
    'of 100,000 lines is read as a manifest in %s without blocking the main thread',
    async (_kind, make) => {
      const worker = await lineWorker()
      const file = { fileName: 'lines', bytes: toBytes(make()) }
      await expectUnblockedThread(async () => {
        expect(await worker.call('readFile', file)).toMatchObject({ ok: true, value: { lines } })
      })
    },
    workbookMs,
  )

  it('of 200,001 lines is refused as a manifest', async () => {
    const worker = await lineWorker()
    const file = { fileName: 'lines.csv', bytes: toBytes(`parcelId\n${'P\n'.repeat(maxManifestLines + 1)}`) }
    expect(await worker.call('readFile', file)).toMatchObject({
      ok: false,
      error: { code: 'too-many-lines', detail: '200000' },
    })
  })

  it('of 100,000 lines is read as a catalogue without blocking the main thread', async () => {
    const file = toBytes(
      largeWorkbook(
        ['code', 'name', 'weight'],
        (row) =>
          `${textCell(`A${row}`, `C${row}`)}${textCell(`B${row}`, 'Book')}<c r="C${row}"><v>0.5</v></c>`,
      ),
    )
    await expectUnblockedThread(async () => {
      const read = await createTables(tableWorker).readCatalogue(file)
      expect(read.ok && read.value.products.length).toBe(lines)
    })
  })

  it('of 100,001 lines is refused as a catalogue', async () => {
    const file = toBytes(`code,name\n${'C,Book\n'.repeat(lines + 1)}`)
    expect(await createTables(tableWorker).readCatalogue(file)).toMatchObject({
      ok: false,
      error: { code: 'too-many-lines', detail: '100000' },
    })
  })

  it('of 20,000 products is written as a workbook without blocking the main thread', async () => {
    const products = Array.from({ length: 20_000 }, (_, index) => ({
      ...{ code: `C${index}`, name: 'Book', hsCode: '490199', countryOfOrigin: 'NL', weight: 0.5, price: 10 },
    }))
    const tables = createTables(tableWorker)
    await expectUnblockedThread(async () => {
      const file = await tables.writeCatalogue(products, 'xlsx')
      const read = await tables.readCatalogue(new Uint8Array(file).buffer)
      expect(read).toMatchObject({ ok: true, value: { products } })
    })
  })

  it('of 100,000 lines is read as orders completely and in order without blocking the main thread', async () => {
    const rows = Array.from({ length: lines }, (_, index) => `ORDER-${index};Zoë;Dorpsstraat ${index}`)
    const file = Buffer.from(['reference;name;street', '', ...rows].join('\n'))
    await expectUnblockedThread(async () => {
      const read = await createTables(tableWorker).readRows(file)
      if (!read.ok) throw new Error(read.error.code)
      expect(read.value.rows.map((row) => row.join(';')).slice(1)).toEqual(rows)
      expect(read.value.lineNumbers).toEqual([1, ...rows.map((_, index) => index + 3)])
    })
  })

  it('keeps which cells of a workbook are numbers', async () => {
    const rows = Array.from({ length: 600 }, (_, index) => {
      const row = index + 1
      return `<row r="${row}">${textCell(`A${row}`, `ORDER-${row}`)}<c r="D${row}"><v>453.592</v></c></row>`
    })
    const read = await createTables(tableWorker).readRows(toWorkbook(rows.join('')))
    expect(read.ok && read.value.rows.at(-1)).toEqual(['ORDER-600', '', '', '453.592'])
    expect(
      read.ok && read.value.numeric?.map((line) => [...line.keys()].filter((place) => line[place])),
    ).toEqual(rows.map(() => [3]))
  })

  it('of 100,000 lines is read as tracking codes without blocking the main thread, and codes beyond the limit are counted', async () => {
    const file = Buffer.from(Array.from({ length: lines }, (_, index) => `3S${index}`).join('\n'))
    await expectUnblockedThread(async () => {
      const read = await createTables(tableWorker).read('codes.txt', file)
      expect(read).toMatchObject({ ok: true, value: { tooMany: 50_000 } })
    })
  })
})
