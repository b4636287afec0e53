import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeContentEncoding } from '../../../src/main/carrier/httpClient'

const plain = Buffer.from('{"state":true}')

describe('decodeContentEncoding', () => {
  it.each([
    ['gzip', gzipSync(plain)],
    [' GZIP', gzipSync(plain)],
    ['x-gzip', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
    ['br', brotliCompressSync(plain)],
    [undefined, plain],
    ['identity', plain],
    ['gzip', plain],
  ])('decodes an answer with Content-Encoding %j', async (coding, body) => {
    expect(await decodeContentEncoding(body, coding, 1000)).toEqual({ ok: true, value: plain })
  })

  it('fails when the unpacked answer exceeds the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(100_000))
    expect(await decodeContentEncoding(bomb, 'gzip', 1000)).toEqual({
      ok: false,
      error: { kind: 'too-large', limitBytes: 1000 },
    })
  })
})
