import { describe, expect, it } from 'vitest'
import { type GreyPage, ruleFits } from '../../../src/main/printing/layout/labelLayout'
import {
  findInk,
  type Suggestion,
  suggestPlacements,
} from '../../../src/main/printing/layout/suggestPlacements'
import type { Area, SizeMm } from '../../../src/shared/labels'

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
  for (const { areas, turn, scale } of suggestions) {
    expect(ruleFits({ carrierOptionId: 1, page, stock, areas, turn, scale })).toBe(true)
  }
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

describe('suggested placements for a page whose size differs from the stock', () => {
  it('begin with the unscaled label, wherever it lies on the sheet', () => {
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

  it('begin with all quarters of a full sheet, and list all quarters of a half-full sheet before its filled half', () => {
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

  it('never begin with a placement that cuts a frame or leaves ink out', () => {
    // A 4 x 6 inch label, which is slightly larger than the stock, with a frame of 1 mm lines.
    const inch = { widthMm: 102, heightMm: 152 }
    const frame = [
      { xMm: 0.5, yMm: 0.5, widthMm: 101, heightMm: 1 },
      { xMm: 0.5, yMm: 150.5, widthMm: 101, heightMm: 1 },
      { xMm: 0.5, yMm: 0.5, widthMm: 1, heightMm: 151 },
      { xMm: 100.5, yMm: 0.5, widthMm: 1, heightMm: 151 },
    ]
    expect(suggest(inch, ...frame)[0]).toMatchObject({ areas: [{ xMm: 0, yMm: 0, ...inch }], turn: 0 })
  })

  it('place four labels by their ink when the quarters of the sheet are larger than the stock', () => {
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

  it('separate labels although cutting lines lie between them', () => {
    const sheet = { widthMm: 200, heightMm: 300 }
    const labels = [
      { xMm: 4, yMm: 4, widthMm: 90, heightMm: 140 },
      { xMm: 104, yMm: 154, widthMm: 90, heightMm: 140 },
      { xMm: 0, yMm: 149.5, widthMm: 200, heightMm: 1 },
      { xMm: 99.5, yMm: 0, widthMm: 1, heightMm: 300 },
    ]
    expect(suggest(sheet, ...labels)[0]?.areas).toHaveLength(4)
  })

  it('count a barcode as cut when the cut lies between two of its bars', () => {
    // One label without a frame over the middle of the sheet; its upright bars lie on both sides of the middle.
    const bars = Array.from({ length: 50 }, (_, bar) => ({
      xMm: 75.5 + bar,
      yMm: 60,
      widthMm: 0.5,
      heightMm: 30,
    }))
    const text = { xMm: 70, yMm: 30, widthMm: 20, heightMm: 10 }
    const [best, ...others] = suggest({ widthMm: 200, heightMm: 300 }, ...bars, text)
    expect(best).toMatchObject({ scale: 1, cut: [], leftOut: [] })
    expect(best?.areas).toHaveLength(1)
    const quarters = others.find(({ areas }) => areas.length === 4)
    expect(quarters?.cut).toHaveLength(2)
  })

  it('count ink that a slightly larger part loses at the edges of the stock', () => {
    const sheet = { widthMm: 201, heightMm: 301 }
    const full = (xMm: number, yMm: number) => ({ xMm, yMm, widthMm: 100.5, heightMm: 150.5 })
    const suggestions = suggest(sheet, full(0, 0))
    expect(suggestions[0]?.scale).toBeLessThan(1)
    expect(suggestions.find(({ areas }) => areas.length === 4)?.leftOut).not.toEqual([])
  })

  it('reduce a landscape label on the upper half no more than needed', () => {
    const label = { xMm: 10, yMm: 10, widthMm: 190, heightMm: 128 }
    const [best] = suggest(a4, label)
    expect(best).toMatchObject({ turn: 90, cut: [], leftOut: [] })
    expect(best?.scale).toBeGreaterThan(0.75)
    expect(covers(best?.areas[0], label)).toBe(true)
  })

  it('separate two labels that lie beside or above each other', () => {
    const beside = [
      { xMm: 10, yMm: 20, widthMm: 94, heightMm: 144 },
      { xMm: 160, yMm: 20, widthMm: 94, heightMm: 144 },
    ]
    const above = [
      { xMm: 30, yMm: 20, widthMm: 144, heightMm: 94 },
      { xMm: 30, yMm: 170, widthMm: 144, heightMm: 94 },
    ]
    const [wide] = suggest({ widthMm: 297, heightMm: 210 }, ...beside)
    expect(wide).toMatchObject({ turn: 0, scale: 1, cut: [], leftOut: [] })
    expect(beside.every((label, index) => covers(wide?.areas[index], label))).toBe(true)
    const [high] = suggest(a4, ...above)
    expect(high).toMatchObject({ turn: 90, scale: 1, cut: [], leftOut: [] })
    expect(above.every((label, index) => covers(high?.areas[index], label))).toBe(true)
  })

  it('include the label without its instructions, and name the place of the instructions', () => {
    const label = { xMm: 10, yMm: 10, widthMm: 96, heightMm: 146 }
    const instructions = { xMm: 10, yMm: 180, widthMm: 190, heightMm: 100 }
    const suggestions = suggest(a4, label, instructions)
    expect(suggestions[0]).toMatchObject({ cut: [], leftOut: [] })
    const alone = suggestions.find(({ areas, scale }) => areas.length === 1 && scale === 1)
    expect(alone?.cut).toEqual([])
    expect(covers(alone?.areas[0], label)).toBe(true)
    expect(alone?.leftOut).toHaveLength(1)
    expect(covers(alone?.leftOut[0], instructions)).toBe(true)
  })

  it('begin with the unscaled label when it only needs a turn, and include at most two that cut it', () => {
    const wide = { widthMm: 152, heightMm: 102 }
    const page = { widthMm: 100, heightMm: 150 }
    const label = { xMm: 3, yMm: 3, widthMm: 94, heightMm: 144 }
    const suggestions = suggestPlacements(page, wide, pageWith(page, label), dotsPerMm)
    expect(suggestions[0]).toMatchObject({ areas: [{ xMm: 0, yMm: 0, ...page }], turn: 90, scale: 1 })
    for (const { areas, cut, leftOut, scale } of suggestions) {
      expect(scale).toBeLessThanOrEqual(1)
      if (cut.length === 0 && leftOut.length === 0) expect(areas).toHaveLength(1)
    }
    expect(suggestions.filter(({ cut }) => cut.length > 0).length).toBeLessThanOrEqual(2)
  })

  it('do not count a frame along the cut as cut', () => {
    const sheet = { widthMm: 200, heightMm: 300 }
    // Frames of 0.5 mm around each quarter, whose lines lie on both sides of the cut.
    const frame = (xMm: number, yMm: number) => [
      { xMm, yMm, widthMm: 100, heightMm: 0.5 },
      { xMm, yMm: yMm + 149.5, widthMm: 100, heightMm: 0.5 },
      { xMm, yMm, widthMm: 0.5, heightMm: 150 },
      { xMm: xMm + 99.5, yMm, widthMm: 0.5, heightMm: 150 },
    ]
    const [best] = suggest(sheet, ...frame(0, 0), ...frame(100, 0), ...frame(0, 150), ...frame(100, 150))
    expect(best).toMatchObject({ scale: 1, cut: [], leftOut: [] })
    expect(best?.areas).toHaveLength(4)
    const [alone] = suggest(sheet, ...frame(0, 0))
    expect(alone).toMatchObject({ scale: 1, cut: [], leftOut: [] })
  })

  it('are at most nine', () => {
    for (const drawn of [[], [{ xMm: 2, yMm: 2, widthMm: 206, heightMm: 293 }]]) {
      expect(suggest(a4, ...drawn).length).toBeLessThanOrEqual(9)
    }
  })

  it('include the reduced whole page when nothing fits unscaled', () => {
    const suggestions = suggest(a4, { xMm: 2, yMm: 2, widthMm: 206, heightMm: 293 })
    const whole = suggestions.find(({ areas }) => areas[0]?.heightMm === a4.heightMm)
    expect(whole?.scale).toBeCloseTo(100 / 210, 2)
    expect(new Set(suggestions.map((each) => JSON.stringify(each))).size).toBe(suggestions.length)
  })

  it.each([
    { widthMm: 57, heightMm: 32 },
    { widthMm: 40, heightMm: 40 },
    { widthMm: 38, heightMm: 25 },
  ])(
    'are none for content that is too large for small stock, and keep a small label complete: %o',
    (small) => {
      // The second content leaves the corner of the page empty.
      for (const yMm of [10, 60]) {
        const drawn = { xMm: 10, yMm, widthMm: 190, heightMm: 230 }
        expect(suggestPlacements(a4, small, pageWith(a4, drawn), dotsPerMm)).toEqual([])
      }
      const label = { xMm: 150, yMm: 260, widthMm: 30, heightMm: 20 }
      const [best] = suggestPlacements(a4, small, pageWith(a4, label), dotsPerMm)
      expect(best).toMatchObject({ scale: 1, cut: [], leftOut: [] })
    },
  )

  it('exist for an empty page as well', () => {
    expect(findInk(pageWith(a4), dotsPerMm)).toBeUndefined()
    expect(suggest(a4).length).toBeGreaterThan(0)
  })
})
