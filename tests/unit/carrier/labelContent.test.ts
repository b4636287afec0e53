import { describe, expect, it } from 'vitest'
import { readLabel } from '../../../src/main/carrier/createShipment'

const pdf = Buffer.from('%PDF-1.4 a label\n%%EOF\n')
const zpl = Buffer.from('^XA^FDlabel^FS^XZ')
const base64 = pdf.toString('base64')
const validLabel = {
  barcode: '3S1',
  labeltype: 'pdf',
  encodeType: 'base64',
  content: base64,
  shipmentId: '7',
}

describe('readLabel', () => {
  it('decodes a PDF label of a direct label response', () => {
    expect(readLabel(validLabel)).toEqual({
      barcode: '3S1',
      kind: 'pdf',
      bytes: pdf,
      problem: null,
    })
  })

  it.each([
    ['upper case words', { labeltype: 'PDF', encodeType: 'BASE64' }],
    ['line breaks', { content: `${base64.slice(0, 10)}\r\n${base64.slice(10)}\n` }],
    ['no encodeType', { encodeType: undefined }],
    ['no padding', { content: base64.replace(/=+$/, '') }],
    ['no padding and no last line break', { content: base64.slice(0, -2) }],
    ['a prefix that makes it a data URL', { content: `data:application/pdf;base64,${base64}` }],
    ['a data URL and no encodeType', { content: ` data:;base64,${base64}`, encodeType: 'data-url' }],
    ['no labeltype', { labeltype: undefined }],
    ['an empty labeltype', { labeltype: '' }],
    ['a media type for labeltype', { labeltype: 'application/pdf' }],
    ['a labeltype that contradicts its bytes', { labeltype: 'zpl' }],
    ['junk before the PDF', { content: Buffer.concat([Buffer.from('\n\n'), pdf]).toString('base64') }],
  ])('decodes a PDF label with %s', (_name, change) => {
    expect(readLabel({ ...validLabel, ...change })).toMatchObject({ kind: 'pdf', problem: null })
  })

  it('returns a ZPL label byte for byte', () => {
    const label = readLabel({ ...validLabel, labeltype: 'Zpl', content: zpl.toString('base64') })
    expect(label).toMatchObject({ kind: 'zpl', bytes: zpl, problem: null })
  })

  it.each([undefined, 'label', 'PDF'])(
    'recognizes ZPL by its first bytes when the label type is %j',
    (labeltype) => {
      const label = readLabel({ ...validLabel, labeltype, content: zpl.toString('base64') })
      expect(label).toMatchObject({ kind: 'zpl', bytes: zpl, problem: null })
    },
  )

  it('decodes base64url with and without padding', () => {
    const bytes = Buffer.from('%PDF-1.4 \xfb\xff\xfe?\n%%EOF', 'latin1')
    const urlSafe = bytes.toString('base64url')
    expect(urlSafe).toMatch(/[-_]/)
    const padded = urlSafe + '='.repeat((4 - (urlSafe.length % 4)) % 4)
    for (const content of [urlSafe, padded])
      expect(readLabel({ ...validLabel, content })).toMatchObject({ bytes })
  })

  const damaged = `*${base64.slice(1)}`
  it.each([
    ['a character that is not base64', { content: damaged }, 'undecodable', damaged],
    ['its end missing', { content: base64.slice(0, -3) }, 'undecodable', base64.slice(0, -3)],
    [
      'its end missing as if it were padding',
      { content: base64.slice(0, -5) },
      'undecodable',
      base64.slice(0, -5),
    ],
    ['too little padding', { content: 'QQ=' }, 'undecodable', 'QQ='],
    ['padding in the middle', { content: 'QUI=QUI=' }, 'undecodable', 'QUI=QUI='],
    ['another encoding', { encodeType: 'hex' }, 'undecodable', base64],
    ['raw ZPL', { labeltype: 'zpl', content: '^XA^XZ' }, 'undecodable', '^XA^XZ'],
    ['a content that is no text', { content: { a: 1 } }, 'undecodable', '{"a":1}'],
    ['no content', { content: undefined }, 'empty', ''],
    ['null for content', { content: null }, 'empty', ''],
    ['empty content', { content: '' }, 'empty', ''],
    ['blank content', { content: ' \n' }, 'empty', ''],
    ['another type', { labeltype: 'png', content: 'R0lGODlh' }, 'type-unknown', 'GIF89a'],
    ['no type', { labeltype: undefined, content: 'R0lGODlh' }, 'type-unknown', 'GIF89a'],
    [
      'something else than a PDF',
      { content: Buffer.from('<html>').toString('base64') },
      'not-a-pdf',
      '<html>',
    ],
  ])('keeps the content of a label with %s and reports the problem %s', (_name, change, problem, bytes) => {
    const label = readLabel({ ...validLabel, ...change })
    expect(label).toMatchObject({ barcode: '3S1', problem })
    expect(label.bytes.toString()).toBe(bytes)
  })

  it.each([null, 7, 'text', [1]])('reports an undecodable label when the element is %j', (element) => {
    expect(readLabel(element)).toMatchObject({ barcode: '', kind: 'other', problem: 'undecodable' })
  })

  it('converts a numeric barcode to text', () => {
    expect(readLabel({ ...validLabel, barcode: 123 })).toMatchObject({ barcode: '123' })
  })

  it('decodes a label of 24 MB', () => {
    const large = Buffer.alloc(24 * 1024 * 1024, 7)
    pdf.copy(large)
    const label = readLabel({ ...validLabel, content: large.toString('base64') })
    expect(label.problem).toBeNull()
    expect(label.bytes.equals(large)).toBe(true)
  })
})
