import Papa from 'papaparse'
import { readSheet } from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import writeExcelFile from 'write-excel-file/node'
import { guessMapping, toLines, writeLines } from '../../../src/main/consignments/lines/lineTable'
import { decodeText } from '../../../src/main/lib/decodeText'
import { headerKey, readTable, type Table } from '../../../src/main/tables/readTable'
import { toPosition } from '../../../src/shared/consignments'
import { aLine } from '../../support/manifests/lines'

async function read(bytes: Uint8Array): Promise<Table> {
  const table = await readTable(bytes)
  if (!table.ok) throw new Error(table.error.words)
  return table.value
}

async function rows(text: string): Promise<string[][]> {
  return (await read(Buffer.from(text))).rows
}

describe('decodeText', () => {
  it.each([
    ['UTF-8', Buffer.from('naïve €')],
    ['UTF-8', Buffer.from('\ufeffnaïve €')],
    ['UTF-16', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('naïve €', 'utf16le')])],
    ['UTF-16', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from('naïve €', 'utf16le').swap16()])],
    ['Windows-1252', Buffer.from([0x6e, 0x61, 0xef, 0x76, 0x65, 0x20, 0x80])],
  ])('recognises the encoding %s (#%#)', (encoding, bytes) => {
    expect(decodeText(bytes)).toEqual({ text: 'naïve €', encoding })
  })

  const cut = Buffer.from([0xc3])

  it.each([
    ['UTF-8', 'Jürgen Hö\uFFFD;Köln', Buffer.concat([Buffer.from('Jürgen Hö'), cut, Buffer.from(';Köln')])],
    ['UTF-8', 'Gro\uFFFD', Buffer.concat([Buffer.from('\ufeffGro'), cut])],
    ['Windows-1252', 'Größe;CAFÉ’S;Ö', Buffer.from('Größe;CAFÉ\x92S;Ö', 'latin1')],
    ['Windows-1252', 'GroÃ', Buffer.concat([Buffer.from('Gro'), cut])],
  ])('recognises %s in a text with a cut-off letter or without one: «%s»', (encoding, text, bytes) => {
    expect(decodeText(bytes)).toEqual({ text, encoding })
  })
})

describe('reading CSV', () => {
  it('accepts semicolons, tabs, a «sep=» line, quotes, separators and line breaks in cells, and any line ends', async () => {
    expect(await rows('a;"b;c"\r\n"x\ny";"say ""hi"", please"\r\n')).toEqual([
      ['a', 'b;c'],
      ['x\ny', 'say "hi", please'],
    ])
    expect(await rows('a\tb\r1\t2')).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ])
    expect(await rows('sep=;\r\na;b\r\n1;2,5')).toEqual([
      ['a', 'b'],
      ['1', '2,5'],
    ])
  })

  it('separates copied cells at tabs whatever else they contain, and not at tabs that only end cells', async () => {
    expect(await rows('1\tJansen, Jan\tDam 1,Delft,,2611 AB\n2\tx\t"y;z"\n')).toEqual([
      ['1', 'Jansen, Jan', 'Dam 1,Delft,,2611 AB'],
      ['2', 'x', 'y;z'],
    ])
    expect(await rows('"a, b"\t"c, d"\n1\t2\n')).toEqual([
      ['a, b', 'c, d'],
      ['1', '2'],
    ])
    expect(await rows('a\t,"b\tx",c\t\n1\t,2,3\t\n')).toEqual([
      ['a\t', 'b\tx', 'c\t'],
      ['1\t', '2', '3\t'],
    ])
  })

  it.each([
    ['a header that ends in CRLF and rows that end in LF', 'a;b\r\n1;2\n3;4\n"5\n6";7\n'],
    ['a header that ends in LF and rows that end in CRLF', 'a;b\n1;2\r\n3;4\r\n"5\r\n6";7\r\n'],
    ['a header that ends in CR and rows that end in CRLF', 'a;b\r1;2\r\n3;4\r\n"5\r6";7\r\n'],
    ['a «sep=» line and rows that end in CR', 'sep=;\ra;b\r1;2\r3;4\r"5\r6";7'],
  ])('keeps every row of %s', async (_, text) => {
    expect(await rows(text)).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
      ['5\n6', '7'],
    ])
  })

  it('returns digits that a spreadsheet wrote as a formula as text', async () => {
    const text = ['hsCode;quantity;=x', '="004901";"=""007""";=1+1', ''].join('\r\n')
    expect(await rows(text)).toEqual([
      ['hsCode', 'quantity', '=x'],
      ['004901', '007', '=1+1'],
    ])
  })

  it('numbers lines as spreadsheet programs do, with rows without a value', async () => {
    expect(await read(Buffer.from('sep=;\na;b\n\n;\n"1\n2";3\n4;5\n'))).toMatchObject({
      ...{
        rows: [
          ['a', 'b'],
          ['1\n2', '3'],
          ['4', '5'],
        ],
        lineNumbers: [1, 4, 5],
      },
    })
  })

  it('reports the line in which quotes are not closed', async () => {
    expect(await readTable(Buffer.from('a,b\n1,"2'))).toMatchObject({
      ok: false,
      error: { code: 'open-quotes', detail: '2' },
    })
  })
})

