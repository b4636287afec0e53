import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  identifiesShipment,
  readCreation,
  readCreationOutcome,
} from '../../../src/main/carrier/createShipment'
import { parseTruncatedJson } from '../../../src/main/carrier/json'
import { readTracking } from '../../../src/main/carrier/trackCodes'
import { modelRuns } from '../../support/modelRuns'

const receivedAt = new Date('2026-11-22T10:00:00.000Z')

/** Values that services may return where a flag, a text, a number or a list is expected. */
const oddValue = fc.oneof(
  fc.constantFrom<unknown>(true, false, 'true', 'false', 'OK', '1', '0', 1, 0, '', null, 'null', -1, [], {}),
  fc.jsonValue({ maxDepth: 3 }),
)

const label = fc.oneof(
  fc.record(
    {
      barcode: oddValue,
      labeltype: fc.oneof(fc.constantFrom('pdf', 'PDF', 'zpl', 'gif'), oddValue),
      encodeType: fc.oneof(fc.constantFrom('base64', 'none'), oddValue),
      content: fc.oneof(fc.base64String(), fc.string(), oddValue),
    },
    { requiredKeys: [] },
  ),
  oddValue,
)

const answer = fc.record(
  {
    ...{ status: oddValue, state: oddValue, Errors: oddValue, message: oddValue, shipmentID: oddValue },
    ...{ SubLogID: oddValue, ZendingID: oddValue, logId: oddValue, Barcode: oddValue, trace: oddValue },
    ...{ zpl: oddValue, url: oddValue, parcelInformation: oddValue },
    labels: fc.oneof(fc.array(label, { maxLength: 4 }), label),
  },
  { requiredKeys: [] },
)

describe('any answer to a creation', () => {
  it('is judged without an exception, and as refused only when it names no shipment', () => {
    fc.assert(
      fc.property(answer, fc.constantFrom(200, 201, 400, 401, 404, 408, 422, 500, 503), (content, status) => {
        const received = { host: 'h', delivery: 'in-answer' as const, status, receivedAt, content }
        const outcome = readCreationOutcome({ ...received, text: null, isCut: false, labelUrl: null })
        if (!outcome.ok && outcome.kind === 'refused') expect(identifiesShipment(content)).toBe(false)
        if (outcome.ok) expect(status).toBeLessThan(300)
        const cut = readCreationOutcome({ ...received, text: null, isCut: true, labelUrl: null })
        expect(cut.ok ? 'created' : cut.kind).toBe('unknown')
      }),
      { numRuns: modelRuns },
    )
  })

  it('yields only complete labels when it is truncated at any position', () => {
    const completeLabels = fc.array(
      fc.record({
        barcode: fc.string({ minLength: 1 }),
        content: fc.uint8Array({ minLength: 30, maxLength: 90 }),
      }),
      { minLength: 1, maxLength: 4 },
    )
    fc.assert(
      fc.property(completeLabels, fc.nat(), fc.nat(), (labels, at, from) => {
        const contents = labels.map(({ content }) => Buffer.from(content))
        const text = Buffer.from(
          JSON.stringify({
            status: true,
            labels: labels.map(({ barcode }, index) => {
              const content = contents[index]?.toString('base64')
              return { barcode, labeltype: 'zpl', encodeType: 'base64', content }
            }),
            shipmentID: '77',
          }),
        )
        const end = at % text.length
        const tail = end + (from % (text.length - end))
        for (const tailBytes of [Buffer.alloc(0), text.subarray(tail)]) {
          const read = parseTruncatedJson({
            status: 200,
            head: text.subarray(0, end),
            tail: tailBytes,
            receivedAt,
          })
          if (read === undefined) continue
          for (const { bytes, problem } of readCreation(read, (words) => words).labels) {
            if (problem === null) expect(contents.some((each) => each.equals(bytes))).toBe(true)
          }
        }
      }),
      { numRuns: modelRuns },
    )
  })
})

describe('any tracking answer', () => {
  it('is read without an exception', () => {
    const code = fc.record(
      { items: oddValue, lastStatus: oddValue, events: oddValue, found: oddValue, barcode: oddValue },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('A', 'B', 'state', 'status', 'data', 'items'),
          fc.oneof(code, oddValue),
        ),
        (content) => {
          const body = Buffer.from(JSON.stringify(content))
          readTracking(
            { status: 200, location: null, body, receivedAt },
            { host: 'h', redact: (words) => words },
            ['A', 'B'],
          )
        },
      ),
      { numRuns: modelRuns },
    )
  })
})
