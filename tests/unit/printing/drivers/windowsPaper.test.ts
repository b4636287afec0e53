import { describe, expect, it } from 'vitest'
import { choosePaper } from '../../../../src/main/printing/drivers/windowsQueues'

const label = { widthMm: 100, heightMm: 150 }
const inches = { widthMm: 101.6, heightMm: 152.4 }

/** Papers whose size is unknown. */
function named(...names: string[]) {
  return names.map((name) => ({ name, size: undefined, kind: undefined }))
}

describe('choosePaper', () => {
  it.each([
    ['100 x 150 mm', label],
    ['User defined 100mm x 150mm', label],
    ['10 x 15 cm', label],
    ['100x150', label],
    ['4" x 6"', inches],
    ['4 x 6', inches],
    ['4.00x6.00 inches', inches],
    ['A6', { widthMm: 105, heightMm: 148 }],
    ['a4', { widthMm: 210, heightMm: 297 }],
  ])('chooses «%s» for stock of the size that its name states', (name, stock) => {
    expect(choosePaper(named('Letter', 'Postcard', name), stock)?.paper).toBe(name)
  })

  it.each([
    [['A4', 'Letter'], label],
    [['4 x 6'], label],
    [['100,0 x 150,0 mm'], label],
    [[], label],
  ])('chooses no paper when none of %j has the size of the stock', (names, stock) => {
    expect(choosePaper(named(...names), stock)).toBeUndefined()
  })

  it.each([
    ['from the size that the driver states for a roll', '62mm', { widthMm: 62, heightMm: 100 }, 'portrait'],
    ['from the size in its name', '100 x 20 mm', undefined, 'landscape'],
    ['but not from the stock', '62mm', undefined, undefined],
  ])('derives the orientation of a paper %s', (_what, name, size, orientation) => {
    const papers = [{ name, size, kind: 257 }]
    const stock = name === '62mm' ? { widthMm: 62, heightMm: 29 } : { widthMm: 20, heightMm: 100 }
    for (const wanted of [undefined, name]) {
      expect(choosePaper(papers, stock, wanted)).toEqual({ paper: name, orientation })
    }
  })
})
