import { describe, expect, it } from 'vitest'
import { readChosen } from '../../../src/renderer/ui/FileChoice'

function toFile(size: number, read: () => Promise<ArrayBuffer>): File {
  const file = new File(['x'], 'awb.pdf')
  Object.defineProperties(file, { size: { value: size }, arrayBuffer: { value: read } })
  return file
}

describe('reading a file that a person chose', () => {
  it('returns its bytes', async () => {
    const read = await readChosen(new File(['abc'], 'awb.pdf'), 25, 'pdf-unreadable')
    expect(read.ok && read.value.byteLength).toBe(3)
  })

  it('does not read a file above the size limit', async () => {
    const never = () => Promise.reject(new Error('was read'))
    expect(await readChosen(toFile(25 * 1024 * 1024 + 1, never), 25, 'pdf-unreadable')).toMatchObject({
      ok: false,
      error: { code: 'pdf-unreadable', details: { fault: 'too-large', detail: '25' } },
    })
  })

  it('returns an error sentence if the file was removed meanwhile', async () => {
    const gone = () => Promise.reject(new DOMException('gone', 'NotReadableError'))
    expect(await readChosen(toFile(3, gone), 100, 'table-unreadable')).toMatchObject({
      ok: false,
      error: { code: 'table-unreadable', details: { file: 'awb.pdf', fault: 'not-opened' } },
    })
  })
})