describe('reading a file of lines', () => {
  it.each([
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0])],
    ['an old XLS', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 1, 2, 3])],
    ['a broken XLSX', Buffer.from([0x50, 0x4b, 3, 4, 9, 9, 9])],
    ['an empty file', Buffer.alloc(0)],
    ['a header alone', Buffer.from('a,b\n')],
  ])('refuses %s', async (_, bytes) => {
    const table = await readTable(bytes)
    expect(table.ok).toBe(false)
  })

  it('returns numbers, dates, codes and long numbers of XLSX as text', async () => {
    const bytes = await writeExcelFile([
      [{ value: 'hsCode' }, { value: 'weight' }, { value: 'day' }, { value: 'parcel' }],
      [
        { value: 10121, type: Number },
        { value: 0.1 + 0.2, type: Number },
        { value: new Date(Date.UTC(2026, 11, 24)), type: Date, format: 'dd-mm-yyyy' },
        { value: 340432880000000, type: Number },
      ],
      [{ value: '010121', type: String }, null, null, { value: '=1+1', type: String }],
    ]).toBuffer()
    const table = await read(bytes)
    expect(table.rows[1]).toEqual(['10121', '0.3', '2026-12-24', '340432880000000'])
    expect(table.rows[2]?.[0]).toBe('010121')
    expect(table.numeric?.[1]?.[0]).toBe(true)
  })

  it('returns the lines of a file that Packbench saved unchanged', async () => {
    const lines = [
      aLine({ hsCode: '010121', name: 'Zoë; "the" first\nline', phone: '+31 (0)10-123' }),
      aLine({ parcelId: '00123', name: "d'Arc", content: "'t Hooft", phone: '-12' }),
      aLine({ name: '=1+1', address: '@SUM(A1)', address2: "'=1+1", city: "''", content: '="00123"' }),
      aLine({ name: '＝1', address: '-2+3+cmd|x', address2: "''+1", city: "'" }),
      aLine({ name: "A, '-1", address: "A, '=1", address2: 'A;=1', city: "A\n''+x", content: '12,-; +5 %' }),
    ]
    for (const kind of ['csv', 'xlsx'] as const) {
      const table = await read(await writeLines(lines, kind))
      const mapping = guessMapping(table.rows[0] ?? [])
      expect(toLines(table, mapping, 'automatic', '074-12345675')).toEqual({ ok: true, value: lines })
    }
  })
})

