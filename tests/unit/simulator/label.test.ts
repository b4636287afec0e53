import { PDFDocument } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import {
  countryName,
  demoNotice,
  type LabelContent,
  readableBarcode,
  renderLabelPdf,
  renderLabelZpl,
} from '../../../src/simulator/label'
import { readCode128 } from './code128Reader'
import { dotsPerMm, renderPages, runs } from './labelPicture'

// Four dots of a 203 dpi print head, as the label is designed.
const dotsPerModule = 4
const barcodeRow = 110 * dotsPerMm

function label(changes: Partial<LabelContent> = {}): LabelContent {
  return {
    barcode: '3SPB00911234560015',
    carrierName: 'POLDER POST',
    serviceName: 'Parcel Standard',
    routeCode: 'NL 11',
    sender: ['Warehouse', 'Kade 12', '3011 AB Rotterdam'],
    consigneeName: 'Jan de Vries',
    consigneeCompany: 'Bakkerij',
    consigneeStreet: 'Lange Voorhout 102',
    consigneePostalCode: '2514 EJ',
    consigneeCity: 'Den Haag',
    consigneeCountry: 'NL',
    consigneePhone: '+31 70 123 45 67',
    reference: 'ORDER-1',
    reference2: 'PO 7',
    weight: '1.25',
    packageNumber: 1,
    packageCount: 1,
    createdAt: new Date(2026, 10, 21),
    signatureRequired: true,
    returnLabel: false,
    ...changes,
  }
}

describe('a label PDF', () => {
  it('is one page of 100x150 mm', async () => {
    const [picture, ...others] = await renderPages(await renderLabelPdf([label()]))
    expect(others).toEqual([])
    expect(picture).toMatchObject({ width: 800, height: 1200 })
  })

  it.each(['3SPB00911234560015', '3SPB99999999999992'])(
    'holds the barcode %s on whole dots',
    async (barcode) => {
      const [picture] = await renderPages(await renderLabelPdf([label({ barcode })]))
      const widths = runs(picture?.row(barcodeRow) ?? [])
      expect(widths.filter((dots) => dots % dotsPerModule !== 0)).toEqual([])
      expect(readCode128(widths.map((dots) => dots / dotsPerModule))).toBe(barcode)
    },
  )

  it('draws the barcode in pure black and white with a quiet zone of ten modules', async () => {
    const [picture] = await renderPages(await renderLabelPdf([label()]))
    const row = picture?.row(barcodeRow) ?? []
    expect(new Set(row)).toEqual(new Set([0, 255]))
    const quiet = 10 * dotsPerModule
    expect(row.indexOf(0)).toBeGreaterThanOrEqual(quiet)
    expect(row.length - 1 - row.lastIndexOf(0)).toBeGreaterThanOrEqual(quiet)
  })

  it('has a page for each label', async () => {
    const barcodes = ['3SPB00000000000001', '3SPB00000000000002', '3SPB00000000000003']
    const pictures = await renderPages(await renderLabelPdf(barcodes.map((barcode) => label({ barcode }))))
    const read = pictures.map((picture) =>
      readCode128(runs(picture.row(barcodeRow)).map((dots) => dots / dotsPerModule)),
    )
    expect(read).toEqual(barcodes)
  })

  it('survives any text in any field', async () => {
    const texts = [
      '王小明',
      'Дмитрий',
      'Ωμέγα',
      '😀🏳️‍🌈',
      'a\nb\tc\u0000',
      'مرحبا',
      '',
      'x'.repeat(2000),
      '\ud800',
    ]
    for (const text of texts) {
      const pdf = await renderLabelPdf([
        label({
          consigneeName: text,
          consigneeCompany: text,
          consigneeStreet: text,
          consigneeCity: text,
          consigneePostalCode: text,
          consigneeCountry: text,
          consigneePhone: text,
          reference: text,
          reference2: text,
        }),
      ])
      expect((await renderPages(pdf)).length).toBe(1)
    }
  })

  it('is placed in the corner of another page size, and can be padded to a large file', async () => {
    const page = { widthMm: 210, heightMm: 297 }
    const [picture] = await renderPages(await renderLabelPdf([label()], { page }))
    expect(picture).toMatchObject({ width: 1680, height: 2376 })
    expect(readCode128(runs(picture?.row(barcodeRow) ?? []).map((dots) => dots / dotsPerModule))).toBe(
      label().barcode,
    )
    const large = await renderLabelPdf([label()], { paddingBytes: 1_000_000 })
    expect(large.length).toBeGreaterThan(1_000_000)
    expect((await PDFDocument.load(large)).getPageCount()).toBe(1)
  })
})

describe('a ZPL label', () => {
  it('holds the barcode, the address and the notice between its begin and end', () => {
    const zpl = renderLabelZpl(label({ consigneeName: 'Zoë ^XZ~JR' }))
    expect(zpl).toMatch(/^\^XA[\s\S]*\^XZ\n$/)
    expect(zpl).toContain('^BCN,300,N,N,N,A^FD3SPB00911234560015^FS')
    expect(zpl).toContain(demoNotice)
    expect(zpl).toContain('^FDZoë  XZ JR^FS')
  })
})

describe('words on a label', () => {
  it('names countries and leaves unknown codes alone', () => {
    expect(countryName('NL')).toBe('Netherlands')
    expect(countryName('nl')).toBe('nl')
    expect(countryName('')).toBe('')
  })

  it('groups barcodes for reading', () => {
    expect(readableBarcode('3SPB00911234560015')).toBe('3SPB 0091 1234 5600 15')
    expect(readableBarcode('12345')).toBe('1234 5')
  })
})
