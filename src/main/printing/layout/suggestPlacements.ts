import type { Area, PlacementRule, SizeMm } from '../../../shared/labels'
import { intersection, toMm, turned } from './geometry'
import { type GreyPage, ruleFits } from './labelLayout'
import { findBlocks, findLosses, type InkMap, mapInk, type PlacementLosses, toBox } from './placementLosses'

/** A possible placement of a page. */
type Candidate = Pick<PlacementRule, 'areas' | 'turn' | 'scale'>

/** A placement that a person can accept or change, with its losses. */
export type Suggestion = Candidate & PlacementLosses

/** Paper around the drawing, so that its border does not lie exactly on the label's edge. */
const marginMm = 1
/** A person compares their pictures at a glance. */
const maxSuggestions = 9
/** Suggestions that cut through something are rarely useful. */
const maxCutting = 2
/** A smaller share of the stock is no separate label. */
const minLabelShare = 0.25
/** The drawing is placed instead of the whole page if that makes it larger by this factor. */
const minGain = 1.05
/** A page that is larger than the stock by a smaller factor contains one label. */
const minSheetShare = 1.5
/** Suggestions that differ by less are equal. */
const likeMm = 5
const likeScale = 0.05
/** The smallest scale that a rule can have. */
const minScale = 0.2

/**
 * Suggests where the label lies on a page that does not have the label's size: around the drawing, quarters and halves
 * of the sheet and single blocks, first unscaled, then reduced. Only placements that fit are suggested. Those without
 * losses come first, unscaled before reduced; then those that leave something out, and last those that cut through a
 * drawing. If all of them cut, as on stock that is too small even for the reduced page, none is suggested, because the
 * first one is preselected.
 * @param picture the page, drawn at `dotsPerMm`
 */
export function suggestPlacements(
  page: SizeMm,
  stock: SizeMm,
  picture: GreyPage,
  dotsPerMm: number,
): Suggestion[] {
  const whole: Area = { xMm: 0, yMm: 0, ...page }
  const map = mapInk(picture, dotsPerMm)
  const ink = inkWithin(whole, map)
  const wholeScaled = scaleToStock([whole], stock)
  const isSheet = page.widthMm * page.heightMm >= stock.widthMm * stock.heightMm * minSheetShare
  const parts = isSheet ? sheetParts(page) : []
  const candidates: Candidate[] = [
    { areas: [whole], turn: 90, scale: 1 },
    ...(ink === undefined ? [] : aroundDrawings([ink], page, stock)),
    ...parts.flatMap((areas) => [
      // All places first: the rule also applies to later sheets, on which every place may be filled.
      { areas, turn: 0 as const, scale: 1 },
      ...(ink === undefined ? [] : [{ areas: getFilled(areas, ink), turn: 0 as const, scale: 1 }]),
      ...aroundDrawings(drawingsIn(areas, map), page, stock),
    ]),
    ...(ink === undefined ? [] : aroundBlocks(map, page, stock)),
    ...atCorner(page, stock),
    wholeScaled,
    ...[[whole], ...parts]
      .map((areas) =>
        scaleToStock(
          drawingsIn(areas, map).map((drawing) => withMargin(drawing, page)),
          stock,
        ),
      )
      .filter(({ scale }) => scale < 1 && scale > wholeScaled.scale * minGain),
  ]
  const fitting = candidates.filter(
    ({ areas, turn, scale }) =>
      areas.length > 0 &&
      scale >= minScale &&
      // A placement that could be enlarged also fits unscaled.
      scale <= 1 &&
      (ink === undefined || drawingsIn(areas, map).length > 0) &&
      !printsTwice(areas, map) &&
      ruleFits({ carrierOptionId: 0, page, stock, areas, turn, scale }),
  )
  const sorted = fitting
    .map((each) => ({ ...each, ...findLosses(each, stock, map) }))
    .sort((one, other) => measureHarm(one) - measureHarm(other) || other.scale - one.scale)
  const distinct = sorted.filter(
    (each, index) => !sorted.slice(0, index).some((better) => isSimilar(each, better)),
  )
  const sparing = distinct.filter(({ cut }) => cut.length === 0)
  if (sparing.length === 0) return []
  const cutting = distinct.filter(({ cut }) => cut.length > 0)
  return [...sparing, ...cutting.slice(0, maxCutting)].slice(0, maxSuggestions)
}

/** Whether part of the drawing lies in two of the areas. */
function printsTwice(areas: readonly Area[], map: InkMap): boolean {
  return areas.some((one, index) =>
    areas.slice(index + 1).some((other) => {
      const both = intersection(one, other)
      return both.widthMm > 0 && both.heightMm > 0 && inkWithin(both, map) !== undefined
    }),
  )
}

/** Whether two placements look the same on small pictures. */
function isSimilar(one: Candidate, other: Candidate): boolean {
  return (
    one.turn === other.turn &&
    Math.abs(one.scale - other.scale) < likeScale &&
    one.areas.length === other.areas.length &&
    one.areas.every((area, index) => {
      const [own, others] = [getMiddle(area), getMiddle(other.areas[index] ?? area)]
      return Math.abs(own.x - others.x) < likeMm && Math.abs(own.y - others.y) < likeMm
    })
  )
}

