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

/** Places the whole page on a label. */
function placeOnLabel(drawn: GreyPage, on: ZplLayout, turn: Turn = 0) {
  const area = { xMm: 0, yMm: 0, widthMm: drawn.width / on.dotsPerMm, heightMm: drawn.height / on.dotsPerMm }
  return placeAreaOnLabel(drawn, { page: 0, area, turn, scale: 1 }, on)
}

/** A page whose pixels are computed from their coordinates. */
function page(width: number, height: number, grey: (x: number, y: number) => number): GreyPage {
  const pixels = new Uint8Array(width * height)
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) pixels[y * width + x] = grey(x, y)
  return { width, height, pixels }
}

/** The same pseudo-random pattern in each run, with equal dots in sequences of several lengths. */
function pattern(x: number, y: number): number {
  const seed = Math.imul((x >> (y % 7)) + 31, Math.imul(y >> 1, 2654435761) + 17)
  return ((seed >>> 13) & 3) === 0 ? 0 : 255
}

function onePicture(zpl: string) {
  const [picture, ...others] = readZplPictures(zpl)
  if (picture === undefined || others.length > 0) throw new Error('not one picture')
  return picture
}

describe('encoding a page in ZPL', () => {
  it.each([
    [30, 20],
    [801, 333],
    [8, 1],
    [4000, 12],
  ])('reproduces each dot of a page of %i x %i dots', (width, height) => {
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

  it('compresses a page of 800 x 1200 dots with equal rows to less than 2000 characters', () => {
    const placed = layout({ widthDots: 800, heightDots: 1200 })
    const bars = page(800, 1200, (x) => (x % 16 < 8 ? 0 : 255))
    expect(toZpl(placeOnLabel(bars, placed), placed).length).toBeLessThan(2000)
  })

  it('prints grey levels below 128 as black and the others as white', () => {
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
  ] as const)('turns the page by %i degrees, which moves a dot to %i, %i', (rotate, x, y) => {
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

  it('cuts off ink that lies beyond the edges of the label', () => {
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

  it('are converted to dots, 8 per millimetre at 203 dpi', () => {
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
  ])('convert %i dpi to %d dots per millimetre', (dpi, dotsPerMm) => {
    const printer = socketPrinterSchema.parse({ ...settings, dpi })
    expect(toZplLayout(printer, [])).toMatchObject({
      dotsPerMm,
      widthDots: Math.round(100 * dotsPerMm),
      heightDots: Math.round(150 * dotsPerMm),
    })
  })

  it('add the number of copies, speed and darkness to the label, and no darkness when it is not set', () => {
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
  ] as const)(
    'with %j is written in each drawn label, and before a carrier’s ZPL, as %s',
    (profile, command) => {
      const zpl = toZpl(blank, layout(profile))
      expect(zpl.indexOf(command)).toBeGreaterThan(zpl.indexOf('^MD0'))
      expect(zpl.indexOf(command)).toBeLessThan(zpl.indexOf('^GFA'))
      const before = zplProfile(profile).toString()
      expect(before).toMatch(/^\^XA[^\n]*\^XZ\n$/)
      expect(before).toContain(command)
    },
  )

  it('adds no command for a setting that is not set, so that the setting of the printer applies', () => {
    expect(toZpl(blank, layout())).not.toMatch(/\^M[MN]|\^PR|~SD|\^MD[^0]/)
    expect(zplProfile({}).length).toBe(0)
  })

  it('adds no command that stores settings in the printer', () => {
    const all = {
      stockTracking: 'mark',
      printMode: 'cutter',
      darkness: 9,
      darknessChange: 3,
      speed: 2,
    } as const
    expect(toZpl(blank, layout(all)) + zplProfile(all).toString()).not.toMatch(/\^JU|setvar/)
  })

  it('resets a change of darkness after a carrier’s ZPL', () => {
    const after = zplResetFor({ darknessChange: 5 }).toString()
    expect(after).toContain('^MD0')
    expect(after).not.toContain('^MD5')
  })
})

describe('a label on continuous stock', () => {
  const continuous = layout({ isContinuous: true, widthDots: 20, heightDots: 20 })

  it('ends 5 mm after the last ink of the page', () => {
    const drawn = page(20, 400, (x, y) => (x === 3 && (y === 10 || y === 199) ? 0 : 255))
    const bitmap = trimLabel(placeOnLabel(drawn, continuous), continuous)
    const picture = onePicture(toZpl(bitmap, continuous))
    expect([picture.width, picture.height]).toEqual([20, 240])
    expect([picture.dot(3, 10), picture.dot(3, 199)]).toEqual([true, true])
  })

  it('ends with the page when the last ink is less than 5 mm from the end of the page', () => {
    const drawn = page(20, 400, (_, y) => (y === 390 ? 0 : 255))
    expect(trimLabel(placeOnLabel(drawn, continuous), continuous).height).toBe(400)
  })

  it('becomes longer by a downward offset, which cuts off nothing', () => {
    const shifted = { ...continuous, offsetDots: { x: 0, y: 16 } }
    const drawn = page(20, 400, (_, y) => (y === 399 ? 0 : 255))
    const bitmap = trimLabel(placeOnLabel(drawn, shifted), shifted)
    expect(bitmap.height).toBe(416)
    expect(onePicture(toZpl(bitmap, shifted)).dot(5, 415)).toBe(true)
  })
})

describe('the commands that undo what an earlier label left in the printer', () => {
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

  it.each(resets)('contain %s before a drawn label and after a carrier’s ZPL', (reset) => {
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
  })

  it('restore darkness and speed from the settings', () => {
    expect(zplResetFor({ darkness: 8, speed: 4 }).toString()).toMatch(/^~SD08\n\^XA[^\n]*\^PR4\^XZ\n$/)
  })

  it('are a ZPL format that prints nothing', () => {
    expect(zplReset.toString()).toMatch(/^\^XA[^\n]*\^XZ\n$/)
    expect(zplReset.toString()).not.toMatch(/\^(F[DOTV]|G|B[0-9A-X]|X[FG])/)
  })
})
