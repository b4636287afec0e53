import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { labelFindingSchema } from '../../../../src/shared/labels'
import { cidFont, simpleFont, textPdf, toPdf, ucs2 } from '../../../support/printing/corpus/fonts'
import { squareFont } from '../../../support/printing/corpus/squareFont'
import { createInlineRasterizer } from '../../../support/printing/inlineRasterizer'
import { wholePages } from '../../../support/printing/layouts'
import { temporaryFolder } from '../../../support/temporaryFolder'

const rasterizer = createInlineRasterizer()
const stock = { widthMm: 100, heightMm: 150 }
const layout = wholePages([stock])
const onStock = { stock, copies: 1, placements: layout.placements }

/**
 * The findings for a label drawn as ZPL. Checks that the same label laid on stock for a system queue has the same
 * findings.
 */
async function missingIn(pdf: Buffer) {
  const [drawn, planned] = [
    await rasterizer.renderZpl(pdf, layout),
    await rasterizer.layOnStock(pdf, onStock),
  ]
  if (!drawn.ok || !planned.ok) throw new Error('the label was not drawn')
  expect(planned.value.findings).toEqual(drawn.value.findings)
  return drawn.value.findings
}

/** The value of a form field. */
const named = (text: string) => `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`
const polish = '<< /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [128 /lslash /cacute] >>'

