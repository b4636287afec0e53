import { describe, expect, it } from 'vitest'
import { type GreyPage, toZplLayout, type ZplLayout } from '../../../../src/main/printing/layout/labelLayout'
import { placeOnLabel as placeAreaOnLabel, trimLabel } from '../../../../src/main/printing/raster/bitmap'
import { toZpl, zplProfile, zplReset, zplResetFor } from '../../../../src/main/printing/raster/labelLanguages'
import type { Turn } from '../../../../src/shared/labels'
import { socketPrinterSchema } from '../../../../src/shared/printing'
import { readZplPictures } from '../../../support/printing/zplPicture'

function layout(fields: Partial<ZplLayout> = {}): ZplLayout {
  return {
    dotsPerMm: 8,
    widthDots: 30,
    heightDots: 20,
    offsetDots: { x: 0, y: 0 },
    greys: 'threshold',
    placements: [],
    copies: 1,
    ...fields,
  }
}

/** A whole page on a label. */
function placeOnLabel(drawn: GreyPage, on: ZplLayout, turn: Turn = 0) {
  const area = { xMm: 0, yMm: 0, widthMm: drawn.width / on.dotsPerMm, heightMm: drawn.height / on.dotsPerMm }
  return placeAreaOnLabel(drawn, { page: 0, area, turn, scale: 1 }, on)
}

/** A page whose pixels come from a function of their place. */
function page(width: number, height: number, grey: (x: number, y: number) => number): GreyPage {
  const pixels = new Uint8Array(width * height)
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) pixels[y * width + x] = grey(x, y)
  return { width, height, pixels }
}

/** The same pseudo-random pattern every time, in runs of several lengths. */
function pattern(x: number, y: number): number {
  const seed = Math.imul((x >> (y % 7)) + 31, Math.imul(y >> 1, 2654435761) + 17)
  return ((seed >>> 13) & 3) === 0 ? 0 : 255
}

function onePicture(zpl: string) {
  const [picture, ...others] = readZplPictures(zpl)
  if (picture === undefined || others.length > 0) throw new Error('not one picture')
  return picture
}

describe('a page as ZPL', () => {
  it.each([
    [30, 20],
    [801, 333],
    [8, 1],
    [4000, 12],
  ])('of %i x %i dots is read back dot for dot', (width, height) => {
    const drawn = page(width, height, pattern)
    const placed = layout({ widthDots: width, heightDots: height })
    const picture = onePicture(toZpl(placeOnLabel(drawn, placed), placed))
    expect([picture.width, picture.height]).toEqual([width, height])
    let wrong = 0
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) if (picture.dot(x, y) !== (pattern(x, y) === 0)) wrong += 1
    }
    expect(wrong).toBe(0)
  })

  it('is small where the page is white, black or repeats itself', () => {
    const placed = layout({ widthDots: 800, heightDots: 1200 })
    const bars = page(800, 1200, (x) => (x % 16 < 8 ? 0 : 255))
    expect(toZpl(placeOnLabel(bars, placed), placed).length).toBeLessThan(2000)
  })

  it('draws the line between black and white in the middle', () => {
    const placed = layout({ widthDots: 4, heightDots: 1 })
    const greys = [0, 127, 128, 255]
    const picture = onePicture(
      toZpl(
        placeOnLabel(
          page(4, 1, (x) => greys[x] ?? 0),
          placed,
        ),
        placed,
      ),
    )
    expect(greys.map((_, x) => picture.dot(x, 0))).toEqual([true, true, false, false])
  })

  // One black dot at (1, 2) of a page of 10 x 6 dots.
  it.each([
    [0, 1, 2],
    [90, 3, 1],
    [180, 8, 3],
    [270, 2, 8],
  ] as const)('turned by %i degrees has its dot at %i, %i', (rotate, x, y) => {
    const drawn = page(10, 6, (px, py) => (px === 1 && py === 2 ? 0 : 255))
    const placed = layout({ offsetDots: { x: 5, y: 4 } })
    const picture = onePicture(toZpl(placeOnLabel(drawn, placed, rotate), placed))
    const [left, top] = rotate % 180 === 0 ? [15, 11] : [17, 9]
    const black: string[] = []
    for (let py = 0; py < 20; py += 1) {
      for (let px = 0; px < 30; px += 1) if (picture.dot(px, py)) black.push(`${px},${py}`)
    }
    // In the middle of the label, then shifted.
    expect(black).toEqual([`${x + left},${y + top}`])
  })

  it('cuts off what reaches past the label on every side', () => {
    const black = page(100, 100, () => 0)
    for (const offsetDots of [
      { x: -15, y: -10 },
      { x: 55, y: 55 },
    ]) {
      const placed = layout({ offsetDots })
      const picture = onePicture(toZpl(placeOnLabel(black, placed), placed))
      expect(picture.dot(29, 19)).toBe(true)
      expect(picture.dot(0, 0)).toBe(offsetDots.x < 0)
      expect(picture.dot(30, 0)).toBe(false)
    }
    const away = layout({ offsetDots: { x: 5000, y: 5000 } })
    expect(onePicture(toZpl(placeOnLabel(black, away), away)).dot(29, 19)).toBe(false)
  })
})

