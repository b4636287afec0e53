import type { LabelSettings, MonoBitmap } from './rasterizer'

/** Between two labels on a roll, or the thickness of a mark; EPL2 wants it said with each length. */
const gapMm = 3
/** After a label on continuous stock. */
const feedMm = 5
/** The gaps that EPL2 takes, in dots. */
const [minGap, maxGap] = [16, 240]
const maxSpeed = 6

/**
 * One label in EPL2: its size, its picture and how many of it. A line end closes a line that may be unfinished, and the
 * sizes and the direction are said each time. No reference point is: it would take back the width of the label. The
 * options for peeling and cutting are left alone: the printer stores them, and naming one takes back the others.
 */
export function toEpl(bitmap: MonoBitmap, settings: LabelSettings): Buffer {
  const { width, height, rowBytes, bits } = bitmap
  const { darkness, speed, copies } = settings
  const start = [
    ...['', 'N', `q${width}`, toForm(height, settings), 'ZT'],
    ...(darkness === undefined ? [] : [`D${Math.round(darkness / 2)}`]),
    ...(speed === undefined ? [] : [`S${Math.min(speed, maxSpeed)}`]),
    ...['N', `GW0,0,${rowBytes},${height},`],
  ]
  return Buffer.concat([Buffer.from(start.join('\n')), inverted(bits), Buffer.from(`\nP${copies}\n`)])
}

function toForm(height: number, { stockTracking, dotsPerMm }: LabelSettings): string {
  // Without gaps a form is as long as its ink, and its length stands for what is fed after it.
  if (stockTracking === 'continuous') return `Q${Math.round(feedMm * dotsPerMm)},0`
  const gap = Math.min(maxGap, Math.max(minGap, Math.round(gapMm * dotsPerMm)))
  return `Q${height},${stockTracking === 'mark' ? `B${gap}+0` : gap}`
}

/** The dots for languages in which a 0 is black. */
export function inverted(bits: Uint8Array): Uint8Array {
  return bits.map((byte) => ~byte)
}
