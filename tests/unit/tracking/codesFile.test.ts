import { describe, expect, it } from 'vitest'
import writeXlsxFile from 'write-excel-file/node'
import { writeLines } from '../../../src/main/consignments/lines/lineTable'
import { readCodesFile } from '../../../src/main/tracking/trackingTables'
import { aLine } from '../../support/manifests/lines'

async function read(content: string | Buffer) {
  const result = await readCodesFile('file', Buffer.from(content))
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

describe('reading codes from a CSV file', () => {
  it.each([
    ['one column without a heading', 'A1\nB2\n', ['A1', 'B2'], null],
    ['a heading in English', 'order;Tracking code;name\n1;A1;x\n2;B2;y\n', ['A1', 'B2'], 'Tracking code'],
    ['a heading in Dutch', 'klant,vrachtbriefnummer\nx,A1\n', ['A1'], 'vrachtbriefnummer'],
    ['tabs', 'Barcode\tCity\nA1\tZwolle\n', ['A1'], 'Barcode'],
    ['Windows line ends, quotes and a byte order mark', '\uFEFF"Barcode"\r\n"A;1"\r\n', ['A;1'], 'Barcode'],
    ['an empty first column', ';A1\n;B2\n', ['A1', 'B2'], null],
    ['digits kept as text', 'Barcode\n="00123"\n', ['00123'], 'Barcode'],
    ['a code with blanks and slashes', 'A 1/2\nB\n', ['A 1/2', 'B'], null],
  ])('finds the codes and their column in a file with %s', async (_name, content, codes, column) => {
    expect(await read(content)).toMatchObject({ codes, column })
  })

  it.each(
    (
      'Track & Trace|Track & trace code|Track en trace|Track&Trace|track_and_trace|T&T|T&T-nummer|Tracking codes|' +
      'Tracking numbers|Trackingcodes|Tracking #|Tracking no.|Shipment number|AWB number|Barcode nummer|Zendingsnummer|Parcel ID'
    ).split('|'),
  )('finds the codes in the column «%s»', async (heading) => {
    const file = `Ordernummer;Naam;${heading}\n1001;Jan;A1\n1002;Piet;B2\n`
    expect(await read(file)).toMatchObject({ codes: ['A1', 'B2'], column: heading })
  })

  it.each(
    'Shipment ID|Shipment number|Zending-ID|Zendingsnummer|Pakket ID|Parcel ID|Parcel No|Colli|Box|Code'.split(
      '|',
    ),
  )('prefers the column «Tracking number» to an earlier «%s»', async (heading) => {
    const file = `${heading};Naam;Tracking number\n1001;Jan;A1\n1002;Piet;B2\n`
    expect(await read(file)).toMatchObject({ codes: ['A1', 'B2'], column: 'Tracking number' })
  })

  it.each(['Shipment ID', 'Zending-ID', 'Zendings-ID', 'Pakket ID', 'Colli ID'])(
    'does not take «%s», the number of a shop, for a column of codes',
    async (heading) => {
      expect(await read(`Trackinglink;${heading}\nA1;1001\n`)).toMatchObject({ column: null })
    },
  )

  it.each(['csv', 'xlsx'] as const)(
    'finds the barcodes in a manifest that Packbench saved as %s',
    async (kind) => {
      const saved = await writeLines([aLine({ parcelId: '3S1' }), aLine({ parcelId: '3S2' })], kind)
      expect(await read(Buffer.from(saved))).toMatchObject({ codes: ['3S1', '3S2'], column: 'parcelId' })
    },
  )

  it.each(['TT123456', 'AWB 123-45', 'Box 7'])('takes %s in the first row as a code', async (code) => {
    expect(await read(`${code}\nB2\n`)).toMatchObject({ codes: [code, 'B2'], column: null })
  })

  it('counts duplicates and empty lines, but not those at the end', async () => {
    expect(await read('A\n\nA\nB\n\n\n')).toMatchObject({ codes: ['A', 'B'], duplicates: 1, empty: 1 })
  })

  it('counts numbers that a spreadsheet wrote as powers of ten', async () => {
    const file = 'Barcode\n3,40434E+17\n3,40434E+17\n3.4e19\n3E+5\n3SE+17\n'
    expect(await read(file)).toMatchObject({ codes: ['3,40434E+17', '3.4e19', '3E+5', '3SE+17'], inexact: 3 })
  })

  it('reads UTF-16 and the code page of Western Europe', async () => {
    expect((await read(Buffer.from('\uFEFFZoë-1\n', 'utf16le'))).codes).toEqual(['Zoë-1'])
    expect((await read(Buffer.from('Zoë-1\n', 'latin1'))).codes).toEqual(['Zoë-1'])
  })

  it.each([
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0])],
    ['a cut-off workbook', Buffer.from('PK\u0003\u0004 and then nothing')],
  ])('refuses %s', async (_name, content) => {
    expect(await readCodesFile('x.xlsx', content)).toMatchObject({
      ok: false,
      error: { code: 'codes-file-invalid', details: { file: 'x.xlsx' } },
    })
  })
})

describe('reading codes from an XLSX file', () => {
  it('finds the column by its heading, writes numbers out and counts inexact ones', async () => {
    const workbook = await writeXlsxFile([
      ['Order', 'Barcode'],
      ['O-1', '00370000000000000001'],
      ['O-2', 123456789012],
      ['O-3', null],
      ['O-4', 3.5e16],
    ]).toBuffer()
    expect(await read(workbook)).toMatchObject({
      codes: ['00370000000000000001', '123456789012', '35000000000000000'],
      column: 'Barcode',
      empty: 1,
      inexact: 1,
    })
  })

  it('reads 10,000 codes', async () => {
    const workbook = await writeXlsxFile(Array.from({ length: 10_000 }, (_, row) => [`3S${row}`])).toBuffer()
    expect((await read(workbook)).codes).toHaveLength(10_000)
  })
})