describe('the printer’s settings', () => {
  const settings = { id: 'z', driver: 'socket', host: 'h' }

  it('become dots: 8 in a millimetre at 203 dpi', () => {
    const printer = socketPrinterSchema.parse({
      ...settings,
      offsetMm: { x: 1, y: -2.5 },
      copies: 3,
      darkness: 5,
    })
    expect(toZplLayout(printer, [])).toEqual({
      dotsPerMm: 8,
      widthDots: 800,
      heightDots: 1200,
      offsetDots: { x: 8, y: -20 },
      greys: 'threshold',
      placements: [],
      darkness: 5,
      copies: 3,
    })
    const fine = socketPrinterSchema.parse({ ...settings, dpi: 300 })
    expect(toZplLayout(fine, [])).toMatchObject({ widthDots: 1181, heightDots: 1772 })
  })

  it.each([
    [152, 6],
    [203, 8],
    [300, 300 / 25.4],
    [305, 12],
    [406, 16],
    [600, 600 / 25.4],
    [609, 24],
  ])('name a print head of %i dpi, which has %d dots in a millimetre', (dpi, dotsPerMm) => {
    const printer = socketPrinterSchema.parse({ ...settings, dpi })
    expect(toZplLayout(printer, [])).toMatchObject({
      dotsPerMm,
      widthDots: Math.round(100 * dotsPerMm),
      heightDots: Math.round(150 * dotsPerMm),
    })
  })

  it('set darkness only when asked to, and the number of copies', () => {
    const bitmap = placeOnLabel(
      page(4, 4, () => 255),
      layout(),
    )
    expect(toZpl(bitmap, layout())).not.toContain('~SD')
    const zpl = toZpl(bitmap, layout({ darkness: 7, copies: 4 }))
    expect(zpl).toMatch(/^~SD07\n\^XA\^PON[^\n]*\n\^PW30\n\^LL20\n/)
    expect(toZpl(bitmap, layout({ speed: 3 }))).toMatch(/\^XA\^PON[^\n]*\n\^PR3\n/)
    expect(zpl).toMatch(/\^PQ4\n\^XZ\n$/)
  })
})

