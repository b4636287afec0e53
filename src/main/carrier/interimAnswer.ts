import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

const start = 'HTTP/1.1 100'
const interim = /^HTTP\/1\.[01] 100[ \r]/
const headEnd = '\r\n\r\n'

/** More than any head that says nothing. */
const maxHeadBytes = 32 * 1024

/**
 * Skips «100 Continue» before the answer. The app never asks for it, and proxies send it all the same; the HTTP library
 * ends the connection on it, and the outcome of a creation would be unknown.
 */
export function skippingContinue(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...args) => {
      if (args[0] === null) skipContinue(args[1])
      callback(...args)
    })
  }
}

function skipContinue(socket: Socket): void {
  const read = socket.read.bind(socket)
  let pending = Buffer.alloc(0)
  let hasBegun = false
  socket.read = (size) => {
    for (;;) {
      const chunk: unknown = read(size)
      if (hasBegun || !Buffer.isBuffer(chunk)) return chunk
      pending = Buffer.concat([pending, chunk])
      const answer = withoutContinue(pending)
      if (answer !== undefined) {
        hasBegun = true
        return answer
      }
    }
  }
}

/** The bytes from the answer on; undefined as long as it has not begun. */
function withoutContinue(bytes: Buffer): Buffer | undefined {
  let rest = bytes
  while (interim.test(rest.subarray(0, start.length + 1).toString('latin1'))) {
    const end = rest.indexOf(headEnd)
    if (end === -1) return rest.length > maxHeadBytes ? rest : undefined
    rest = rest.subarray(end + headEnd.length)
  }
  const beginning = rest.subarray(0, start.length + 1).toString('latin1')
  const mayBeInterim = beginning.length <= start.length && /^HTTP\/1\.[01] 100$/.test(padded(beginning))
  return mayBeInterim ? undefined : rest
}

/** A beginning with what would follow if it were «100 Continue». */
function padded(beginning: string): string {
  return beginning + start.slice(beginning.length)
}
