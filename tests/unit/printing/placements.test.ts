import { describe, expect, it } from 'vitest'
import { sizeInWords } from '../../../src/main/printing/layout/geometry'
import { planPlacements, ruleFits, withRule } from '../../../src/main/printing/layout/labelLayout'
import type { PlacementRule } from '../../../src/shared/labels'
import { socketPrinterSchema } from '../../../src/shared/printing'

function printer(stock: { widthMm: number; heightMm: number }, rotate: 0 | 90 | 180 | 270 = 0) {
  return socketPrinterSchema.parse({ id: 'zebra', driver: 'socket', host: 'h', stock, rotate })
}

const label = { widthMm: 100, heightMm: 150 }
const a4 = { widthMm: 210, heightMm: 297 }
const wide = { widthMm: 150, heightMm: 100 }

/** The upper left part of A4 on a label. */
const rule: PlacementRule = {
  carrierOptionId: 34,
  page: a4,
  stock: label,
  areas: [{ xMm: 5, yMm: 5, ...label }],
  turn: 0,
  scale: 1,
}

function plan(
  pages: { widthMm: number; heightMm: number }[],
  on = printer(label),
  rules: PlacementRule[] = [],
  range?: { from: number; to: number },
) {
  return planPlacements({ pages, printer: on, carrierOptionId: 34, rules, range })
}

describe('placing a page on continuous stock', () => {
  const endless = { ...printer(label), stockTracking: 'continuous' as const }

  it('accepts pages of any length that are no wider than the stock', () => {
    const long = { widthMm: 100, heightMm: 420 }
    expect(plan([long], endless)).toMatchObject({
      ok: true,
      value: [{ area: { xMm: 0, yMm: 0, ...long }, turn: 0, scale: 1 }],
    })
    expect(plan([long])).toMatchObject({ ok: false, error: { code: 'label-needs-placement' } })
    expect(plan([a4], endless)).toMatchObject({ ok: false, error: { code: 'label-needs-placement' } })
  })

  it('compares the width of the page after its turn', () => {
    expect(plan([{ widthMm: 420, heightMm: 100 }], { ...endless, rotate: 90 })).toMatchObject({ ok: true })
    expect(plan([{ widthMm: 100, heightMm: 420 }], { ...endless, rotate: 90 })).toMatchObject({ ok: false })
  })
})

describe('a label with many dots', () => {
  const fine = { ...printer(a4), dpi: 600 as const }
  const pages = Array.from({ length: 6 }, () => a4)

  it('is refused with the number of pages that one job can have', () => {
    expect(plan(pages, fine)).toMatchObject({
      error: { code: 'label-too-long', details: { pages: '6', maxPages: '5' } },
    })
    expect(plan(pages, fine, [], { from: 2, to: 6 })).toMatchObject({ ok: true })
    expect(plan(pages, { ...fine, dpi: 300 })).toMatchObject({ ok: true })
  })

  it('has its dots counted at the scale of its placement', () => {
    const part = { ...rule, areas: [{ xMm: 5, yMm: 5, widthMm: 50, heightMm: 75 }], scale: 2 }
    const small = { ...printer(label), dpi: 300 as const }
    expect(plan(pages, small, [part])).toMatchObject({ error: { details: { maxPages: '5' } } })
    expect(plan(pages, small, [{ ...part, scale: 1 }])).toMatchObject({ ok: true })
  })
})

