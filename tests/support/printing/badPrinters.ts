import type { Socket } from 'node:net'
import { connect } from 'node:net'
import type { SinkBehaviour } from './byteSink'

/** Takes a connection and closes it at once, as a printer does that serves another station. */
export const closesAtOnce: SinkBehaviour = (socket) => socket.end()

/** Takes a connection and everything on it for a printer that is off: it passes on nothing and closes. */
export const forwardsToNobody: SinkBehaviour = (socket) => {
  const printer = connect({ host: '127.0.0.1', port: 1 })
  printer.on('error', () => socket.destroy())
  socket.pipe(printer)
}

/** Reads so many bytes of a label, ends its side and reads no more. */
export function readsAndEnds(bytes: number, keep: (part: Buffer) => void): SinkBehaviour {
  return (socket) =>
    afterQuestions(socket, (part, read) => {
      keep(part)
      if (read < bytes) return
      socket.pause()
      socket.end()
    })
}

/** Reads everything, and resets the connection where others close it. */
export const resetsAtTheEnd: SinkBehaviour = (socket) => {
  socket.resume()
  socket.on('end', () => socket.resetAndDestroy())
}

/** Reads a whole label, up to its `^XZ`, and closes by itself. */
export const closesAfterTheLabel: SinkBehaviour = (socket) => {
  let text = ''
  socket.on('data', (part: Buffer) => {
    text = (text + part.toString('latin1')).slice(-8)
    if (text.includes('^XZ')) socket.end()
  })
}

/** Does something with what comes after status questions, and counts its bytes. */
export function afterQuestions(socket: Socket, take: (part: Buffer, read: number) => void): void {
  let read = 0
  socket.on('data', (part: Buffer) => {
    const label = Buffer.from(part.toString('latin1').replaceAll(/~(HS|HQES|HQOD)\r\n/g, ''), 'latin1')
    read += label.length
    if (label.length > 0) take(label, read)
  })
}
