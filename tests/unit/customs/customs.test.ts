import { PDFiumLibrary } from '@hyzyla/pdfium'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { shipmentToWire } from '../../../src/main/carrier/shipmentCodec'
import { readCatalogue, writeCatalogue } from '../../../src/main/customs/catalogue'
import { makeInvoice } from '../../../src/main/customs/invoicePdf'
import { PdfWriter } from '../../../src/main/lib/pdfWriter'
import { fromTsv, toTsv } from '../../../src/renderer/features/manifests/tsv'
import {
  type Customs,
  type CustomsParty,
  customsTotals,
  hsCodeAdvice,
  needsCustomsDecision,
  suggestCustoms,
} from '../../../src/shared/customs'
import { aDraft } from '../../support/drafts'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'

const party: CustomsParty = {
  companyName: 'Wójcik & Żak sp. z o.o.',
  name: 'Łucja 李',
  street: 'Kade',
  houseNumber: '1',
  postalCode: '3011 AB',
  city: 'Rotterdam',
  country: 'NL',
  email: 'a@example.com',
  phoneNumber: '+31',
  type: 'Y',
  vatNumber: 'NL123456789B01',
  eoriNumber: 'NL123456789',
}

function toCustoms(items: number): Customs {
  return {
    invoiceNumber: 'INV-00001',
    invoiceDate: '2026-11-21',
    terms: 'DAP',
    currency: 'EUR',
    reason: 'Sale',
    sender: party,
    recipient: party,
    items: Array.from({ length: items }, (_, index) => ({
      productCode: `P${index}`,
      product: 'A book with a rather long title that needs more than one line on paper',
      quantity: 3,
      hsCode: '490199',
      countryOfOrigin: 'NL',
      weight: 0.1,
      itemPrice: 0.335,
    })),
  }
}

describe('suggestCustoms', () => {
  it.each([
    ['NL', 'DE', '10115', false, null],
    ['NL', 'CH', '8001', true, null],
    ['NL', 'GB', 'SW1A 1AA', true, null],
    ['NL', 'GB', 'BT1 1AA', false, 'northern-ireland'],
    ['GB', 'GB', 'BT1 1AA', false, 'northern-ireland'],
    ['CH', 'GB', 'BT1 1AA', true, 'northern-ireland'],
    ['NL', 'ES', '35001', true, 'canary-islands'],
    ['NL', 'ES', '28001', false, null],
    ['NL', 'IT', '23041', true, 'livigno'],
    ['NL', 'FR', '97110', true, 'french-overseas'],
    ['NL', 'FR', '98800', true, 'french-overseas'],
    // Monaco, written as France.
    ['NL', 'FR', '98000', false, null],
    // Northern Ireland is in the EU's customs territory for goods, not in that of Great Britain.
    ['NL', 'XI', 'BT1 1AA', false, null],
    ['XI', 'DE', '10115', false, null],
    ['GB', 'XI', 'BT1 1AA', true, null],
    ['CH', 'XI', 'BT1 1AA', true, null],
    ['CH', 'CH', '8001', false, null],
    ['NL', '', '', false, null],
  ] as const)(
    'for a parcel from %s to %s %s suggests customs data: %s (special area: %s)',
    (from, country, postalCode, suggested, place) => {
      expect(suggestCustoms(from, { country, postalCode })).toEqual({ suggested, place })
    },
  )
})

describe('customsTotals', () => {
  it('multiplies weight and price by the quantity, without binary rounding errors', () => {
    expect(customsTotals([{ quantity: 3, weight: 0.1, itemPrice: 0.335 }])).toEqual({
      weight: 0.3,
      value: 1.01,
      pieces: 3,
    })
  })
})

describe('the rounding of customsTotals', () => {
  it('rounds each line to cents before adding them', () => {
    const item = { quantity: 1, weight: 0, itemPrice: 0.335 }
    expect(customsTotals([item, item]).value).toBe(0.68)
    expect(customsTotals([{ quantity: 1, weight: 0, itemPrice: 1.005 }]).value).toBe(1.01)
  })
})

describe('hsCodeAdvice', () => {
  it.each([
    ['490199', null],
    ['4901.99.00', null],
    ['49019', 'hs-lost-zero'],
    ['1234', 'hs-form'],
    ['books', 'hs-form'],
  ])('returns for the HS code «%s» the advice %s', (code, advice) => {
    expect(hsCodeAdvice(code)).toBe(advice)
  })
})

