import type { IncomingMessage } from 'node:http'

/** The largest body that is read; a manifest or a pre-alert may be big. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

/** What became of reading a body: `text` is whole, or what had come in when the client went away. */
type BodyReading = { kind: 'whole'; text: string } | { kind: 'broken'; text: string } | { kind: 'tooLarge' }

/** Reads a request's body as UTF-8, at most 64 MB. Never rejects. */
export function readBody(request: IncomingMessage): Promise<BodyReading> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const text = (): string => Buffer.concat(chunks).toString('utf8')
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_BODY_BYTES) {
        request.pause()
        resolve({ kind: 'tooLarge' })
        return
      }
      chunks.push(chunk)
    })
    request.on('end', () => resolve({ kind: 'whole', text: text() }))
    request.on('error', () => resolve({ kind: 'broken', text: text() }))
    request.on('close', () => resolve({ kind: 'broken', text: text() }))
  })
}