function getMiddle({ xMm, yMm, widthMm, heightMm }: Area) {
  return { x: xMm + widthMm / 2, y: yMm + heightMm / 2 }
}

function measureHarm({ cut, leftOut }: Suggestion): number {
  if (cut.length > 0) return 2
  return leftOut.length > 0 ? 1 : 0
}

/**
 * The bounding box of a page's ink; undefined when the page is empty.
 * @param picture drawn at `dotsPerMm`
 */
export function findInk(picture: GreyPage, dotsPerMm: number): Area | undefined {
  const page = { widthMm: picture.width / dotsPerMm, heightMm: picture.height / dotsPerMm }
  return inkWithin({ xMm: 0, yMm: 0, ...page }, mapInk(picture, dotsPerMm))
}

function inkWithin(part: Area, map: InkMap): Area | undefined {
  const box = toBox(part, map)
  let [left, right, top, bottom] = [map.width, 0, map.height, 0]
  for (let y = box.top; y < box.bottom; y += 1) {
    const row = map.ink.subarray(y * map.width + box.left, y * map.width + box.right)
    const first = row.indexOf(1)
    if (first < 0) continue
    left = Math.min(left, box.left + first)
    right = Math.max(right, box.left + row.lastIndexOf(1) + 1)
    top = Math.min(top, y)
    bottom = y + 1
  }
  return right < left ? undefined : toMm({ left, top, right, bottom }, map.dotsPerMm)
}

function drawingsIn(parts: readonly Area[], map: InkMap): Area[] {
  return parts.flatMap((part) => inkWithin(part, map) ?? [])
}

/** Areas of the stock's size, centred on the drawings, upright and turned. */
function aroundDrawings(drawings: readonly Area[], page: SizeMm, stock: SizeMm): Candidate[] {
  return ([0, 90] as const).flatMap((turn) => {
    const areas = drawings.map((drawing) => areaAround(drawing, page, turned(stock, turn)))
    return areas.every((area) => area !== undefined) ? [{ areas, turn, scale: 1 }] : []
  })
}

/** Each block that is large enough to be a label; instructions or an invoice may be next to it. */
function aroundBlocks(map: InkMap, page: SizeMm, stock: SizeMm): Candidate[] {
  const minArea = stock.widthMm * stock.heightMm * minLabelShare
  return findBlocks(map)
    .filter(({ widthMm, heightMm }) => widthMm * heightMm >= minArea)
    .flatMap((block) => aroundDrawings([block], page, stock))
}

/** @returns undefined when the drawing is larger than the label */
function areaAround(ink: Area, page: SizeMm, size: SizeMm): Area | undefined {
  if (ink.widthMm > size.widthMm || ink.heightMm > size.heightMm) return undefined
  const middle = {
    xMm: ink.xMm + (ink.widthMm - size.widthMm) / 2,
    yMm: ink.yMm + (ink.heightMm - size.heightMm) / 2,
  }
  return moveOntoPage({ ...middle, ...size }, page)
}

/** Quarters and halves of the sheet: the usual layouts of labels on A4 and Letter. */
function sheetParts(page: SizeMm): Area[][] {
  return [
    [2, 2],
    [1, 2],
    [2, 1],
  ].map(([columns = 1, rows = 1]) => {
    const size = { widthMm: page.widthMm / columns, heightMm: page.heightMm / rows }
    return Array.from({ length: columns * rows }, (_, index) => ({
      xMm: (index % columns) * size.widthMm,
      yMm: Math.floor(index / columns) * size.heightMm,
      ...size,
    }))
  })
}

function atCorner(page: SizeMm, stock: SizeMm): Candidate[] {
  return ([0, 90] as const).map((turn) => {
    const size = turned(stock, turn)
    return { areas: [moveOntoPage({ xMm: 0, yMm: 0, ...size }, page)], turn, scale: 1 }
  })
}

/** Scales areas so that the largest fills the stock, turned if it becomes larger that way. */
function scaleToStock(areas: readonly Area[], stock: SizeMm): Candidate {
  const [upright = 1, onSide = 1] = [stock, turned(stock, 90)].map((size) =>
    Math.min(
      ...areas.map(({ widthMm, heightMm }) => Math.min(size.widthMm / widthMm, size.heightMm / heightMm)),
    ),
  )
  const scale = Math.floor(Math.max(upright, onSide) * 1000) / 1000
  return { areas: [...areas], turn: upright >= onSide ? 0 : 90, scale }
}

function withMargin({ xMm, yMm, widthMm, heightMm }: Area, page: SizeMm): Area {
  const [left, top] = [Math.max(0, xMm - marginMm), Math.max(0, yMm - marginMm)]
  return {
    xMm: tidy(left),
    yMm: tidy(top),
    widthMm: tidy(Math.min(page.widthMm, xMm + widthMm + marginMm) - left),
    heightMm: tidy(Math.min(page.heightMm, yMm + heightMm + marginMm) - top),
  }
}

/** Moves an area onto the page, and clips it if the page is smaller. */
function moveOntoPage(area: Area, page: SizeMm): Area {
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

function getFilled(areas: readonly Area[], ink: Area): Area[] {
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