describe('the invoice', () => {
  it.each(['en', 'nl'] as const)(
    'is a PDF with as many pages as it needs, also with names in other scripts (%s)',
    async (language) => {
      const rasterizer = createInlineRasterizer()
      const short = await makeInvoice({ customs: toCustoms(1), reference: 'R', barcodes: ['B'] }, language)
      expect(await rasterizer.measure(Buffer.from(short.pdf))).toMatchObject({
        ok: true,
        value: [expect.anything()],
      })
      const invoice = await makeInvoice({ customs: toCustoms(60), reference: 'R', barcodes: ['B'] }, language)
      const long = await rasterizer.measure(Buffer.from(invoice.pdf))
      expect(long.ok && long.value.length).toBeGreaterThan(2)
    },
  )

  it('contains Latin, Greek and Cyrillic names as searchable text, and reports none as unprintable', async () => {
    const sender = { ...party, city: 'Łódź', name: 'Ğülşen Ýrőþ' }
    const recipient = { ...party, city: 'Ελλάδα', name: 'Київ' }
    const customs = { ...toCustoms(1), sender, recipient }
    const { pdf, unprintable } = await makeInvoice({ customs, reference: 'R', barcodes: ['B'] }, 'en')
    const text = await toText(pdf)
    for (const name of ['Łódź', 'Ğülşen Ýrőþ', 'Ελλάδα', 'Київ']) expect(text).toContain(name)
    expect(unprintable).toEqual([])
  })

  it('breaks words that are wider than their column', async () => {
    const paper = await PdfWriter.make('Invoice')
    const code = 'TSHIRT-BLK-XXL-2024'
    const lines = paper.wrap(code, 60, 8.5)
    expect(lines.length).toBe(2)
    expect(lines.join('')).toBe(code)
    expect(paper.wrap(code, 200, 8.5)).toEqual([code])
  })

  it('continues on the next page when a shipment has many barcodes', async () => {
    const barcodes = Array.from({ length: 200 }, (_, index) => `3SABCD0000${1000 + index}`)
    const { pdf } = await makeInvoice({ customs: toCustoms(1), reference: 'R', barcodes }, 'en')
    const [first = '', second = ''] = await toPageTexts(pdf)
    expect(first).toContain(barcodes[0])
    for (const text of [barcodes.at(-1), 'Rotterdam', 'NL123456789B01']) {
      expect(first).not.toContain(text)
      expect(second).toContain(text)
    }
  })

  it('prints □ for letters that it can’t print, and names them in a note', async () => {
    const customs = { ...toCustoms(1), sender: { ...party, name: 'Łucja 李' } }
    const made = await makeInvoice({ customs, reference: 'R', barcodes: ['B'] }, 'en')
    expect(made.unprintable).toEqual(['李'])
    const text = await toText(made.pdf)
    expect(text).toContain('Łucja □')
    expect(text).toContain('□ stands for letters that this document can’t show: U+674E.')
    expect(text).not.toContain('?')
  })
})

/** The text of all pages, as a PDF reader extracts it. */
async function toText(pdf: Uint8Array): Promise<string> {
  return (await toPageTexts(pdf)).join('\n')
}

async function toPageTexts(pdf: Uint8Array): Promise<string[]> {
  const library = await PDFiumLibrary.init()
  const document = await library.loadDocument(pdf)
  const texts = [...document.pages()].map((page) => page.getText())
  document.destroy()
  library.destroy()
  return texts
}

describe('the figures of an invoice', () => {
  it('equal the figures that are sent, without rounding', async () => {
    const customs: Customs = {
      ...toCustoms(1),
      items: [
        { ...toCustoms(1).items[0], productCode: 'B1', quantity: 3, weight: 0.125, itemPrice: 0.335 },
        { ...toCustoms(1).items[0], productCode: 'P1', quantity: 1.5, weight: 2, itemPrice: 12 },
      ].map((item) => ({ product: 'Book', hsCode: '4901.99.00', countryOfOrigin: 'NL', ...item })),
    }
    const wire = JSON.parse(JSON.stringify(shipmentToWire({ ...aDraft(), customs })))
    const sent = wireItems.parse(wire).shipment_details.invoice_items
    const { pdf } = await makeInvoice({ customs, reference: 'R', barcodes: ['B'] }, 'en')
    const text = await toText(pdf)
    const texts = text.split(/\s+/)
    for (const item of sent) {
      expect(texts).toContain(String(item.quantity))
      expect(texts).toContain(String(item.weight))
      expect(texts).toContain(item.tariffcode)
      expect(texts.some((text) => Number(text) === item.itemprice)).toBe(true)
    }
    expect(texts).toEqual(expect.arrayContaining(['1.01', '18.00', 'INV-00001', '2026-11-21']))
    for (const total of ['EUR 19.01', '3.375 kg']) expect(text).toContain(total)
  })
})

const wireItems = z.object({
  shipment_details: z.object({
    invoice_items: z.array(
      z.object({ quantity: z.number(), weight: z.number(), tariffcode: z.string(), itemprice: z.number() }),
    ),
  }),
})

