import type { LabelSettings, MonoBitmap } from './rasterizer'

/** Between two labels on a roll; EPL2 wants it said with each length. */
const gapMm = 3
/** The gaps that EPL2 takes, in dots. */
const [minGap, maxGap] = [16, 240]

/**
 * One label in EPL2: its size, its picture and how many of it. It depends on no label before it: a line end closes what
 * may be unfinished, and the sizes, the reference point and the direction are said each time.
 */
export function eplOf(bitmap: MonoBitmap, { dotsPerMm, copies }: LabelSettings): Buffer {
  const { width, height, rowBytes, bits } = bitmap
  const gap = Math.min(maxGap, Math.max(minGap, Math.round(gapMm * dotsPerMm)))
  const start = ['', 'N', `q${width}`, `Q${height},${gap}`, 'R0,0', 'ZT', 'N', `GW0,0,${rowBytes},${height},`]
  return Buffer.concat([Buffer.from(start.join('\n')), inverted(bits), Buffer.from(`\nP${copies}\n`)])
}

/** The dots for languages in which a 0 is black. */
export function inverted(bits: Uint8Array): Uint8Array {
  return bits.map((byte) => ~byte)
}
