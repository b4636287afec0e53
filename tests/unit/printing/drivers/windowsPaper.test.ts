import { describe, expect, it } from 'vitest'
import { choosePaper } from '../../../../src/main/printing/drivers/windowsQueues'

const label = { widthMm: 100, heightMm: 150 }
const inches = { widthMm: 101.6, heightMm: 152.4 }

/** Papers of which only the names are known. */
function named(...names: string[]) {
  return names.map((name) => ({ name, size: undefined, kind: undefined }))
}

describe('papers of Windows drivers', () => {
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
  ])('«%s» is known by its size', (name, stock) => {
    expect(choosePaper(named('Letter', 'Postcard', name), stock)?.paper).toBe(name)
  })

  it.each([
    [['A4', 'Letter'], label],
    [['4 x 6'], label],
    [['100,0 x 150,0 mm'], label],
    [[], label],
  ])('%j has none of the size', (names, stock) => {
    expect(choosePaper(named(...names), stock)).toBeUndefined()
  })

  it.each([
    ['as the driver states a roll', '62mm', { widthMm: 62, heightMm: 100 }, 'portrait'],
    ['as its name says', '100 x 20 mm', undefined, 'landscape'],
    ['not by the stock', '62mm', undefined, undefined],
  ])('one is turned %s', (_what, name, size, orientation) => {
    const papers = [{ name, size, kind: 257 }]
    const stock = name === '62mm' ? { widthMm: 62, heightMm: 29 } : { widthMm: 20, heightMm: 100 }
    for (const wanted of [undefined, name]) {
      expect(choosePaper(papers, stock, wanted)).toEqual({ paper: name, orientation })
    }
  })
})
