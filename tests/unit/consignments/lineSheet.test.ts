import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toBody } from '../../../src/main/consignments/lines/body'
import { LineSheet } from '../../../src/main/consignments/lines/lineSheet'
import { type LineEdit, manifestFields, maxManifestLines, toPosition } from '../../../src/shared/consignments'
import { createInlineLineWorker } from '../../support/inlineLineWorker'
import { aLine } from '../../support/manifests/lines'
import { temporaryFolder } from '../../support/temporaryFolder'

const number = '074-12345675'
const name = toPosition('name')

function names(sheet: LineSheet): (string | undefined)[] {
  return sheet.rows.map((row) => row[name])
}

function threeLines(): LineSheet {
  return new LineSheet(
    ['A', 'B', 'C'].map((each) => aLine({ name: each, parcelId: each })),
    number,
  )
}

describe('edits of a sheet', () => {
  it('paste a block and append the lines that it needs', () => {
    const sheet = threeLines()
    sheet.edit({
      kind: 'put',
      row: 2,
      column: name,
      values: [
        ['X', 'Street'],
        ['Y', 'Road'],
      ],
    })
    expect(names(sheet)).toEqual(['A', 'B', 'X', 'Y'])
    expect(sheet.rows[3]?.slice(0, 2)).toEqual(['AWB', number])
    sheet.undo()
    expect(names(sheet)).toEqual(['A', 'B', 'C'])
    sheet.redo()
    expect(names(sheet)).toEqual(['A', 'B', 'X', 'Y'])
  })

  it('fill down, clear, insert and remove, and can all be undone', () => {
    const sheet = threeLines()
    sheet.edit({ kind: 'fill', from: 0, to: 2, left: name, right: name })
    expect(names(sheet)).toEqual(['A', 'A', 'A'])
    sheet.edit({ kind: 'clear', from: 1, to: 1, left: name, right: name })
    expect(names(sheet)).toEqual(['A', '', 'A'])
    sheet.edit({ kind: 'insert', at: 1, count: 1 })
    expect(names(sheet)).toEqual(['A', '', '', 'A'])
    sheet.edit({ kind: 'remove', from: 0, to: 1 })
    expect(names(sheet)).toEqual(['', 'A'])
    for (let step = 0; step < 4; step += 1) sheet.undo()
    expect(names(sheet)).toEqual(['A', 'B', 'C'])
    expect(sheet.summary()).toMatchObject({ canUndo: false, canRedo: true })
  })

  it('drop pasted values beyond the last column', () => {
    const sheet = threeLines()
    sheet.edit({ kind: 'put', row: 0, column: manifestFields.length - 1, values: [['9', 'lost']] })
    expect(sheet.rows[0]).toHaveLength(manifestFields.length)
  })

  it('undo the import of 150,000 lines in one step', () => {
    const sheet = threeLines()
    const many = Array.from({ length: 150_000 }, (_, index) => aLine({ parcelId: `P${index}` }))
    sheet.take(many, true)
    expect(sheet.rows).toHaveLength(150_000)
    sheet.undo()
    expect(names(sheet)).toEqual(['A', 'B', 'C'])
  })
})

it('a full manifest takes no further lines from a file, from shipments or from the grid, and can still be edited and replaced', async () => {
  const key = { manifestId: randomUUID(), airWaybillNumber: number }
  const worker = createInlineLineWorker(await temporaryFolder(), () => undefined)
  onTestFinished(() => worker.close())
  const take = async (lines: number, replace: boolean) => {
    const bytes = new Uint8Array(Buffer.from(`name\n${'X\n'.repeat(lines)}`)).buffer
    const read = await worker.call('readFile', { fileName: 'lines.csv', bytes })
    if (!read.ok) throw new Error(read.error.words)
    const { importId } = read.value
    return worker.call('takeFile', {
      ...key,
      importId,
      mapping: { name: 0 },
      decimalMark: 'automatic',
      replace,
    })
  }
  const edit = (edit: LineEdit) => worker.call('edit', { ...key, edit })
  const full = { ok: false, error: { kind: 'too-many-lines' } }
  expect(await take(maxManifestLines - 1, false)).toMatchObject({ ok: true })
  expect(await take(2, false)).toEqual(full)
  expect(await take(1, false)).toMatchObject({ ok: true, value: { summary: { lines: maxManifestLines } } })
  const shipments = [[aLine({ parcelId: 'P1' })]]
  expect(await worker.call('add', { ...key, shipments })).toEqual(full)
  expect(await edit({ kind: 'insert', at: 0, count: 1 })).toEqual(full)
  const put = (row: number) => edit({ kind: 'put', row, column: name, values: [['Y']] })
  expect(await put(maxManifestLines)).toEqual(full)
  expect(await put(maxManifestLines - 1)).toMatchObject({ ok: true })
  expect(await edit({ kind: 'remove', from: 0, to: 0 })).toMatchObject({ ok: true })
  expect(await worker.call('add', { ...key, shipments })).toMatchObject({ ok: true, value: { added: 1 } })
  expect(await take(2, true)).toMatchObject({ ok: true, value: { summary: { lines: 2 } } })
}, 120_000)

