import { describe, expect, it } from 'vitest'
import type { MonoBitmap } from '../../../../src/main/printing/layout/labelLayout'
import { toEpl, toTspl } from '../../../../src/main/printing/raster/labelLanguages'
import { readEpl, readTspl } from '../../../support/printing/labelLanguages'

const settings = { dotsPerMm: 8, copies: 1 }

/** The same pseudo-random dots in each run. Their bytes include control characters and line ends. */
function isBlack(x: number, y: number): boolean {
  return ((Math.imul(x + 31, Math.imul(y + 7, 2654435761) + 17) >>> 13) & 3) === 0
}

function toBitmap(width: number, height: number, black = isBlack): MonoBitmap {
  const rowBytes = Math.ceil(width / 8)
  const bits = new Uint8Array(rowBytes * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * rowBytes + (x >> 3)
      if (black(x, y)) bits[at] = (bits[at] ?? 0) | (0x80 >> (x & 7))
    }
  }
  return { width, height, rowBytes, bits }
}

const languages = [
  { name: 'EPL2', encode: toEpl, read: readEpl },
  { name: 'TSPL', encode: toTspl, read: (job: Buffer) => readTspl(job, 8) },
]

describe.each(languages)('encoding a label in $name', ({ encode, read }) => {
  it.each([
    [800, 1200],
    [801, 33],
    [7, 1],
  ])('reproduces each dot of a label of %i x %i dots', (width, height) => {
    const [label, ...others] = read(encode(toBitmap(width, height), settings)).labels
    expect(others).toEqual([])
    expect([label?.picture.width, label?.picture.height]).toEqual([width, height])
    let wrong = 0
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) if (label?.picture.dot(x, y) !== isBlack(x, y)) wrong += 1
    }
    expect(wrong).toBe(0)
  })

  it('writes a line end between the picture and the print command', () => {
    expect(encode(toBitmap(80, 8), settings).toString('latin1')).toMatch(/\nP(1|RINT 1,1)\r?\n$/)
  })

  it('requests the number of copies in the settings', () => {
    const job = read(encode(toBitmap(80, 8), { ...settings, copies: 3 }))
    expect(job.labels.map(({ copies }) => copies)).toEqual([3])
  })

  it('clears the image of the previous label', () => {
    const black = toBitmap(80, 40, () => true)
    const white = toBitmap(40, 16, (x, y) => x === 1 && y === 2)
    const job = read(Buffer.concat([encode(black, settings), encode(white, settings)]))
    const [, second] = job.labels
    expect([second?.picture.width, second?.picture.height]).toEqual([40, 16])
    expect(second?.picture.dot(1, 2)).toBe(true)
    expect(second?.picture.dot(0, 0)).toBe(false)
  })
})

describe('the commands that undo what an earlier label left in the printer', () => {
  it('end an unfinished line, clear the image and reset the direction in EPL2', () => {
    const job = toEpl(toBitmap(80, 40), settings)
    expect(job.toString('latin1', 0, 3)).toBe('\nN\n')
    expect(readEpl(job).commands).toContain('ZT')
  })

  it('set no reference point in EPL2, because that would reset the width of the label', () => {
    const { commands } = readEpl(toEpl(toBitmap(80, 40), settings))
    expect(commands).toContain('q80')
    expect(commands.filter((line) => line.startsWith('R'))).toEqual([])
  })

  it('end an unfinished line, clear the image and reset the direction, reference point and shift in TSPL', () => {
    const job = toTspl(toBitmap(80, 40), settings)
    expect(job.toString('latin1', 0, 2)).toBe('\r\n')
    expect(readTspl(job, 8).commands).toEqual(
      expect.arrayContaining(['DIRECTION 0,0', 'REFERENCE 0,0', 'SHIFT 0', 'CLS']),
    )
  })
})

describe('a printer’s profile', () => {
  const epl = (profile: object) => readEpl(toEpl(toBitmap(80, 40), { ...settings, ...profile })).commands
  const tspl = (profile: object) =>
    readTspl(toTspl(toBitmap(80, 40), { ...settings, ...profile }), 8).commands

  it.each([
    [{ stockTracking: 'gap' }, 'Q40,24'],
    [{ stockTracking: 'mark' }, 'Q40,B24+0'],
    [{ speed: 3 }, 'S3'],
    // EPL2 has 6 steps of speed and 16 steps of darkness.
    [{ speed: 12 }, 'S6'],
    [{ darkness: 30 }, 'D15'],
    [{ darkness: 11 }, 'D6'],
  ])('with %j is written in EPL2 as %s', (profile, command) => {
    expect(epl(profile)).toContain(command)
  })

  it.each([
    [{ stockTracking: 'gap' }, ['GAP 3 mm,0 mm']],
    [{ stockTracking: 'mark' }, ['BLINE 3 mm,0 mm']],
    [{ stockTracking: 'continuous' }, ['GAP 0 mm,0 mm']],
    [{ printMode: 'tear-off' }, ['SET PEEL OFF', 'SET CUTTER OFF', 'SET TEAR ON']],
    [{ printMode: 'peel-off' }, ['SET TEAR OFF', 'SET CUTTER OFF', 'SET PEEL ON']],
    [{ printMode: 'cutter' }, ['SET TEAR OFF', 'SET PEEL OFF', 'SET CUTTER 1']],
    [{ speed: 4 }, ['SPEED 4']],
    [{ darkness: 20 }, ['DENSITY 10']],
  ])('with %j is written in TSPL as %j', (profile, commands) => {
    expect(tspl(profile)).toEqual(expect.arrayContaining(commands))
  })

  it('feeds 5 mm after a label on continuous stock in EPL2, where the form length is a feed', () => {
    const job = toEpl(toBitmap(80, 400), { ...settings, dotsPerMm: 12, stockTracking: 'continuous' })
    expect(readEpl(job).commands).toContain('Q60,0')
  })

  it('adds no command for a setting that is not set', () => {
    expect(epl({}).join()).not.toMatch(/[SDO]\d/)
    expect(tspl({}).join()).not.toMatch(/GAP|BLINE|SET|SPEED|DENSITY/)
  })
})

describe('the size of a label', () => {
  it('is written in whole dots in EPL2, with the usual gap of 3 mm', () => {
    const { commands } = readEpl(toEpl(toBitmap(600, 900), { ...settings, dotsPerMm: 12 }))
    expect(commands).toEqual(expect.arrayContaining(['q600', 'Q900,36']))
  })

  it('is written in millimetres in TSPL, because every firmware reads them', () => {
    const { commands } = readTspl(
      toTspl(toBitmap(1181, 1772), { copies: 1, dotsPerMm: 300 / 25.4 }),
      300 / 25.4,
    )
    expect(commands).toContain('SIZE 99.99 mm,150.03 mm')
  })
})
