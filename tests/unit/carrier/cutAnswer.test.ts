import { describe, expect, it } from 'vitest'
import { parseTruncatedJson } from '../../../src/main/carrier/json'

const answer = {
  status: true,
  labels: [
    { barcode: '3S1', labeltype: 'pdf', encodeType: 'base64', content: 'JVBERi0=' },
    { barcode: '3S2', labeltype: 'pdf', encodeType: 'base64', content: 'JVBERi0y' },
  ],
  shipmentID: '77',
  SubLogID: 'SUB"7\\7',
}
const fullText = JSON.stringify(answer)

function readTruncated(head: string, tail = '') {
  return parseTruncatedJson({
    status: 200,
    head: Buffer.from(head),
    tail: Buffer.from(tail),
    receivedAt: new Date(),
  })
}

describe('parseTruncatedJson', () => {
  it('returns every complete value before the truncation, at every possible position', () => {
    for (let length = 0; length < fullText.length; length += 1) {
      const read = readTruncated(fullText.slice(0, length))
      expect({ ...answer, ...read, labels: answer.labels }).toEqual(answer)
    }
    expect(readTruncated(fullText.slice(0, -2))).toEqual({
      status: true,
      labels: answer.labels,
      shipmentID: '77',
    })
  })

  it('keeps the barcode of a label with truncated content', () => {
    expect(readTruncated(fullText.slice(0, fullText.indexOf('JVBERi0y') + 3))).toMatchObject({
      labels: [answer.labels[0], { barcode: '3S2' }],
    })
  })

  it('returns the ids and barcodes of the tail when the middle of the answer is missing', () => {
    const tail = `AAAA"},{"barcode":"3S9","content":"AAAA"}],"shipmentID":9007199254740993,"SubLogID":"S\\"9"}`
    expect(readTruncated(fullText.slice(0, fullText.indexOf('JVBERi0y')), tail)).toMatchObject({
      status: true,
      labels: [{ barcode: '3S1' }, { barcode: '3S2' }, { barcode: '3S9' }],
      shipmentID: '9007199254740993',
      SubLogID: 'S"9',
    })
  })

  it.each(['', '[1,2', 'no JSON', '<html>', '"text', '{', '['.repeat(100_000), '{"a":'.repeat(100_000)])(
    'returns undefined or an object without fields for the text «%.20s»',
    (text) => {
      expect(Object.keys(readTruncated(text) ?? {})).toEqual([])
    },
  )

  it('reads a truncated answer with 200,000 labels', () => {
    const many = `{"labels":[${'{"barcode":"3S1","content":"AAAA"},'.repeat(200_000)}`
    expect(readTruncated(many)?.labels).toHaveLength(200_000)
  })
})
