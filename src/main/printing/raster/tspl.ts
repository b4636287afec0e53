import { inverted } from './epl'
import type { LabelSettings, MonoBitmap } from './rasterizer'

/**
 * One label in TSPL: its size, its picture and how many of it. It depends on no label before it: a line end closes what
 * may be unfinished, and the size, the direction, the reference point and the shift are said each time.
 */
export function tsplOf(bitmap: MonoBitmap, { dotsPerMm, copies }: LabelSettings): Buffer {
  const { width, height, rowBytes, bits } = bitmap
  // Sizes in dots are known to newer printers alone.
  const mm = (dots: number) => `${Math.round((dots / dotsPerMm) * 100) / 100} mm`
  const start = ['', `SIZE ${mm(width)},${mm(height)}`, 'DIRECTION 0,0', 'REFERENCE 0,0', 'SHIFT 0', 'CLS']
  const picture = `BITMAP 0,0,${rowBytes},${height},0,`
  return Buffer.concat([
    Buffer.from([...start, picture].join('\r\n')),
    inverted(bits),
    Buffer.from(`\r\nPRINT 1,${copies}\r\n`),
  ])
}