it('a file that writes the number of the air waybill in another way gets that of the page', async () => {
  const numbers = ['07412345675', '074-1234 5675', '', '074-12345686', '2026-1-11']
  const table = await read(Buffer.from(`awb;box\n${numbers.map((each) => `${each};1`).join('\n')}\n`))
  const lines = toLines(table, { transportNumber: 0 }, 'automatic', '074-12345675')
  if (!lines.ok) throw new Error(lines.error.kind)
  expect(lines.value.map((row) => row[toPosition('transportNumber')])).toEqual([
    ...['074-12345675', '074-12345675', '074-12345675', '074-12345686', '2026-1-11'],
  ])
})

describe('an export of lines', () => {
  const formulas = ['=HYPERLINK("http://x")', '+1+cmd', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1+1']
  const lines = formulas.map((content) => aLine({ content }))

  it('contains no cell in CSV that a spreadsheet program would run', async () => {
    const text = Buffer.from(await writeLines(lines, 'csv')).toString('utf8')
    const { data } = Papa.parse<string[]>(text.slice(1), { skipEmptyLines: true })
    // Some programs end a cell at the line break inside it.
    const guarded = formulas.map((each) => `'${each.replace(/^[\r\n](?==)/, "$&'")}`)
    expect(data.slice(1).map((row) => row[toPosition('content')])).toEqual(guarded)
  })

  it('leaves a sign before digits inside a text as it is in CSV, and guards other formulas there', async () => {
    const texts = ['EUR 12,-', 'T-shirt, -50%, red', '1,-2', '+31 6 1;-2.5']
    const run = ['red, +size L', 'A;-1+cmd', '2;-1,=1', '1,-"2"']
    const text = Buffer.from(
      await writeLines(
        [...texts, ...run].map((content) => aLine({ content: `x${content}` })),
        'csv',
      ),
    ).toString('utf8')
    const { data } = Papa.parse<string[]>(text.slice(1), { skipEmptyLines: true })
    expect(data.slice(1).map((row) => row[toPosition('content')])).toEqual([
      ...texts.map((each) => `x${each}`),
      ...["xred, '+size L", "xA;'-1+cmd", "x2;-1,'=1", `x1,'-"2"`],
    ])
  })

  it('contains no formula in XLSX and no text that would become one, but telephone numbers unchanged', async () => {
    const phone = '+31 (0)10-123 45 67'
    const file = Buffer.from(await writeLines([aLine({ phone }), ...lines], 'xlsx'))
    const [, first, ...others] = await readSheet(file)
    expect(first?.[toPosition('phone')]).toBe(phone)
    expect(others.map((row) => String(row[toPosition('content')])[0])).toEqual(formulas.map(() => "'"))
  })
})

describe('the columns of a file', () => {
  it('are recognised by the names of the fields and by names of other programs', () => {
    const mapping = guessMapping(['AWB', 'Box', 'Barcode', 'Naam', 'Omschrijving', 'HS', 'Aantal', 'country'])
    expect(mapping).toEqual({
      transportNumber: 0,
      packageId: 1,
      parcelId: 2,
      name: 3,
      content: 4,
      hsCode: 5,
      quantity: 6,
      country: 7,
    })
  })

  it('have the same key when they have the same headings in the same order', () => {
    expect(headerKey(['a', ' b '])).toBe(headerKey(['a', 'b']))
    expect(headerKey(['a', 'b'])).not.toBe(headerKey(['b', 'a']))
  })
})

describe('numbers of a file', () => {
  function weights(
    values: string[],
    mark: 'automatic' | 'point' | 'comma' = 'automatic',
    numeric: boolean[] | null = null,
  ): (string | undefined)[] {
    const table: Table = {
      kind: 'csv',
      encoding: 'UTF-8',
      rows: [['w'], ...values.map((value) => [value])],
      lineNumbers: ['w', ...values].map((_, index) => index + 1),
      numeric: numeric && [[false], ...numeric.map((each) => [each])],
      cellErrors: 0,
      emptyFormulas: 0,
      mergedCells: 0,
    }
    const taken = toLines(table, { parcelWeight: 0 }, mark, 'X')
    if (!taken.ok) throw new Error(`${taken.error.kind} in line ${taken.error.line}: ${taken.error.text}`)
    return taken.value.map((row) => row[toPosition('parcelWeight')])
  }

  it.each([
    [
      ['1,5', '0,250', '12'],
      ['1.5', '0.250', '12'],
    ],
    [
      ['1.234,50', '2,1'],
      ['1234.50', '2.1'],
    ],
    [
      ['1.50', '1,234.50'],
      ['1.50', '1234.50'],
    ],
    // This one is ambiguous: it is kept unchanged, and the checks report it.
    [['1,234'], ['1,234']],
    [['1.234'], ['1.234']],
    [
      ['about 2', '1,5'],
      ['about 2', '1.5'],
    ],
    [["'"], ["'"]],
    // A separator of thousands does not follow a 0 or precede two or four digits. So this file has decimal points, and
    // its commas are reported as errors of their cells.
    [
      ['0.100', '1,5'],
      ['0.100', '1,5'],
    ],
    [
      ['0,100.5', '1 0,5', '12 34', '1.5'],
      ['0,100.5', '1 0,5', '12 34', '1.5'],
    ],
    [
      ['1 234,5', '1\u00a0234', "12'345,50", '1.234.567,8', '1.234 567,8'],
      ['1234.5', '1234', '12345.50', '1234567.8', '1.234 567,8'],
    ],
  ])('are converted from %j to %j', (given, expected) => {
    expect(weights(given)).toEqual(expected)
  })

  it.each([
    // Programs write weights with a point beside prices with a comma.
    [['1.250', '2.100'], 'automatic', ['1.250', '2.100']],
    [['1.250', '2,100'], 'automatic', ['1.250', '2,100']],
    [['1,250', '2,100'], 'automatic', ['1.250', '2.100']],
    [['1.250', '0,400'], 'automatic', ['1250', '0.400']],
    [['1.250', '2.100'], 'comma', ['1250', '2100']],
  ] as const)(
    'beside a price of 12,50 weights %j are read with the mark «%s» as %j',
    async (given, mark, expected) => {
      const table = await read(
        Buffer.from(`price;weight\n${given.map((text) => `12,50;${text}`).join('\n')}\n`),
      )
      const lines = toLines(table, { itemPrice: 0, parcelWeight: 1 }, mark, 'X')
      if (!lines.ok) throw new Error(lines.error.kind)
      expect(lines.value.map((row) => row[toPosition('parcelWeight')])).toEqual(expected)
      expect(lines.value.map((row) => row[toPosition('itemPrice')])).toEqual(given.map(() => '12.50'))
    },
  )

  it('are read with the decimal mark that a person chose', () => {
    expect(weights(['1,234'], 'comma')).toEqual(['1.234'])
    expect(weights(['1.234'], 'comma')).toEqual(['1234'])
    expect(weights(['1.234', '0,5'], 'comma')).toEqual(['1234', '0.5'])
    expect(weights(['1,234.5', '0.100'], 'point')).toEqual(['1234.5', '0.100'])
  })

  it.each(['0.100', '00.100', '1.5', '12.3456', '1234.567', '-0.100'])(
    'are refused when %s has a point that is neither the chosen decimal mark nor a separator of thousands',
    (text) => {
      expect(() => weights(['1,5', '1.234', text], 'comma')).toThrow(`decimal-point in line 4: ${text}`)
    },
  )

  it('keep their value in numeric cells of a spreadsheet, whatever decimal mark its texts have', () => {
    expect(weights(['1.234', '0.1', '1,5', '1.234'], 'comma', [true, true, false, false])).toEqual([
      ...['1.234', '0.1', '1.5', '1234'],
    ])
    expect(weights(['1.234', '1.234', '1.234'], 'comma', [true, false, true])).toEqual([
      ...['1.234', '1234', '1.234'],
    ])
    expect(weights(['0.25', '1.234', '1,5'], 'automatic', [true, true, false])).toEqual([
      '0.25',
      '1.234',
      '1.5',
    ])
  })
})
