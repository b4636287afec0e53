import type { Area, PlacementRule, SizeMm, Turn } from '../../shared/labelRules'
import { ruleFits } from './gate'
import type { GreyPage } from './raster/rasterizer'
import { turned } from './stock'

/** A way to put a page on a label, for a person to take or to change. */
export type Suggestion = Pick<PlacementRule, 'areas' | 'turn' | 'scale'>

/** Paper around what is drawn, so that a border does not lie on the label's very edge. */
const marginMm = 1
/** Lighter than this is paper. */
const paper = 200

/**
 * Guesses where the label lies on a page that is not of the label's size: first without scaling, around what is drawn;
 * then quarters and halves of the sheet; last the whole page made smaller or larger. Only what fits is suggested.
 * @param picture of the page, at `dotsPerMm`
 */
export function suggestPlacements(
  page: SizeMm,
  stock: SizeMm,
  picture: GreyPage,
  dotsPerMm: number,
): Suggestion[] {
  const whole: Area = { xMm: 0, yMm: 0, ...page }
  const ink = inkOf(picture, dotsPerMm)
  const candidates: Suggestion[] = [
    { areas: [whole], turn: 90, scale: 1 },
    ...(ink === undefined ? [] : aroundInk(ink, page, stock)),
    ...sheetParts(page).flatMap((areas) => [
      // All of them first: the rule holds for later sheets too, on which every place may be filled.
      { areas, turn: 0 as const, scale: 1 },
      ...(ink === undefined ? [] : [{ areas: filledOf(areas, ink), turn: 0 as const, scale: 1 }]),
    ]),
    ...atCorner(page, stock),
    ...([0, 90] as const).map((turn) => scaled(whole, stock, turn)),
  ]
  const sound = candidates.filter(
    ({ areas, turn, scale }) =>
      areas.length > 0 && ruleFits({ carrierOptionId: 0, page, stock, areas, turn, scale }),
  )
  const keys = sound.map((each) => JSON.stringify(each))
  return sound.filter((_, index) => keys.indexOf(keys[index] ?? '') === index)
}

/** The part of the page that is drawn on; undefined when it is empty. */
export function inkOf({ width, height, pixels }: GreyPage, dotsPerMm: number): Area | undefined {
  let [left, right, top, bottom] = [width, -1, height, -1]
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if ((pixels[y * width + x] ?? 255) >= paper) continue
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = y
    }
  }
  if (right < left) return undefined
  return {
    xMm: left / dotsPerMm,
    yMm: top / dotsPerMm,
    widthMm: (right - left + 1) / dotsPerMm,
    heightMm: (bottom - top + 1) / dotsPerMm,
  }
}

/** An area of the stock's size with the drawing in its middle, upright and turned. */
function aroundInk(ink: Area, page: SizeMm, stock: SizeMm): Suggestion[] {
  return ([0, 90] as const).flatMap((turn) => {
    const size = turned(stock, turn)
    if (ink.widthMm > size.widthMm || ink.heightMm > size.heightMm) return []
    const middle = {
      xMm: ink.xMm + (ink.widthMm - size.widthMm) / 2,
      yMm: ink.yMm + (ink.heightMm - size.heightMm) / 2,
    }
    return [{ areas: [onPage({ ...middle, ...size }, page)], turn, scale: 1 }]
  })
}

/** The sheet in four, and in two: how labels are commonly laid out on A4 and Letter. */
function sheetParts({ widthMm, heightMm }: SizeMm): Area[][] {
  const half = { widthMm: widthMm / 2, heightMm: heightMm / 2 }
  const quarters = [0, 1].flatMap((row) =>
    [0, 1].map((column) => ({ xMm: column * half.widthMm, yMm: row * half.heightMm, ...half })),
  )
  const upperAndLower = [0, 1].map((row) => ({
    xMm: 0,
    yMm: row * half.heightMm,
    widthMm,
    heightMm: half.heightMm,
  }))
  return [quarters, upperAndLower]
}

function atCorner(page: SizeMm, stock: SizeMm): Suggestion[] {
  return ([0, 90] as const).map((turn) => {
    const size = turned(stock, turn)
    return { areas: [onPage({ xMm: 0, yMm: 0, ...size }, page)], turn, scale: 1 }
  })
}

function scaled(whole: Area, stock: SizeMm, turn: Turn): Suggestion {
  const size = turned(whole, turn)
  const scale = Math.min(stock.widthMm / size.widthMm, stock.heightMm / size.heightMm)
  return { areas: [whole], turn, scale: Math.floor(scale * 1000) / 1000 }
}

/** An area moved onto the page, and cut where the page is smaller. */
function onPage(area: Area, page: SizeMm): Area {
  const widthMm = Math.min(area.widthMm, page.widthMm)
  const heightMm = Math.min(area.heightMm, page.heightMm)
  return {
    xMm: tidy(Math.max(0, Math.min(page.widthMm - widthMm, area.xMm))),
    yMm: tidy(Math.max(0, Math.min(page.heightMm - heightMm, area.yMm))),
    widthMm: tidy(widthMm),
    heightMm: tidy(heightMm),
  }
}

function tidy(millimetres: number): number {
  return Math.round(millimetres * 100) / 100
}

function filledOf(areas: readonly Area[], ink: Area): Area[] {
  return areas.filter((area) => overlaps(area, ink))
}

function overlaps(area: Area, ink: Area): boolean {
  return (
    area.xMm + area.widthMm - marginMm > ink.xMm &&
    area.yMm + area.heightMm - marginMm > ink.yMm &&
    area.xMm + marginMm < ink.xMm + ink.widthMm &&
    area.yMm + marginMm < ink.yMm + ink.heightMm
  )
}