describe('a catalogue file', () => {
  it('returns its products, and reports the lines that it skips', async () => {
    const file =
      'Artikelcode;Omschrijving;HS-code;Land;Gewicht;Prijs\nB1;Boek;0490199;nl;0,4;12,5\nB1;Twice;;;;\n;No code;;;;\nX;Bad;;NLD;heavy;1\n'
    const read = await readCatalogue(Buffer.from(file))
    expect(read).toMatchObject({
      ok: true,
      value: {
        products: [
          { code: 'B1', name: 'Boek', hsCode: '0490199', countryOfOrigin: 'NL', weight: 0.4, price: 12.5 },
        ],
        issues: [
          { line: 3, column: 'code', code: 'twice' },
          { line: 4, column: 'code', code: 'required' },
          { line: 5, column: 'countryOfOrigin', code: 'country' },
          { line: 5, column: 'weight', code: 'number' },
        ],
      },
    })
  })

  it.each(['csv', 'xlsx'] as const)('is read back as it was saved (%s)', async (kind) => {
    const product = {
      code: '007',
      name: 'Pen; "red"',
      hsCode: '096081',
      countryOfOrigin: 'CN',
      weight: 0.01,
      price: 1.2,
    }
    const formula = { ...product, code: '=1+1', name: "'=HYPERLINK(A1)", hsCode: '@1', price: 0.1 }
    const products = [product, formula, { ...product, code: '-12', name: "'t Lam" }]
    const read = await readCatalogue(await writeCatalogue(products, kind))
    expect(read).toMatchObject({ ok: true, value: { products, issues: [] } })
  })

  it.each([
    ['12,50 is in the file', ['0,5;1.250', '0,5;12,50'], ['1250', '12.5']],
    ['12.50 is in the file', ['0.5;1,250.00', '0.5;12.50', '1;"1,250"'], ['1250', '12.5', 'number']],
    ['nothing shows the mark', ['1;1.250', '1;1,250', '1;12'], ['number', 'number', '12']],
    ['both marks are in the file', ['0.5;12,50', '0.5;1.250'], ['12.5', 'number']],
  ])(
    'takes a mark before three digits of a price for what the other numbers show: %s',
    async (_, lines, prices) => {
      const rows = lines.map((line, index) => `P${index};Book;${line}`)
      const read = await readCatalogue(Buffer.from(['code;name;weight;price', ...rows].join('\n')))
      if (!read.ok) throw new Error(read.error.code)
      const { products, issues } = read.value
      const found = lines.map(
        (_, index) =>
          products.find(({ code }) => code === `P${index}`)?.price.toString() ??
          issues.find(({ line, column }) => line === index + 2 && column === 'price')?.code,
      )
      expect(found).toEqual(prices)
    },
  )

  it.each([
    ['«12,50» among the prices says nothing of it', ['1.250;12,50', '2.000;9,95'], [1.25, 2]],
    ['«0,5» among the weights does, whatever the prices show', ['1.250;12.50', '0,5;9.95'], [1250, 0.5]],
  ])(
    'takes a mark before three digits of a weight for what the other weights show: %s',
    async (_, lines, weights) => {
      const rows = lines.map((line, index) => `P${index};Book;${line}`)
      const read = await readCatalogue(Buffer.from(['code;name;weight;price', ...rows].join('\n')))
      if (!read.ok) throw new Error(read.error.code)
      expect(read.value.products.map(({ weight }) => weight)).toEqual(weights)
    },
  )

  it('is saved without a cell that a spreadsheet program would run', async () => {
    const formula = { code: '=1+1', name: '@SUM(A1)', hsCode: '', countryOfOrigin: '', weight: 0, price: 0 }
    const text = Buffer.from(await writeCatalogue([formula], 'csv')).toString('utf8')
    expect(text.split('\r\n')[1]).toBe("'=1+1,'@SUM(A1),,,0,0")
  })
})

describe('cells on the clipboard', () => {
  it('are read back unchanged, including tabs, quotes and line breaks', () => {
    const cells = [
      ['a', '', 'tab\there'],
      ['"quoted"', 'line\nbreak', ''],
    ]
    expect(fromTsv(toTsv(cells))).toEqual(cells)
    expect(fromTsv('1\t2\r\n3\t4\r\n')).toEqual([
      ['1', '2'],
      ['3', '4'],
    ])
    expect(fromTsv('')).toEqual([])
  })
})

it('needsCustomsDecision requires a person’s decision for a parcel to Great Britain or Northern Ireland, but not to Germany', () => {
  const from = (postalCode: string) => needsCustomsDecision('NL', { country: 'GB', postalCode })
  expect([from('BT1 1AA'), from('SW1A 1AA')]).toEqual([true, true])
  expect(needsCustomsDecision('NL', { country: 'DE', postalCode: '10115' })).toBe(false)
})