describe('a font that is not in the PDF', () => {
  it.each([
    ['Helvetica', simpleFont('Helvetica'), '(Caf\\351 M\\374ller, \\200 12)'],
    ['Times-Bold', simpleFont('Times-Bold'), '(Consignee)'],
    ['Calibri, for which a substitute has all letters', simpleFont('Calibri'), '(Stra\\337e 12)'],
    ['SimSun with Latin letters alone', cidFont('SimSun', 'GB1', 'UniGB-UCS2-H'), ucs2('Jan Jansen')],
  ])('is not reported when it is %s', async (_, font, text) => {
    expect(await missingIn(textPdf(font, text))).toEqual([])
  })

  it('is reported with the missing characters and their place when its substitute lacks them', async () => {
    const found = await missingIn(textPdf(cidFont('SimSun', 'GB1', 'UniGB-UCS2-H'), ucs2('Jan 王小明')))
    expect(found).toMatchObject([{ kind: 'font-missing', page: 1, name: 'SimSun', text: '王小明' }])
    const [area] = found[0]?.areas ?? []
    expect(area?.xMm).toBeGreaterThan(15)
    expect(area?.yMm).toBeGreaterThan(65)
    expect((area?.yMm ?? 0) + (area?.heightMm ?? 0)).toBeLessThan(85)
  })

  it('is reported with the character that the fonts of the app lack as well', async () => {
    const font = simpleFont('Helvetica', polish.replace('/cacute', '/uni0E01'))
    expect(await missingIn(textPdf(font, '(Pawe\\200 \\201)'))).toMatchObject([
      { kind: 'font-missing', name: 'Helvetica', text: 'ก' },
    ])
  })

  it('is reported when the text refers to glyphs by their number', async () => {
    const found = await missingIn(textPdf(cidFont('ABCDEF+ArialMT', 'Identity', 'Identity-H'), '<00240025>'))
    expect(found).toMatchObject([{ kind: 'font-missing', name: 'ArialMT' }])
  })

  it.each([
    'IDAutomationHC39M',
    'Free3of9',
    '3of9Barcode',
    'Code128bWin',
    'C39HrP24DhTt',
    'LibreBarcode39-Regular',
  ])('is reported when it is the barcode font %s, although a substitute has the letters', async (name) => {
    expect(await missingIn(textPdf(simpleFont(name), '(*3STEST*)'))).toMatchObject([
      { kind: 'font-missing', name, text: '*3STEST*' },
    ])
  })

  it.each(['F0', 'E0'])(
    'is reported when its characters are in the private-use area from U+%s00 on',
    async (plane) => {
      const map = `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> <${plane}20> endbfrange endcmap end`
      const [font = ''] = simpleFont('IDAutomationHC39M')
      const mapped = [
        font.replace(/>>$/, '/ToUnicode 6 0 R >>'),
        `<< /Length ${map.length} >>\nstream\n${map}\nendstream`,
      ]
      expect(await missingIn(textPdf(mapped, '(*3STEST*)'))).toMatchObject([
        { kind: 'font-missing', name: 'IDAutomationHC39M' },
      ])
    },
  )

  it.each(['Korean', 'AngsanaUPC', 'Verdana', 'CourierCode'])(
    'is not mistaken for a barcode font because of its name %s',
    async (name) => {
      expect(await missingIn(textPdf(simpleFont(name), '(Consignee)'))).toEqual([])
    },
  )

  const drawn = `/Tx BMC BT /F1 24 Tf 2 6 Td ${ucs2('王小明')} Tj ET EMC`
  const annotations = [
    ['form field', '/Subtype /Widget /FT /Tx /T (name) /AP << /N 8 0 R >>', 'SimSun'],
    // PDFium draws such a field with a font of its own.
    [
      'form field that has only a value',
      `/Subtype /Widget /FT /Tx /T (name) /V ${named('王小明')}`,
      'ChromeSansMM',
    ],
    ['stamp', '/Subtype /Stamp /AP << /N 8 0 R >>', 'SimSun'],
  ] as const
  it.each(
    annotations.flatMap(([kind, ...annotation]) => [
      [`${kind} of a page`, false, ...annotation] as const,
      [`${kind} of a page that inherits its size`, true, ...annotation] as const,
    ]),
  )('is reported when its text is in a %s', async (_, isInherited, annotation, name) => {
    const content = '20 20 50 50 re f'
    const fonts = '/Font << /F1 5 0 R >>'
    const size = '/MediaBox [0 0 283.46 425.2]'
    const pdf = toPdf([
      `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [9 0 R] /DR << ${fonts} >> /DA (/F1 24 Tf 0 g) >> >>`,
      `<< /Type /Pages /Kids [3 0 R] /Count 1 ${isInherited ? size : ''} >>`,
      `<< /Type /Page /Parent 2 0 R ${isInherited ? '' : size} /Contents 4 0 R /Annots [9 0 R] >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ...cidFont('SimSun', 'GB1', 'UniGB-UCS2-H'),
      `<< /Type /XObject /Subtype /Form /BBox [0 0 150 30] /Resources << ${fonts} >> /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
      `<< /Type /Annot ${annotation} /F 4 /Rect [20 200 170 230] >>`,
    ])
    const found = await missingIn(pdf)
    expect(found).toMatchObject([{ kind: 'font-missing', page: 1, name, text: '王小明', areas: [{}] }])
    expect(labelFindingSchema.safeParse(found[0]).success).toBe(true)
    const [area] = found[0]?.areas ?? []
    expect(area?.xMm).toBeCloseTo(7.5, 0)
    // The annotation is 68.9 to 79.4 mm from the top.
    expect(area?.yMm).toBeGreaterThan(68)
    expect((area?.yMm ?? 0) + (area?.heightMm ?? 0)).toBeLessThan(80)
  })

  it('is not reported for invisible text, such as the text layer of a scan', async () => {
    const shown = 'ET 20 20 50 50 re f BT 3 Tr'
    const scan = textPdf(cidFont('SimSun', 'GB1', 'UniGB-UCS2-H'), ucs2('王小明'), shown)
    expect(await missingIn(scan)).toEqual([])
  })
})

