import type { TFunction } from 'i18next'
import type { PlacementRule, SizeMm } from '../../shared/labels'

type Placement = Pick<PlacementRule, 'areas' | 'turn' | 'scale'>

/** A placement in short: the size of its parts, how they are turned, and their scale when not in size. */
export function placementText({ areas, turn, scale }: Placement): string {
  const [first] = areas
  const size = first ? sizeText(first) : ''
  const parts = [areas.length > 1 ? `${areas.length} × ${size}` : size]
  if (turn !== 0) parts.push(`${turn}°`)
  if (scale !== 1) parts.push(`${Math.round(scale * 100)} %`)
  return parts.join(', ')
}

/** A width and a height as people write them, e.g. «105 × 148 mm». */
export function sizeText({ widthMm, heightMm }: SizeMm): string {
  return `${Math.round(widthMm * 10) / 10} × ${Math.round(heightMm * 10) / 10} mm`
}

/** A placement in short, and where its first part lies when that alone tells it from others of the same words. */
export function suggestionText(t: TFunction, placement: Placement, all: readonly Placement[]): string {
  const words = placementText(placement)
  const place = roundedPlace(placement)
  const others = all.filter((each) => each !== placement && placementText(each) === words).map(roundedPlace)
  const parts = [words]
  if (others.some(({ top }) => top !== place.top)) parts.push(t('placement.fromTop', { mm: place.top }))
  if (others.some(({ left }) => left !== place.left)) parts.push(t('placement.fromLeft', { mm: place.left }))
  return parts.join(', ')
}

function roundedPlace({ areas: [first] }: Placement): { left: number; top: number } {
  return { left: Math.round(first?.xMm ?? 0), top: Math.round(first?.yMm ?? 0) }
}