describe('finding text in a sheet', () => {
  it('starts at a position, wraps around at the end, and ignores case', () => {
    const sheet = threeLines()
    sheet.edit({ kind: 'put', row: 1, column: name, values: [['Rare Name']] })
    const place = { row: 1, column: name }
    expect(sheet.find('rare', 0, 0)).toEqual(place)
    expect(sheet.find('RARE', 2, 5)).toEqual(place)
    expect(sheet.find('rare', place.row, place.column)).toEqual(place)
  })

  it('returns null when no cell contains the text', () => {
    expect(threeLines().find('nowhere to be found', 0, 0)).toBeNull()
  })
})

describe('the checks of a sheet', () => {
  it('count errors and advice, list errors first, and give the issues of a page of lines', () => {
    const sheet = new LineSheet([aLine(), aLine({ parcelId: 'P2', country: 'NLD', currency: '' })], number)
    sheet.check()
    expect(sheet.summary()).toMatchObject({
      errors: 1,
      advice: 1,
      totals: { parcels: 2, packages: 1, parcelWeight: 1.2 },
    })
    expect(sheet.issues(0, 1)).toMatchObject([{ row: 1, code: 'country' }])
    expect(sheet.page(0, 1).issues).toEqual([])
    expect(sheet.page(1, 1).issues).toHaveLength(2)
  })
})

describe('the request body of a manifest', () => {
  it('is an array of objects with the 29 fields in order and the unchanged text of each cell', () => {
    const lines = [aLine({ itemPrice: '12.500', name: 'Zoë "Z" \\ 李' }), aLine({ parcelId: '007' })]
    const text = Buffer.from(toBody(lines)).toString()
    const parsed: Record<string, string>[] = JSON.parse(text)
    expect(parsed.map((line) => Object.keys(line))).toEqual([[...manifestFields], [...manifestFields]])
    expect(parsed.map((line) => Object.values(line))).toEqual(lines)
  })

  it('is complete for 4,001 lines with long values', () => {
    const lines = Array.from({ length: 4_001 }, (_, index) =>
      aLine({ parcelId: String(index), content: index % 1_000 === 0 ? 'ÿ"李\u0001'.repeat(5_000) : 'Book' }),
    )
    const parsed: Record<string, string>[] = JSON.parse(Buffer.from(toBody(lines)).toString())
    expect(parsed.map((line) => Object.values(line))).toEqual(lines)
  })

  it('equals the output of JSON.stringify, whichever cells equal those of the previous line', () => {
    const cell = fc.constantFrom('', 'A', 'Book', 'Zoë "Z" \\ 李', 'x'.repeat(300))
    const changes = fc.array(fc.tuple(fc.nat(manifestFields.length - 1), cell), { maxLength: 6 })
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 30 }), (lines) => {
        const row = aLine()
        const rows = lines.map((each) => {
          for (const [column, text] of each) row[column] = text
          return [...row]
        })
        const objects = rows.map((each) =>
          Object.fromEntries(manifestFields.map((field, column) => [field, each[column]])),
        )
        expect(Buffer.from(toBody(rows)).toString()).toBe(JSON.stringify(objects))
      }),
    )
  })

  it('is an empty array for no lines', () => {
    expect(Buffer.from(toBody([])).toString()).toBe('[]')
  })
})