describe('letters that PDFium’s own fonts lack', () => {
  /** The topmost inked row of each group of adjacent inked columns, from left to right. */
  async function inkTops(pdf: Buffer): Promise<number[]> {
    const drawn = await rasterizer.renderGrey(pdf, 8)
    if (!drawn.ok || drawn.value[0] === undefined) throw new Error('the label was not drawn')
    const { pixels, width, height } = drawn.value[0]
    const tops: number[] = []
    let wasInked = false
    for (let x = 0; x < width; x += 1) {
      const top = Array.from({ length: height }, (_, y) => y).find(
        (y) => (pixels[y * width + x] ?? 255) < 128,
      )
      if (top !== undefined && !wasInked) tops.push(top)
      else if (top !== undefined) tops.push(Math.min(top, tops.pop() ?? top))
      wasInked = top !== undefined
    }
    return tops
  }

  it.each(['Helvetica', 'Helvetica-Bold', 'Times-Roman', 'Courier', 'Calibri'])(
    'are drawn for Polish text in %s and are not reported',
    async (name) => {
      const text = '(c \\201)'
      const pdf = textPdf(simpleFont(name, polish), text)
      expect(await missingIn(pdf)).toEqual([])
      const [plain = 0, acute = 0, ...others] = await inkTops(pdf)
      expect(others).toEqual([])
      expect(acute).toBeLessThan(plain - 5)
      // Fonts for the Mac give other meanings to the codes of a TrueType font.
      const trueType = simpleFont(name, polish).map((object) => object.replace('/Type1', '/TrueType'))
      expect(await inkTops(textPdf(trueType, text))).toEqual([plain, acute])
    },
  )

  it('are sent to a system queue as dots, because the fonts of the driver may lack them as well', async () => {
    const pdf = textPdf(simpleFont('Helvetica', polish), '(c \\201)')
    const laid = await rasterizer.layOnStock(pdf, onStock)
    const sent = laid.ok ? laid.value.pdf : pdf
    expect(sent.includes('/Helvetica')).toBe(false)
    const [plain = 0, acute = 0] = await inkTops(sent)
    expect(acute).toBeLessThan(plain - 5)
  })

  it('do not change how a later label without such letters is drawn', async () => {
    const pdf = textPdf(simpleFont('Helvetica'), '(Consignee)')
    const zpl = async (label: Buffer) => {
      const drawn = await rasterizer.renderZpl(label, layout)
      return drawn.ok && drawn.value.zpl.toString('latin1')
    }
    const before = await zpl(pdf)
    await zpl(textPdf(simpleFont('Helvetica', polish), '(c \\201)'))
    expect(await zpl(pdf)).toBe(before)
  })
})

describe('a font installed on this computer', () => {
  const simSun = cidFont('SimSun', 'GB1', 'UniGB-UCS2-H')

  it('draws Chinese text whose font is not in the PDF, and characters that it lacks are still reported', async () => {
    const fonts = join(await temporaryFolder(), 'truetype', 'wqy')
    await mkdir(fonts, { recursive: true })
    await writeFile(join(fonts, 'wqy-microhei.ttc'), squareFont('王小明'))
    const withFonts = createInlineRasterizer([join(fonts, '..', '..')])
    const drawn = await withFonts.renderGrey(textPdf(simSun, ucs2('王小明')), 8)
    const blank = await rasterizer.renderGrey(textPdf(simSun, ucs2('王小明')), 8)
    expect(drawn.ok && drawn.value[0]?.pixels.includes(0)).toBe(true)
    expect(blank.ok && blank.value[0]?.pixels.every((pixel) => pixel === 255)).toBe(true)
    const printed = await withFonts.renderZpl(textPdf(simSun, ucs2('王小明')), layout)
    expect(printed).toMatchObject({ ok: true, value: { findings: [] } })
    const lacking = await withFonts.renderZpl(textPdf(simSun, ucs2('王小红')), layout)
    expect(lacking).toMatchObject({ value: { findings: [{ name: 'SimSun', text: '红' }] } })
  })

  it.each(['truetype', 'postscript'] as const)(
    'does not hide missing characters behind the box that it draws for them, with %s outlines',
    async (outlines) => {
      const fonts = await temporaryFolder()
      await writeFile(join(fonts, 'wqy-microhei.ttc'), squareFont('王小明', outlines))
      const withFonts = createInlineRasterizer([fonts])
      const drawn = await withFonts.renderGrey(textPdf(simSun, ucs2('王')), 8)
      expect(drawn.ok && drawn.value[0]?.pixels.includes(0)).toBe(true)
      const lacking = await withFonts.renderZpl(textPdf(simSun, ucs2('王小红')), layout)
      expect(lacking).toMatchObject({ value: { findings: [{ name: 'SimSun', text: '红' }] } })
    },
  )

  it('is ignored when it is damaged', async () => {
    const fonts = await temporaryFolder()
    await writeFile(join(fonts, 'wqy-microhei.ttc'), 'no font')
    const withFonts = createInlineRasterizer([fonts])
    const drawn = await withFonts.renderZpl(textPdf(simSun, ucs2('Jan 王')), layout)
    expect(drawn).toMatchObject({ value: { findings: [{ kind: 'font-missing', text: '王' }] } })
  })
})
