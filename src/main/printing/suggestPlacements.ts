import type { Area, PlacementRule, SizeMm, Turn } from '../../shared/labelRules'
import { ruleFits } from './gate'
import type { GreyPage } from './raster/rasterizer'
import { liesWithin, turned } from './stock'

/** A way to put a page on a label, for a person to take or to change. */
export type Suggestion = Pick<PlacementRule, 'areas' | 'turn' | 'scale'>

/** Paper around what is drawn, so that a border does not lie on the label's very edge. */
const marginMm = 1
/** Lighter than this is paper. */
const paper = 200

/** How far on both sides of a cut a line must be drawn to be cut through; a line along the cut is a cutting line. */
const cutReachMm = 1

/**
 * Guesses where the label lies on a page that is not of the label's size: first without scaling, around what is drawn;
 * then quarters and halves of the sheet; last the whole page made smaller or larger. Only what fits is suggested, and
 * what loses or cuts through something that is drawn comes after all that does not.
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
      ...aroundParts(areas, page, stock, picture, dotsPerMm),
    ]),
    ...atCorner(page, stock),
    ...([0, 90] as const).map((turn) => scaled(whole, stock, turn)),
  ]
  const sound = candidates.filter(
    ({ areas, turn, scale }) =>
      areas.length > 0 && ruleFits({ carrierOptionId: 0, page, stock, areas, turn, scale }),
  )
  const keys = sound.map((each) => JSON.stringify(each))
  const distinct = sound.filter((_, index) => keys.indexOf(keys[index] ?? '') === index)
  const harmless = new Set(distinct.filter(({ areas }) => !losesInk(areas, page, picture, dotsPerMm)))
  return [...harmless, ...distinct.filter((each) => !harmless.has(each))]
}

/** Whether something drawn lies outside of all areas, or crosses the edge of one. */
function losesInk(areas: readonly Area[], page: SizeMm, picture: GreyPage, dotsPerMm: number): boolean {
  const isInk = (x: number, y: number) => isDrawn(picture, x, y)
  const boxes = areas.map((area) => pixelsOf(area, picture, dotsPerMm))
  for (let y = 0; y < picture.height; y += 1) {
    for (let x = 0; x < picture.width; x += 1) {
      const isOutside = boxes.every(
        ({ left, top, right, bottom }) => x < left || x >= right || y < top || y >= bottom,
      )
      if (isOutside && isInk(x, y)) return true
    }
  }
  const reach = Math.max(1, Math.round(cutReachMm * dotsPerMm))
  return areas.some((area, index) => {
    const { left, top, right, bottom } = boxes[index] ?? { left: 0, top: 0, right: 0, bottom: 0 }
    const columns = [area.xMm > 0 ? left : 0, area.xMm + area.widthMm < page.widthMm ? right : 0]
    const rows = [area.yMm > 0 ? top : 0, area.yMm + area.heightMm < page.heightMm ? bottom : 0]
    return (
      columns.some(
        (x) => x > 0 && crosses(top + reach, bottom - reach, reach, (along, off) => isInk(x + off, along)),
      ) ||
      rows.some(
        (y) => y > 0 && crosses(left + reach, right - reach, reach, (along, off) => isInk(along, y + off)),
      )
    )
  })
}

/** Whether a line is drawn without a gap from one side of an edge to the other; cutting lines meet at its ends. */
function crosses(
  from: number,
  to: number,
  reach: number,
  isInk: (along: number, off: number) => boolean,
): boolean {
  const offsets = Array.from({ length: 2 * reach + 1 }, (_, index) => index - reach)
  for (let along = from; along < to; along += 1) {
    if (offsets.every((off) => isInk(along, off))) return true
  }
  return false
}

function isDrawn({ width, height, pixels }: GreyPage, x: number, y: number): boolean {
  return x >= 0 && x < width && y >= 0 && y < height && (pixels[y * width + x] ?? 255) < paper
}

/** An area in the picture's pixels; `right` and `bottom` are the first ones beyond it. */
function pixelsOf({ xMm, yMm, widthMm, heightMm }: Area, { width, height }: GreyPage, dotsPerMm: number) {
  const within = (millimetres: number, most: number) =>
    Math.max(0, Math.min(most, Math.round(millimetres * dotsPerMm)))
  return {
    left: within(xMm, width),
    top: within(yMm, height),
    right: within(xMm + widthMm, width),
    bottom: within(yMm + heightMm, height),
  }
}

/** The labels of a sheet whose parts do not fit on the stock as they are: around what is drawn in each part. */
function aroundParts(
  parts: readonly Area[],
  page: SizeMm,
  stock: SizeMm,
  picture: GreyPage,
  dotsPerMm: number,
): Suggestion[] {
  if (parts.every((part) => liesWithin(part, stock))) return []
  const inks = parts.flatMap((part) => inkOf(picture, dotsPerMm, part) ?? [])
  return ([0, 90] as const).flatMap((turn) => {
    const areas = inks.map((ink) => areaAround(ink, page, turned(stock, turn)))
    return areas.every((area) => area !== undefined) ? [{ areas, turn, scale: 1 }] : []
  })
}

/**
 * The part of a page that is drawn on; undefined when it is empty.
 * @param part what of the page is looked at; all when left out
 */
export function inkOf(picture: GreyPage, dotsPerMm: number, part?: Area): Area | undefined {
  const { width, height } = picture
  const box =
    part === undefined
      ? { left: 0, top: 0, right: width, bottom: height }
      : pixelsOf(part, picture, dotsPerMm)
  let [left, right, top, bottom] = [width, -1, height, -1]
  for (let y = box.top; y < box.bottom; y += 1) {
    for (let x = box.left; x < box.right; x += 1) {
      if (!isDrawn(picture, x, y)) continue
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
    const area = areaAround(ink, page, turned(stock, turn))
    return area === undefined ? [] : [{ areas: [area], turn, scale: 1 }]
  })
}

/** undefined when the drawing is larger than the label. */
function areaAround(ink: Area, page: SizeMm, size: SizeMm): Area | undefined {
  if (ink.widthMm > size.widthMm || ink.heightMm > size.heightMm) return undefined
  const middle = {
    xMm: ink.xMm + (ink.widthMm - size.widthMm) / 2,
    yMm: ink.yMm + (ink.heightMm - size.heightMm) / 2,
  }
  return onPage({ ...middle, ...size }, page)
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
