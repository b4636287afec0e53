import type { PlacementRule, SizeMm } from '../../shared/labelRules'

/** A placement in short: the size of its parts, how they are turned, and their scale when not in size. */
export function placementText({
  areas,
  turn,
  scale,
}: Pick<PlacementRule, 'areas' | 'turn' | 'scale'>): string {
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