describe('a printer’s profile', () => {
  const blank = placeOnLabel(
    page(4, 4, () => 255),
    layout(),
  )

  it.each([
    [{ stockTracking: 'gap' }, '^MNY'],
    [{ stockTracking: 'mark' }, '^MNM'],
    [{ stockTracking: 'continuous' }, '^MNN'],
    [{ printMode: 'tear-off' }, '^MMT'],
    [{ printMode: 'peel-off' }, '^MMP'],
    [{ printMode: 'cutter' }, '^MMC'],
    [{ darknessChange: -4 }, '^MD-4'],
    [{ speed: 4 }, '^PR4'],
  ] as const)('with %j is said in each label, and before a carrier’s ZPL, as %s', (profile, command) => {
    const zpl = toZpl(blank, layout(profile))
    expect(zpl.indexOf(command)).toBeGreaterThan(zpl.indexOf('^MD0'))
    expect(zpl.indexOf(command)).toBeLessThan(zpl.indexOf('^GFA'))
    const before = zplProfile(profile).toString()
    expect(before).toMatch(/^\^XA[^\n]*\^XZ\n$/)
    expect(before).toContain(command)
  })

  it('is said of what is set alone: what is not stays as it is set at the printer', () => {
    expect(toZpl(blank, layout())).not.toMatch(/\^M[MN]|\^PR|~SD|\^MD[^0]/)
    expect(zplProfile({}).length).toBe(0)
  })

  it('stores nothing in the printer', () => {
    const all = {
      stockTracking: 'mark',
      printMode: 'cutter',
      darkness: 9,
      darknessChange: 3,
      speed: 2,
    } as const
    expect(toZpl(blank, layout(all)) + zplProfile(all).toString()).not.toMatch(/\^JU|setvar/)
  })

  it('takes a change of darkness back after a carrier’s ZPL', () => {
    const after = zplResetFor({ darknessChange: 5 }).toString()
    expect(after).toContain('^MD0')
    expect(after).not.toContain('^MD5')
  })
})

describe('continuous stock', () => {
  const continuous = layout({ isContinuous: true, widthDots: 20, heightDots: 20 })

  it('is as long as the page down to its last ink, and 5 mm more', () => {
    const drawn = page(20, 400, (x, y) => (x === 3 && (y === 10 || y === 199) ? 0 : 255))
    const bitmap = trimLabel(placeOnLabel(drawn, continuous), continuous)
    const picture = onePicture(toZpl(bitmap, continuous))
    expect([picture.width, picture.height]).toEqual([20, 240])
    expect([picture.dot(3, 10), picture.dot(3, 199)]).toEqual([true, true])
  })

  it('ends with the page when its last ink is near', () => {
    const drawn = page(20, 400, (_, y) => (y === 390 ? 0 : 255))
    expect(trimLabel(placeOnLabel(drawn, continuous), continuous).height).toBe(400)
  })

  it('is longer by a shift down, which cuts nothing', () => {
    const shifted = { ...continuous, offsetDots: { x: 0, y: 16 } }
    const drawn = page(20, 400, (_, y) => (y === 399 ? 0 : 255))
    const bitmap = trimLabel(placeOnLabel(drawn, shifted), shifted)
    expect(bitmap.height).toBe(416)
    expect(onePicture(toZpl(bitmap, shifted)).dot(5, 415)).toBe(true)
  })
})

describe('what an earlier label left in the printer', () => {
  const resets = [
    '^PON',
    '^PMN',
    '^LRN',
    '^LS0',
    '^LT0',
    '^LH0,0',
    '^FWN',
    '^MCY',
    '^JMA',
    '^MUD',
    '^MD0',
    '^CI0',
  ]

  it.each(resets)(
    'is taken back with %s before a label that is drawn here, and after one that is not',
    (reset) => {
      const zpl = toZpl(
        placeOnLabel(
          page(4, 4, () => 255),
          layout(),
        ),
        layout(),
      )
      expect(zpl.indexOf(reset)).toBeGreaterThan(0)
      expect(zpl.indexOf(reset)).toBeLessThan(zpl.indexOf('^GFA'))
      expect(zplReset.toString()).toContain(reset)
    },
  )

  it('puts darkness and speed back where the settings state them', () => {
    expect(zplResetFor({ darkness: 8, speed: 4 }).toString()).toMatch(/^~SD08\n\^XA[^\n]*\^PR4\^XZ\n$/)
  })

  it('is taken back by a format that prints nothing', () => {
    expect(zplReset.toString()).toMatch(/^\^XA[^\n]*\^XZ\n$/)
    expect(zplReset.toString()).not.toMatch(/\^(F[DOTV]|G|B[0-9A-X]|X[FG])/)
  })
})
