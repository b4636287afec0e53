import type { Socket } from 'node:net'

/** The state of a fake printer. */
export interface PrinterState {
  paperOut?: boolean
  paused?: boolean
  headOpen?: boolean
  ribbonOut?: boolean
  /** Formats in its receive buffer, and labels of a batch that are not printed. */
  formatsInside?: number
  labelsLeft?: number
}

const flag = (on: boolean | undefined) => (on === true ? '1' : '0')

/** The three lines of the answer to `~HS`. */
export function hostStatus(state: PrinterState): string {
  const formats = String(state.formatsInside ?? 0).padStart(3, '0')
  const left = String(state.labelsLeft ?? 0).padStart(8, '0')
  const lines = [
    `030,${flag(state.paperOut)},${flag(state.paused)},1245,${formats},0,0,0,000,0,0,0`,
    `000,0,${flag(state.headOpen)},${flag(state.ribbonOut)},0,2,6,0,${left},1,000`,
    '1234,0',
  ]
  return lines.map((line) => `\u0002${line}\u0003\r\n`).join('')
}

/** The answer to `~HQES`, with a bit for each error. */
export function extendedErrors(bits: number): string {
  const hex = bits.toString(16).toUpperCase().padStart(8, '0')
  return `\u0002\r\n\r\n  PRINTER STATUS\r\n   ERRORS:         ${bits === 0 ? 0 : 1} 00000000 ${hex}\r\n   WARNINGS:       0 00000000 00000000\r\n\u0003\r\n`
}

/** The answer to `~HQOD`. */
export function odometer(length: string): string {
  return `\u0002\r\n\r\n  PRINT METERS\r\n   TOTAL NONRESETTABLE:        ${length}\r\n   USER RESETTABLE CNTR1:      1 "\r\n\u0003\r\n`
}

/**
 * Makes a connection answer `~HS` as a printer does, and keeps its labels. Like many printers, it never closes the
 * connection.
 * @param state the state at the time of each query
 */
export function answeringPrinter(
  state: () => PrinterState,
  keep: (label: string) => void,
): (socket: Socket) => void {
  return (socket) => {
    let waiting = ''
    // A sender that expects no answers sends no query after a label and closes the connection.
    socket.on('end', () => {
      if (waiting.includes('^XZ')) keep(waiting)
    })
    socket.on('data', (part: Buffer) => {
      waiting += part.toString('latin1')
      for (;;) {
        const question = /~(HS|HQES|HQOD)\r\n/.exec(waiting)
        if (question === null) return
        if (question.index > 0) keep(waiting.slice(0, question.index))
        waiting = waiting.slice(question.index + question[0].length)
        if (question[1] === 'HS') socket.write(hostStatus(state()))
      }
    })
  }
}
