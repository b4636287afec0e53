import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { err, ok, type Result } from '../../shared/result'
import type { TransportFailure } from './transportFailure'

const decoders = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
])

/**
 * Undoes the compression of an answer's body. The app never asks for any, and servers and proxies may use it all the
 * same. A body that is not what its header says stays as it came: whoever reads it sees that it is not understood.
 * @param coding the `Content-Encoding` header
 * @param limitBytes most bytes that it may unpack to: a small answer can hold a very large one
 */
export async function withoutCoding(
  body: Buffer,
  coding: string | undefined,
  limitBytes: number,
): Promise<Result<Buffer, TransportFailure>> {
  const decode = decoders.get(coding?.trim().toLowerCase() ?? '')
  if (decode === undefined) return ok(body)
  try {
    return ok(await decode(body, { maxOutputLength: limitBytes }))
  } catch (error) {
    const tooLarge = error instanceof RangeError
    return tooLarge ? err({ kind: 'too-large', limitBytes }) : ok(body)
  }
}
