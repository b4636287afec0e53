import type { BoxMm } from '../../../shared/labels'

/** What two boxes have in common; without width or height where that is nothing. */
export function intersection(one: BoxMm, other: BoxMm): BoxMm {
  const xMm = Math.max(one.xMm, other.xMm)
  const yMm = Math.max(one.yMm, other.yMm)
  return {
    xMm,
    yMm,
    widthMm: Math.max(0, Math.min(one.xMm + one.widthMm, other.xMm + other.widthMm) - xMm),
    heightMm: Math.max(0, Math.min(one.yMm + one.heightMm, other.yMm + other.heightMm) - yMm),
  }
}

/** The smallest box around two. */
export function union(one: BoxMm, other: BoxMm): BoxMm {
  const xMm = Math.min(one.xMm, other.xMm)
  const yMm = Math.min(one.yMm, other.yMm)
  return {
    xMm,
    yMm,
    widthMm: Math.max(one.xMm + one.widthMm, other.xMm + other.widthMm) - xMm,
    heightMm: Math.max(one.yMm + one.heightMm, other.yMm + other.heightMm) - yMm,
  }
}
