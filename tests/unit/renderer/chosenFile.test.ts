import { describe, expect, it } from 'vitest'
import { readChosen } from '../../../src/renderer/ui/FileChoice'

function toFile(size: number, read: () => Promise<ArrayBuffer>): File {
  const file = new File(['x'], 'awb.pdf')
  Object.defineProperties(file, { size: { value: size }, arrayBuffer: { value: read } })
  return file
}

describe('a chosen file', () => {
  it('is read', async () => {
    const read = await readChosen(new File(['abc'], 'awb.pdf'), 25, 'pdf-unreadable')
    expect(read.ok && read.value.byteLength).toBe(3)
  })

  it('that is too large is not read at all', async () => {
    const never = () => Promise.reject(new Error('was read'))
    expect(await readChosen(toFile(25 * 1024 * 1024 + 1, never), 25, 'pdf-unreadable')).toMatchObject({
      ok: false,
      error: { code: 'pdf-unreadable', details: { fault: 'too-large', detail: '25' } },
    })
  })

  it('that was taken away meanwhile fails with words', async () => {
    const gone = () => Promise.reject(new DOMException('gone', 'NotReadableError'))
    expect(await readChosen(toFile(3, gone), 100, 'table-unreadable')).toMatchObject({
      ok: false,
      error: { code: 'table-unreadable', details: { file: 'awb.pdf', fault: 'not-opened' } },
    })
  })
})
