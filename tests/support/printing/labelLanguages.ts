import type { ZplPicture } from './zplPicture'

/** One printed label as a printer of the language reads it. */
export interface PrintedLabel {
  picture: ZplPicture
  copies: number
}

/**
 * Jobs of one or more connections, as a printer of the language reads them. A cut picture continues in the next job.
 */
export interface LabelJob {
  labels: PrintedLabel[]
  /** The lines besides pictures, in order. */
  commands: string[]
}

/**
 * Reads an EPL2 job after the programming guide 14245L-003: commands end with a line feed, case matters. `N` clears the
 * image, `q` and `Q` size it in dots, and `GWx,y,bytes,lines,` is followed by that many bytes whose 0 bits are black.
 * `P` prints the image that many times.
 */
export function readEpl(job: Buffer): LabelJob {
  return readJob(job, {
    lineEnd: '\n',
    picture: /^GW(\d+),(\d+),(\d+),(\d+),/,
    clears: /^(N|q\d+|Q.*)$/,
    width: (line) => dots(/^q(\d+)$/.exec(line)?.[1]),
    height: (line) => dots(/^Q(\d+),/.exec(line)?.[1]),
    copies: (line) => dots(/^P(\d+)$/.exec(line)?.[1]),
  })
}

/**
 * Reads a TSPL job after TSC's manual: commands end with CR and LF. `SIZE` gives the label in millimetres or dots,
 * `CLS` clears the image, and `BITMAP x,y,bytes,lines,0,` is followed by that many bytes whose 0 bits are black. `PRINT
 * sets,copies` prints.
 * @param dotsPerMm of the printer's head
 */
export function readTspl(job: Buffer, dotsPerMm: number): LabelJob {
  const side = (text: string | undefined) =>
    text === undefined ? undefined : Math.round(Number(text) * dotsPerMm)
  return readJob(job, {
    lineEnd: '\r\n',
    picture: /^BITMAP (\d+),(\d+),(\d+),(\d+),0,/,
    clears: /^(CLS|SIZE .*)$/,
    width: (line) => side(/^SIZE ([\d.]+) mm,/.exec(line)?.[1]),
    height: (line) => side(/^SIZE [\d.]+ mm,([\d.]+) mm$/.exec(line)?.[1]),
    copies: (line) => dots(/^PRINT 1,(\d+)$/.exec(line)?.[1]),
  })
}

interface Language {
  lineEnd: string
  picture: RegExp
  clears: RegExp
  width(line: string): number | undefined
  height(line: string): number | undefined
  copies(line: string): number | undefined
}

function readJob(job: Buffer, language: Language): LabelJob {
  const found: LabelJob = { labels: [], commands: [] }
  let [width, height] = [0, 0]
  let black = new Set<number>()
  for (let at = 0; at < job.length; ) {
    const head = language.picture.exec(job.toString('latin1', at, at + 60))
    if (head !== null) {
      const [x = 0, y = 0, rowBytes = 0, rows = 0] = head.slice(1).map(Number)
      const from = at + head[0].length
      // The printer waits for the rest of a picture and takes all bytes that follow for it.
      if (from + rowBytes * rows > job.length) return found
      for (let row = 0; row < rows; row += 1) {
        for (let column = 0; column < rowBytes * 8; column += 1) {
          const byte = job[from + row * rowBytes + (column >> 3)] ?? 0xff
          const isBlack = ((byte >> (7 - (column & 7))) & 1) === 0
          // Dots outside the label are not printed.
          if (isBlack && x + column < width && y + row < height) black.add((y + row) * width + x + column)
          if (isBlack && x + column >= width) throw new Error('black beside the label')
        }
      }
      at = from + rowBytes * rows
      continue
    }
    const end = job.indexOf(language.lineEnd, at, 'latin1')
    if (end < 0) throw new Error('a command without its end')
    const line = job.toString('latin1', at, end).trim()
    at = end + language.lineEnd.length
    if (line !== '') found.commands.push(line)
    if (language.clears.test(line)) black = new Set()
    width = language.width(line) ?? width
    height = language.height(line) ?? height
    const copies = language.copies(line)
    if (copies === undefined) continue
    const [dotsHere, ofWidth] = [black, width]
    const dot = (x: number, y: number) => x >= 0 && x < ofWidth && dotsHere.has(y * ofWidth + x)
    found.labels.push({ picture: { width, height, dot }, copies })
  }
  return found
}

function dots(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}
