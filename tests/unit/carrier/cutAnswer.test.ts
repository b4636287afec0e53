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
const whole = JSON.stringify(answer)

function cut(head: string, tail = '') {
  return parseTruncatedJson({
    status: 200,
    head: Buffer.from(head),
    tail: Buffer.from(tail),
    receivedAt: new Date(),
  })
}

describe('an answer that breaks off', () => {
  it('is read up to its last whole value, wherever it breaks off', () => {
    for (let length = 0; length < whole.length; length += 1) {
      const read = cut(whole.slice(0, length))
      expect({ ...answer, ...read, labels: answer.labels }).toEqual(answer)
    }
    expect(cut(whole.slice(0, -2))).toEqual({ status: true, labels: answer.labels, shipmentID: '77' })
  })

  it('keeps the barcode of a label whose content breaks off', () => {
    expect(cut(whole.slice(0, whole.indexOf('JVBERi0y') + 3))).toMatchObject({
      labels: [answer.labels[0], { barcode: '3S2' }],
    })
  })

  it('gives the ids and barcodes of its end when its middle is missing', () => {
    const tail = `AAAA"},{"barcode":"3S9","content":"AAAA"}],"shipmentID":9007199254740993,"SubLogID":"S\\"9"}`
    expect(cut(whole.slice(0, whole.indexOf('JVBERi0y')), tail)).toMatchObject({
      status: true,
      labels: [{ barcode: '3S1' }, { barcode: '3S2' }, { barcode: '3S9' }],
      shipmentID: '9007199254740993',
      SubLogID: 'S"9',
    })
  })

  it.each(['', '[1,2', 'no JSON', '<html>', '"text', '{', '['.repeat(100_000), '{"a":'.repeat(100_000)])(
    'gives nothing, or an object without fields, for %.20s',
    (text) => {
      expect(Object.keys(cut(text) ?? {})).toEqual([])
    },
  )

  it('is read to its end, however many labels it holds', () => {
    const many = `{"labels":[${'{"barcode":"3S1","content":"AAAA"},'.repeat(200_000)}`
    expect(cut(many)?.labels).toHaveLength(200_000)
  })
})
