import { describe, expect, it } from 'vitest'
import { readCsv } from '../../../src/main/hotFolder/orderLines'

function rows(text: string): unknown[] {
  const read = readCsv(text)
  if (!read.ok) throw new Error(read.error.problem)
  return read.value.map((row) => (row.ok ? row.value : row.error.problem))
}

describe('readCsv', () => {
  const expected = [
    { reference: 'A', city: 'Utrecht' },
    { reference: 'B', city: 'Den Haag' },
  ]

  it.each([
    ['commas', 'reference,city\nA,Utrecht\nB,Den Haag\n'],
    ['semicolons', 'reference;city\nA;Utrecht\nB;Den Haag\n'],
    ['CRLF', 'reference,city\r\nA,Utrecht\r\nB,Den Haag\r\n'],
    ['CR', 'reference,city\rA,Utrecht\rB,Den Haag'],
    ['mixed line ends', 'reference,city\r\nA,Utrecht\nB,Den Haag\r\n'],
    ['no line end at the end', 'reference,city\nA,Utrecht\nB,Den Haag'],
    ['quotes', '"reference","city"\n"A","Utrecht"\nB,"Den Haag"\n'],
    ['empty rows', '\nreference,city\n\nA,Utrecht\n,\n  \nB,Den Haag\n\n'],
    ['blanks around names', ' reference , city\nA,Utrecht\nB,Den Haag\n'],
    ['one row of quotes and CRLF', '"reference";"city"\r\n"A";"Utrecht"\r\n"B";"Den Haag"\r\n'],
  ])('reads rows with %s', (_, text) => {
    expect(rows(text)).toEqual(expected)
  })

  it('keeps separators, quotes and line breaks inside quotes', () => {
    expect(rows('reference,content\nA,"cups, ""fine"" ones; two\r\nlayers"\n')).toEqual([
      { reference: 'A', content: 'cups, "fine" ones; two\nlayers' },
    ])
    expect(rows('reference;content\nA;cups, plates\n')).toEqual([{ reference: 'A', content: 'cups, plates' }])
  })

  it('refuses rows with a wrong number of values and reads the others', () => {
    expect(rows('reference,city\nA,Utrecht\nB\nC,Delft,x\nD,Ede')).toEqual([
      { reference: 'A', city: 'Utrecht' },
      'the row has 1 values and the header row names 2 columns',
      'the row has 3 values and the header row names 2 columns',
      { reference: 'D', city: 'Ede' },
    ])
  })

  it.each([
    ['reference,,city\nA,B,C', 'column 2 of the header row has no name'],
    ['reference,city,reference\nA,B,C', 'the header row names the column “reference” twice'],
    ['reference,city\nA,Utrecht\n"B,Den Haag\nC,Ede\n', 'the quotes near line 3 are not closed'],
  ])('refuses the whole table %j because %s', (text, words) => {
    const read = readCsv(text)
    expect(read.ok ? '' : read.error.problem).toContain(words)
  })

  it('refuses a blank file, and returns no rows for a header row alone', () => {
    expect(readCsv(' \n;\n').ok).toBe(false)
    expect(rows('reference,city\n')).toEqual([])
  })
})
