import { describe, expect, it } from 'vitest'
import { ruleFits } from '../../../src/main/printing/gate'
import type { GreyPage } from '../../../src/main/printing/raster/rasterizer'
import { inkOf, type Suggestion, suggestPlacements } from '../../../src/main/printing/suggestPlacements'
import type { Area, SizeMm } from '../../../src/shared/labelRules'

const a4 = { widthMm: 210, heightMm: 297 }
const stock = { widthMm: 100, heightMm: 150 }
const dotsPerMm = 2

/** A page with filled rectangles, in millimetres. */
function pageWith(page: SizeMm, ...drawn: Area[]): GreyPage {
  const width = Math.round(page.widthMm * dotsPerMm)
  const height = Math.round(page.heightMm * dotsPerMm)
  const pixels = new Uint8Array(width * height).fill(255)
  for (const { xMm, yMm, widthMm, heightMm } of drawn) {
    for (let y = yMm * dotsPerMm; y < (yMm + heightMm) * dotsPerMm; y += 1) {
      pixels.fill(0, y * width + xMm * dotsPerMm, y * width + (xMm + widthMm) * dotsPerMm)
    }
  }
  return { width, height, pixels }
}

function suggest(page: SizeMm, ...drawn: Area[]): Suggestion[] {
  const suggestions = suggestPlacements(page, stock, pageWith(page, ...drawn), dotsPerMm)
  for (const each of suggestions) expect(ruleFits({ carrierOptionId: 1, page, stock, ...each })).toBe(true)
  return suggestions
}

function covers(outer: Area | undefined, inner: Area): boolean {
  return (
    outer !== undefined &&
    outer.xMm <= inner.xMm &&
    outer.yMm <= inner.yMm &&
    outer.xMm + outer.widthMm >= inner.xMm + inner.widthMm &&
    outer.yMm + outer.heightMm >= inner.yMm + inner.heightMm
  )
}

describe('suggestions for a page that is not of the label’s size', () => {
  it('frame a label in size first, wherever it lies on the sheet', () => {
    for (const corner of [
      { xMm: 5, yMm: 5 },
      { xMm: 110, yMm: 140 },
      { xMm: 60, yMm: 70 },
    ]) {
      const label = { ...corner, widthMm: 94, heightMm: 144 }
      const [best] = suggest(a4, label)
      expect(best).toMatchObject({ turn: 0, scale: 1, areas: [stock] })
      expect(covers(best?.areas[0], label)).toBe(true)
    }
  })

  it('turn a label that lies on its side', () => {
    const label = { xMm: 10, yMm: 10, widthMm: 140, heightMm: 90 }
    const [best] = suggest(a4, label)
    expect(best).toMatchObject({ turn: 90, scale: 1, areas: [{ widthMm: 150, heightMm: 100 }] })
    expect(covers(best?.areas[0], label)).toBe(true)
    expect(suggest({ widthMm: 150, heightMm: 100 }, label)[0]).toMatchObject({ turn: 90, scale: 1 })
  })

  it('take all quarters of a sheet for four before the filled half of one', () => {
    const sheet = { widthMm: 200, heightMm: 300 }
    const quarters = [
      { xMm: 4, yMm: 4, widthMm: 90, heightMm: 140 },
      { xMm: 104, yMm: 4, widthMm: 90, heightMm: 140 },
      { xMm: 4, yMm: 154, widthMm: 90, heightMm: 140 },
      { xMm: 104, yMm: 154, widthMm: 90, heightMm: 140 },
    ]
    const [best] = suggest(sheet, ...quarters)
    expect(best?.areas).toHaveLength(4)
    expect(quarters.every((quarter, index) => covers(best?.areas[index], quarter))).toBe(true)
    const half = suggest(sheet, ...quarters.slice(0, 2)).filter(({ areas }) => areas.length > 1)
    expect(half.map(({ areas }) => areas.map(({ xMm, yMm }) => [xMm, yMm]))).toEqual([
      [
        [0, 0],
        [100, 0],
        [0, 150],
        [100, 150],
      ],
      [
        [0, 0],
        [100, 0],
      ],
    ])
  })

  it('never begin with one that cuts through a frame or leaves something out', () => {
    // A 4 x 6 inch label with a frame, which is a little larger than the stock, as lines of 1 mm.
    const inch = { widthMm: 102, heightMm: 152 }
    const frame = [
      { xMm: 0.5, yMm: 0.5, widthMm: 101, heightMm: 1 },
      { xMm: 0.5, yMm: 150.5, widthMm: 101, heightMm: 1 },
      { xMm: 0.5, yMm: 0.5, widthMm: 1, heightMm: 151 },
      { xMm: 100.5, yMm: 0.5, widthMm: 1, heightMm: 151 },
    ]
    expect(suggest(inch, ...frame)[0]).toMatchObject({ areas: [{ xMm: 0, yMm: 0, ...inch }], turn: 0 })
  })

  it('take four labels whose quarters of the sheet are larger than the stock, each around its drawing', () => {
    const labels = [
      { xMm: 6, yMm: 4, widthMm: 92, heightMm: 140 },
      { xMm: 112, yMm: 4, widthMm: 92, heightMm: 140 },
      { xMm: 6, yMm: 153, widthMm: 92, heightMm: 140 },
      { xMm: 112, yMm: 153, widthMm: 92, heightMm: 140 },
    ]
    const [best] = suggest(a4, ...labels)
    expect(best).toMatchObject({ turn: 0, scale: 1 })
    expect(labels.every((label, index) => covers(best?.areas[index], label))).toBe(true)
  })

  it('take a cutting line between labels for no reason to keep them together', () => {
    const sheet = { widthMm: 200, heightMm: 300 }
    const labels = [
      { xMm: 4, yMm: 4, widthMm: 90, heightMm: 140 },
      { xMm: 104, yMm: 154, widthMm: 90, heightMm: 140 },
      { xMm: 0, yMm: 149.5, widthMm: 200, heightMm: 1 },
      { xMm: 99.5, yMm: 0, widthMm: 1, heightMm: 300 },
    ]
    expect(suggest(sheet, ...labels)[0]?.areas).toHaveLength(4)
  })

  it('come down to the whole page made smaller where nothing fits in size', () => {
    const suggestions = suggest(a4, { xMm: 2, yMm: 2, widthMm: 206, heightMm: 293 })
    const whole = suggestions.find(({ areas }) => areas[0]?.heightMm === a4.heightMm)
    expect(whole?.scale).toBeCloseTo(100 / 210, 2)
    expect(new Set(suggestions.map((each) => JSON.stringify(each))).size).toBe(suggestions.length)
  })

  it('are there for an empty page too', () => {
    expect(inkOf(pageWith(a4), dotsPerMm)).toBeUndefined()
    expect(suggest(a4).length).toBeGreaterThan(0)
  })
})
