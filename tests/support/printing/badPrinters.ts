import type { Socket } from 'node:net'
import { connect } from 'node:net'
import type { SinkBehaviour } from './byteSink'

/** Accepts a connection and closes it at once, like a printer that serves another station. */
export const closesAtOnce: SinkBehaviour = (socket) => socket.end()

/** Accepts a connection and all its bytes, prints nothing and closes, like a print server whose printer is off. */
export const forwardsToNobody: SinkBehaviour = (socket) => {
  const printer = connect({ host: '127.0.0.1', port: 1 })
  printer.on('error', () => socket.destroy())
  socket.pipe(printer)
}

/** Reads a number of bytes of a label, closes its side and stops reading. */
export function readsAndEnds(bytes: number, keep: (part: Buffer) => void): SinkBehaviour {
  return (socket) =>
    afterQuestions(socket, (part, read) => {
      keep(part)
      if (read < bytes) return
      socket.pause()
      socket.end()
    })
}

/** Reads everything, and resets the connection instead of closing it. */
export const resetsAtTheEnd: SinkBehaviour = (socket) => {
  socket.resume()
  socket.on('end', () => socket.resetAndDestroy())
}

/** Reads a complete label, up to its `^XZ`, and closes the connection. */
export const closesAfterTheLabel: SinkBehaviour = (socket) => {
  let text = ''
  socket.on('data', (part: Buffer) => {
    text = (text + part.toString('latin1')).slice(-8)
    if (text.includes('^XZ')) socket.end()
  })
}

/** Calls `take` with the received bytes that are no status queries, and with their number so far. */
export function afterQuestions(socket: Socket, take: (part: Buffer, read: number) => void): void {
  let read = 0
  socket.on('data', (part: Buffer) => {
    const label = Buffer.from(part.toString('latin1').replaceAll(/~(HS|HQES|HQOD)\r\n/g, ''), 'latin1')
    read += label.length
    if (label.length > 0) take(label, read)
  })
}
