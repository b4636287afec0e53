import { describe, expect, it } from 'vitest'
import { checkPagesFit, sizeInWords } from '../../../src/main/printing/stock'
import { socketPrinterSchema } from '../../../src/shared/printing'

function printer(stock: { widthMm: number; heightMm: number }, rotate: 0 | 90 | 180 | 270 = 0) {
  return socketPrinterSchema.parse({ id: 'zebra', driver: 'socket', host: 'h', stock, rotate })
}

const label = { widthMm: 100, heightMm: 150 }

describe('the gate between page and stock', () => {
  it.each([
    [label, label, true],
    [{ widthMm: 100.9, heightMm: 149.1 }, label, true],
    [{ widthMm: 101.6, heightMm: 152.4 }, label, false],
    [{ widthMm: 105, heightMm: 148 }, label, false],
    [{ widthMm: 210, heightMm: 297 }, label, false],
    [{ widthMm: 150, heightMm: 100 }, label, false],
    [{ widthMm: 50, heightMm: 25 }, label, false],
  ])('page %o on stock %o: %s', (page, stock, fits) => {
    expect(checkPagesFit([page], printer(stock)).ok).toBe(fits)
  })

  it('looks at the page as it will be turned', () => {
    const wide = { widthMm: 150, heightMm: 100 }
    expect(checkPagesFit([wide], printer(label, 90)).ok).toBe(true)
    expect(checkPagesFit([wide], printer(label, 270)).ok).toBe(true)
    expect(checkPagesFit([wide], printer(label, 180)).ok).toBe(false)
    expect(checkPagesFit([label], printer(label, 180)).ok).toBe(true)
  })

  it('wants every page to fit and names both sizes', () => {
    const checked = checkPagesFit([label, { widthMm: 210, heightMm: 297 }], printer(label))
    expect(checked).toMatchObject({
      ok: false,
      error: {
        code: 'stock-not-supported',
        details: { page: '210 x 297 mm', stock: '100 x 150 mm', printer: 'zebra' },
      },
    })
  })

  it('writes sizes with one decimal at most', () => {
    expect(sizeInWords({ widthMm: 101.6, heightMm: 152.39999 })).toBe('101.6 x 152.4 mm')
  })
})
