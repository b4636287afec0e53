import { unzipSync, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { readCatalogue } from '../../../src/main/customs/catalogue'
import { readTable, type Table } from '../../../src/main/tables/readTable'
import { readCodesFile } from '../../../src/main/tracking/trackingTables'
import { textCell, toWorkbook } from '../../support/workbooks'

const links = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

async function read(bytes: Uint8Array): Promise<Table> {
  const table = await readTable(bytes)
  if (!table.ok) throw new Error(table.error.words)
  return table.value
}

const header = `<row r="1">${textCell('A1', 'parcelId')}${textCell('B1', 'parcelWeight')}${textCell('C1', 'content')}</row>`

function manyRows(cell: (place: string) => string): string {
  const rows = Array.from({ length: 30_000 }, (_, index) => index + 2)
  return rows.map((row) => `<row r="${row}">${cell(`A${row}`)}</row>`).join('')
}

/** Changes the XML of each part of a workbook. */
function changeParts(file: Buffer, change: (xml: string, name: string) => string): Buffer {
  const parts = Object.entries(unzipSync(file)).map(([name, part]) => {
    return [name, Buffer.from(change(Buffer.from(part).toString(), name))]
  })
  return Buffer.from(zipSync(Object.fromEntries(parts)))
}

function withPart(file: Buffer, name: string, xml: string): Buffer {
  return Buffer.from(zipSync({ ...unzipSync(file), [name]: Buffer.from(xml) }))
}

const inSingleQuotes = (file: Buffer) => changeParts(file, (xml) => xml.replaceAll('"', "'"))

/** Puts a comment with another sheet before the first one. */
const withSheetInComment = (file: Buffer) =>
  changeParts(file, (xml) => xml.replace('<sheets>', '<sheets><!-- <sheet name="Old" r:id="rId1"/> -->'))

/** The lines as they are, or in another valid form of XML. */
const forms: [string, (file: Buffer) => Buffer][] = [
  ['double quotes', (file) => file],
  ['single quotes', inSingleQuotes],
  ['a sheet in a comment', withSheetInComment],
]

/** Changes the unpacked size that the archive's directory states for its last part. */
function stateSize(file: Buffer, size: number): Buffer {
  const changed = Buffer.from(file)
  changed.writeUInt32LE(size, changed.lastIndexOf(Buffer.from('PK\u0001\u0002', 'latin1')) + 24)
  return changed
}

describe('a workbook of a manifest', () => {
  it('gives formulas as their results, and counts formulas without a result and gives them as text', async () => {
    const table = await read(
      toWorkbook(
        `${header}<row r="2"><c r="A2" t="str"><f>CONCATENATE("P",1)</f><v>P1</v></c><c r="B2"><f>SUM(0.25,0.5)</f><v>0.75</v></c><c r="C2" t="str"><f>A9&amp;""</f><v></v></c></row>` +
          `<row r="3">${textCell('A3', 'P2')}<c r="B3"><f>D3*2</f></c><c r="C3"><f t="shared" si="0"/></c></row>`,
      ),
    )
    expect(table.rows.slice(1)).toEqual([
      ['P1', '0.75', ''],
      ['P2', '=D3*2', '=…'],
    ])
    expect(table).toMatchObject({ emptyFormulas: 2, cellErrors: 0 })
  })

  it('returns errors as their texts, and counts them, in any row and column', async () => {
    const table = await read(
      toWorkbook(
        `${header}<row r="2"><c r="A2" t="e"><f>Z1</f><v>#REF!</v></c><c r="B2"><v>1</v></c></row>` +
          `<row r="3">${textCell('A3', 'P2')}<c r="B3"><v>1</v></c><c r="C3" t="e"><v>#N/A</v></c><c r="D3" t="e"><v>#DIV/0!</v></c></row>`,
      ),
    )
    expect(table.rows.slice(1)).toEqual([
      ['#REF!', '1', ''],
      ['P2', '1', '#N/A', '#DIV/0!'],
    ])
    expect(table.cellErrors).toBe(3)
  })

  it('numbers its lines as spreadsheet programs do, with rows without a value', async () => {
    const table = await read(
      toWorkbook(`${header}<row r="3">${textCell('A3', 'P1')}</row><row r="6">${textCell('A6', 'P2')}</row>`),
    )
    expect(table.rows.map(([first]) => first)).toEqual(['parcelId', 'P1', 'P2'])
    expect(table.lineNumbers).toEqual([1, 3, 6])
  })

  it('gives dates as days, without a shift by the time zone', async () => {
    const table = await read(
      toWorkbook(
        `${header}<row r="2">${textCell('A2', 'P1')}<c r="B2" s="1"><v>46380</v></c><c r="C2" t="d"><v>2026-12-24</v></c></row>`,
      ),
    )
    expect(table.rows[1]).toEqual(['P1', '2026-12-24', '2026-12-24'])
  })

  it('gives whole numbers the leading zeros of their format', async () => {
    const table = await read(
      toWorkbook(
        `${header}<row r="2" s="2"><c r="A2" s="2"><v>1067</v></c><c r="B2" s="3" t="n"><f>A2</f><v>1067</v></c><c r="C2"><v>1067</v></c></row>` +
          `<row r="3" s="2"><c r="A3" s="2"><v>123456</v></c><c r="B3" s="2"><v>1.5</v></c><c r="C3" s="2"/></row>`,
      ),
    )
    expect(table.rows.slice(1)).toEqual([
      ['01067', '01067', '1067'],
      ['123456', '1.5', ''],
    ])
  })

  it('counts the blocks of merged cells of the first sheet', async () => {
    const rows = `${header}<row r="2">${textCell('A2', 'P1')}<c r="B2"><v>1</v></c></row><row r="3"><c r="A3"/><c r="B3"><v>2</v></c></row>`
    const table = await read(toWorkbook(rows, ['A2:A3', 'C2:C9']))
    expect(table.mergedCells).toBe(2)
    expect(table.rows.slice(1)).toEqual([
      ['P1', '1', ''],
      ['', '2', ''],
    ])
  })

  it('is refused when its unpacked size exceeds the limit', async () => {
    const bomb = stateSize(toWorkbook(header), 0xfffffff0)
    expect(await readTable(bomb)).toMatchObject({ ok: false, error: { code: 'unpacks-too-much' } })
  })

  it('is refused when its sheet unpacks to more than the archive states', async () => {
    const file = changeParts(toWorkbook(header), (xml, name) =>
      name.endsWith('sheet2.xml') ? xml + ' '.repeat(20_000_000) : xml,
    )
    const limits = { maxMegabytes: 10, maxUnpackedMegabytes: 10, hasHeader: true }
    expect(await readTable(stateSize(file, 1), limits)).toMatchObject({
      ok: false,
      error: { code: 'damaged-xlsx' },
    })
  })

  it('is refused when its list of sheets names a file that it does not have', async () => {
    const file = changeParts(toWorkbook(header), (xml) => xml.replace('sheet2.xml', 'sheet3.xml'))
    expect(await readTable(file)).toMatchObject({ ok: false, error: { code: 'damaged-xlsx' } })
  })

  it('is refused when another relation leads its reader to a part that was not checked', async () => {
    const second = `<Relationship Id="rId2" Type="${links}/worksheet" Target="/customXml/e.xml"/></Relationships>`
    const file = withPart(
      changeParts(toWorkbook(header), (xml) => xml.replace('</Relationships>', second)),
      'customXml/e.xml',
      `<worksheet><sheetData>${header}<row r="2">${textCell('A2', 'unchecked')}</row></sheetData></worksheet>`,
    )
    expect(await readTable(file)).toMatchObject({ ok: false, error: { code: 'damaged-xlsx' } })
  })

  it.each(['customXml/item1.xml', 'docProps/custom.xml', 'xl/webextensions/webextension1.xml'])(
    'is read with a long text in %s, which its reader does not read',
    async (part) => {
      const row = `<row r="2">${textCell('A2', 'P1')}</row>`
      const file = withPart(
        toWorkbook(header + row),
        part,
        `<texts><text>${'x'.repeat(2_000_000)}</text></texts>`,
      )
      expect((await read(file)).rows[1]).toEqual(['P1', '', ''])
    },
  )

  it.each(['texts.xml', '/xl/texts.xml'])(
    'has its shared texts read from the part that its relation names, here %s',
    async (target) => {
      const relation = `<Relationship Id="rId4" Type="${links}/sharedStrings" Target="${target}"/></Relationships>`
      const row = '<row r="2"><c r="A2" t="s"><v>0</v></c></row>'
      const related = changeParts(toWorkbook(header + row), (xml) =>
        xml.replace('</Relationships>', relation),
      )
      expect(
        (await read(withPart(related, 'xl/texts.xml', '<sst><si><t>P1</t></si></sst>'))).rows[1],
      ).toEqual(['P1', '', ''])
      const endless = withPart(related, 'xl/texts.xml', `<sst><si><t>${'x'.repeat(2_000_000)}`)
      expect(await readTable(endless)).toMatchObject({ ok: false, error: { code: 'damaged-xlsx' } })
    },
  )

  it.each(forms)(
    'has its errors, leading zeros and merged cells read in XML with %s',
    async (_form, toForm) => {
      const rows = `${header}<row r="2"><c r="A2" t="e"><v>#REF!</v></c><c r="B2" s="2"><v>1067</v></c></row>`
      const table = await read(toForm(toWorkbook(rows, ['A2:A3'])))
      expect(table.rows[1]).toEqual(['#REF!', '01067', ''])
      expect(table).toMatchObject({ cellErrors: 1, mergedCells: 1 })
    },
  )

  it('does not give the value of the next cell to an error cell that is a self-closing tag', async () => {
    const table = await read(
      toWorkbook(`${header}<row r="2">${textCell('A2', 'P1')}<c r="B2" t="e"/><c r="C2"><v>5</v></c></row>`),
    )
    expect(table.rows[1]).toEqual(['P1', '#VALUE!', '5'])
  })

  describe.each(forms)('with %s', (_form, toForm) => {
    it.each([
      ['column', `<row r="2"><c r="BZZZ2"><v>1</v></c></row>`],
      ['row', `<row r="10000000"><c r="A10000000"><v>1</v></c></row>`],
      ['row as a power of ten', `<row r="1e9"><c r="A1e9"><v>1</v></c></row>`],
      ['column after a bracket in an attribute', `<row r="2"><c n="a>b" r="BZZZ2"><v>1</v></c></row>`],
      ['column after an opening bracket in an attribute', `<row r="2"><c n="<" r="BZZZ2"><v>1</v></c></row>`],
      ['column in an attribute with a prefix', `<row r="2"><c x:r="BZZZ2"><v>1</v></c></row>`],
      ['column in an element with a prefix', `<row r="2"><x-y:c r="BZZZ2"><v>1</v></x-y:c></row>`],
      [
        'column in an attribute with a prefix like that of a declaration',
        `<row r="2"><c xmlns:a:r="BZZZ2"><v>1</v></c></row>`,
      ],
      ['column with blanks', `<row r="2"><c s="1"\n r = "BZZZ2"><v>1</v></c></row>`],
    ])(
      'is refused for a %s beyond those of spreadsheets, before cells are filled up to it',
      async (_, row) => {
        expect(await readTable(toForm(toWorkbook(header + row)))).toMatchObject({
          ok: false,
          error: { code: 'damaged-xlsx' },
        })
      },
    )
  })

  it.each([
    [
      'texts that look like error cells',
      // A cell of a spreadsheet holds 32,767 characters at most.
      () =>
        Array.from(
          { length: 40 },
          (_, index) => `<row r="${index + 2}">${textCell(`A${index + 2}`, ' t="e"'.repeat(5000))}</row>`,
        ).join(''),
    ],
    ['error cells that are self-closing tags', () => manyRows((place) => `<c r="${place}" t="e"/>`)],
  ])('is read within the time limit of the test with very many %s', async (_, rows) => {
    // Searching all rows for each of them would take minutes.
    await expect(readTable(toWorkbook(header + rows()))).resolves.toBeDefined()
  })

  const times = 400_000
  it.each([
    ['comments that do not end', 'xl/worksheets/sheet2.xml', '<!--'.repeat(times)],
    ['cells that do not end', 'xl/worksheets/sheet2.xml', '<c t="e"'.repeat(times)],
    ['sheets that do not end', 'xl/workbook.xml', '<sheet '.repeat(times)],
    ['relations that do not end', 'xl/_rels/workbook.xml.rels', '<Relationship '.repeat(times)],
    ['formats that do not end', 'xl/styles.xml', '<numFmt '.repeat(times)],
    ['lists of styles that do not end', 'xl/styles.xml', '<cellXfs '.repeat(times)],
    [
      'brackets that do not end in a format',
      'xl/styles.xml',
      `<numFmt numFmtId="1" formatCode="${'['.repeat(times)}"/>`,
    ],
  ])('is read within the time limit of the test with very many %s', async (_, part, xml) => {
    // Searching the rest of the part for the end of each of them would take minutes.
    const file = changeParts(toWorkbook(header), (whole, name) => (name === part ? xml : whole))
    await expect(readTable(file)).resolves.toBeDefined()
  })

  it('is read within the time limit of the test with very many styles that add zeros to its cells', async () => {
    const styles = `<styleSheet><numFmts><numFmt numFmtId="165" formatCode="00000"/></numFmts><cellXfs>${'<xf numFmtId="165"/>'.repeat(60_000)}</cellXfs></styleSheet>`
    const workbook = toWorkbook(manyRows((place) => `<c r="${place}" s="59999"><v>7</v></c>`))
    const table = await read(changeParts(workbook, (xml, name) => (name === 'xl/styles.xml' ? styles : xml)))
    expect(table.rows[0]).toEqual(['00007'])
  })

  it('is read without its comments, also very many of them', async () => {
    const row = `<row r="2"><!-- <c r="A2" t="e"/> --><c r="A2"><v>1</v></c>${'<!---->'.repeat(times)}</row>`
    expect((await read(toWorkbook(header + row))).rows[1]).toEqual(['1', '', ''])
  })

  it('is refused with an error when it is cut off', async () => {
    const whole = toWorkbook(header)
    expect(await readTable(whole.subarray(0, whole.length - 40))).toMatchObject({
      ok: false,
      error: { code: 'damaged-xlsx' },
    })
  })
})

describe('a CSV file', () => {
  it('has its spreadsheet errors counted, in English and Dutch, and its formulas', async () => {
    const table = await read(Buffer.from('parcelId;name\nP1;#REF!\nP2;#VERW!\nP3;#2 Main street\nP4;=A1\n'))
    expect(table.cellErrors).toBe(3)
  })
})

describe('a workbook of products', () => {
  const names = ['code', 'name', 'hsCode', 'countryOfOrigin', 'weight', 'price']
  const top = names.map((name, column) => textCell(`${'ABCDEF'[column]}1`, name)).join('')

  it('leaves out products whose price is an error or a formula without a result', async () => {
    const read = await readCatalogue(
      toWorkbook(
        `<row r="1">${top}</row>` +
          `<row r="2">${textCell('A2', 'B1')}${textCell('B2', 'Book')}<c r="F2"><f>Z1*2</f></c></row>` +
          `<row r="4">${textCell('A4', 'P1')}<c r="B4" t="e"><v>#NAME?</v></c><c r="F4"><v>1.2</v></c></row>` +
          `<row r="5"><c r="A5"><v>123</v></c>${textCell('B5', 'Map')}<c r="C5"><v>490510</v></c><c r="F5"><f>2+1</f><v>3</v></c></row>`,
      ),
    )
    expect(read).toMatchObject({
      ok: true,
      value: {
        products: [{ code: '123', price: 3 }],
        issues: [
          { line: 2, column: 'price', code: 'cell-error' },
          { line: 4, column: 'name', code: 'cell-error' },
        ],
        codeNumbers: 2,
      },
    })
  })

  it('leaves out products with a cut-off letter', async () => {
    const bytes = Buffer.concat([
      Buffer.from('code;name;price\nP1;Müsli für Köche;1\nP2;M'),
      Buffer.from([0xc3]),
      Buffer.from('sli;1\n'),
    ])
    expect(await readCatalogue(bytes)).toMatchObject({
      value: { products: [{ code: 'P1' }], issues: [{ line: 3, column: 'name', code: 'cell-error' }] },
    })
  })
})

describe('a workbook of tracking codes', () => {
  it('gives codes that formulas return, and counts and leaves out errors and formulas without a result', async () => {
    const file = toWorkbook(
      `<row r="1">${textCell('A1', 'Barcode')}</row>` +
        '<row r="2"><c r="A2" t="str"><f>"3S"&amp;"ABC"</f><v>3SABC</v></c></row>' +
        '<row r="3"><c r="A3" t="e"><v>#REF!</v></c></row>' +
        '<row r="4"><c r="A4"><f>B4</f></c></row>' +
        `<row r="5">${textCell('A5', '3SDEF')}</row>`,
      ['A2:B2'],
    )
    expect(await readCodesFile('codes.xlsx', file)).toMatchObject({
      ok: true,
      value: { codes: ['3SABC', '3SDEF'], cellErrors: 2, empty: 0 },
    })
  })
})