describe('placing a page on the stock', () => {
  it.each([
    [label, label, true],
    [{ widthMm: 100.9, heightMm: 149.1 }, label, true],
    [{ widthMm: 50, heightMm: 25 }, label, true],
    [label, { widthMm: 101.6, heightMm: 152.4 }, true],
    [{ widthMm: 101.6, heightMm: 152.4 }, label, false],
    [{ widthMm: 105, heightMm: 148 }, label, false],
    [a4, label, false],
    [wide, label, false],
  ])('places page %o on stock %o unscaled without a rule: %s', (page, stock, fits) => {
    const planned = plan([page], printer(stock))
    if (fits) {
      expect(planned).toEqual({
        ok: true,
        value: [{ page: 0, area: { xMm: 0, yMm: 0, ...page }, turn: 0, scale: 1 }],
      })
    } else expect(planned).toMatchObject({ ok: false, error: { code: 'label-needs-placement' } })
  })

  it('applies a chosen reduction to a page of the stock’s size, because a printer may leave edges blank', () => {
    const smaller = { ...rule, page: label, areas: [{ xMm: 0, yMm: 0, ...label }], scale: 0.9 }
    expect(plan([label], printer(label), [smaller])).toMatchObject({ ok: true, value: [{ scale: 0.9 }] })
    expect(plan([label], printer(label), [rule])).toMatchObject({ ok: true, value: [{ scale: 1 }] })
  })

  it('compares the page with the stock after its turn', () => {
    expect(plan([wide], printer(label, 90))).toMatchObject({ ok: true, value: [{ turn: 90 }] })
    expect(plan([wide], printer(label, 270)).ok).toBe(true)
    expect(plan([wide], printer(label, 180)).ok).toBe(false)
    expect(plan([label], printer(label, 180)).ok).toBe(true)
  })

  it('names the page, both sizes and the printer when the page needs a placement', () => {
    expect(plan([label, a4])).toMatchObject({
      ok: false,
      error: {
        code: 'label-needs-placement',
        details: { page: '210 x 297 mm', stock: '100 x 150 mm', printer: 'zebra', pageNumber: '2' },
      },
    })
  })

  it('applies only a rule for the same carrier option, page and stock, and keeps the order of the pages', () => {
    const two: PlacementRule = { ...rule, areas: [...rule.areas, { xMm: 105, yMm: 5, ...label }], turn: 180 }
    const planned = plan([label, a4, label], printer(label, 180), [two])
    expect(planned.ok && planned.value.map(({ page, area, turn }) => [page, area.xMm, turn])).toEqual([
      [0, 0, 180],
      [1, 5, 0],
      [1, 105, 0],
      [2, 0, 180],
    ])
    expect(plan([a4], printer(label), [{ ...rule, carrierOptionId: 35 }]).ok).toBe(false)
    expect(plan([a4], printer({ widthMm: 100, heightMm: 200 }), [rule]).ok).toBe(false)
    expect(plan([{ widthMm: 215.9, heightMm: 279.4 }], printer(label), [rule]).ok).toBe(false)
  })

  it('places only the pages in the requested range', () => {
    const planned = plan([label, a4, label, label], printer(label), [], { from: 3, to: 9 })
    expect(planned.ok && planned.value.map(({ page }) => page)).toEqual([2, 3])
    expect(plan([label], printer(label), [], { from: 2, to: 2 })).toMatchObject({
      error: { code: 'invalid-input' },
    })
  })

  it('never applies a rule that would cut a label', () => {
    const larger = { ...rule, areas: [{ xMm: 0, yMm: 0, widthMm: 105, heightMm: 148 }] }
    expect(ruleFits(rule)).toBe(true)
    expect(ruleFits(larger)).toBe(false)
    expect(ruleFits({ ...larger, scale: 0.95 })).toBe(true)
    expect(ruleFits({ ...rule, turn: 90 })).toBe(false)
    expect(ruleFits({ ...rule, areas: [{ xMm: 150, yMm: 0, ...label }] })).toBe(false)
    expect(plan([a4], printer(label), [larger]).ok).toBe(false)
  })

  it('keeps only one rule for each carrier option, page and stock', () => {
    const newer = { ...rule, page: { widthMm: 210.2, heightMm: 297 }, turn: 180 as const }
    const other = { ...rule, carrierOptionId: 35 }
    expect(withRule([rule, other], newer)).toEqual([other, newer])
  })

  it('writes sizes with at most one decimal', () => {
    expect(sizeInWords({ widthMm: 101.6, heightMm: 152.39999 })).toBe('101.6 x 152.4 mm')
  })
})
