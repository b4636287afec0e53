import { inverted } from './epl'
import type { LabelProfile, LabelSettings, MonoBitmap } from './rasterizer'

const tracking = { gap: 'GAP 3 mm,0 mm', mark: 'BLINE 3 mm,0 mm', continuous: 'GAP 0 mm,0 mm' }
/** Each one is said with the others off, because printers keep them apart. */
const modes = {
  'tear-off': ['SET PEEL OFF', 'SET CUTTER OFF', 'SET TEAR ON'],
  'peel-off': ['SET TEAR OFF', 'SET CUTTER OFF', 'SET PEEL ON'],
  cutter: ['SET TEAR OFF', 'SET PEEL OFF', 'SET CUTTER 1'],
}

/**
 * One label in TSPL: its size, its picture and how many of it. A line end closes a line that may be unfinished, and the
 * size, the direction, the reference point and the shift are said each time.
 */
export function toTspl(bitmap: MonoBitmap, settings: LabelSettings): Buffer {
  const { width, height, rowBytes, bits } = bitmap
  // Sizes in dots are known to newer printers alone.
  const mm = (dots: number) => `${Math.round((dots / settings.dotsPerMm) * 100) / 100} mm`
  const start = [
    ...['', `SIZE ${mm(width)},${mm(height)}`, ...profileCommands(settings)],
    ...['DIRECTION 0,0', 'REFERENCE 0,0', 'SHIFT 0', 'CLS', `BITMAP 0,0,${rowBytes},${height},0,`],
  ]
  return Buffer.concat([
    Buffer.from(start.join('\r\n')),
    inverted(bits),
    Buffer.from(`\r\nPRINT 1,${settings.copies}\r\n`),
  ])
}

function profileCommands({ stockTracking, printMode, darkness, speed }: LabelProfile): string[] {
  return [
    ...(stockTracking === undefined ? [] : [tracking[stockTracking]]),
    ...(printMode === undefined ? [] : modes[printMode]),
    ...(darkness === undefined ? [] : [`DENSITY ${Math.round(darkness / 2)}`]),
    ...(speed === undefined ? [] : [`SPEED ${speed}`]),
  ]
}
