import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAnswerReader } from '../../../src/main/printing/drivers/statusReplies'
import { commandsBeyondTheLabel } from '../../../src/main/printing/raster/carrierZpl'
import { modelRuns } from '../../support/modelRuns'

function framed(...lines: string[]): string {
  return lines.map((line) => `\u0002${line}\u0003\r\n`).join('')
}

const digit = fc.constantFrom('0', '1')
const status = fc
  .tuple(
    fc.array(digit, { minLength: 3, maxLength: 3 }),
    fc.nat(999),
    fc.array(digit, { minLength: 7, maxLength: 7 }),
    fc.nat(99),
  )
  .map(([[paper, pause, full], inside, [damaged, cold, hot, open, ribbon], left]) =>
    framed(
      `030,${paper},${pause},1245,${String(inside).padStart(3, '0')},${full},0,0,000,${damaged},${cold},${hot}`,
      `001,0,${open},${ribbon},0,2,4,0,${String(left).padStart(8, '0')},1,000`,
      '1234,0',
    ),
  )
const errors = fc
  .nat(0x1ffff)
  .map(
    (bits) =>
      `\u0002\r\n  PRINTER STATUS\r\n  ERRORS: 1 00000000 ${bits.toString(16).padStart(8, '0')}\r\n  WARNINGS: 0 00000000 00000000\r\n\u0003`,
  )
const odometer = fc
  .nat(100_000)
  .map((inches) => `\u0002\r\n  PRINT METERS\r\n  TOTAL NONRESETTABLE: ${inches} "\r\n\u0003`)
/** By default, fast-check generates no control characters, so this text neither begins nor ends an answer. */
const noise = fc.string({ maxLength: 20 })
const answers = fc
  .array(fc.oneof(status, errors, odometer, noise), { maxLength: 8 })
  .map((parts) => parts.join(''))

/** All answers that the reader finds in a text received in these parts. */
function readAnswers(parts: readonly string[]): unknown[] {
  const taken: unknown[] = []
  const read = createAnswerReader({
    status: (answer) => taken.push(['status', answer]),
    errors: (answer) => taken.push(['errors', answer]),
    odometer: (answer) => taken.push(['odometer', answer]),
  })
  for (const part of parts) read(part)
  return taken
}

describe('createAnswerReader', () => {
  it('finds the same answers in a text received whole or in any parts', () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat(), { maxLength: 6 }), (text, cuts) => {
        const places = [...cuts.map((cut) => cut % (text.length + 1)), text.length].sort(
          (one, other) => one - other,
        )
        const parts = places.map((place, index) => text.slice(places[index - 1] ?? 0, place))
        expect(readAnswers(parts)).toEqual(readAnswers([text]))
      }),
      { numRuns: modelRuns },
    )
  })

  it('reads any text without an exception', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 200 })), (parts) => {
        readAnswers(parts)
      }),
      { numRuns: modelRuns },
    )
  })
})

const drawing = fc.constantFrom(
  '^XA',
  '^XZ',
  '^FO20,20^A0N,30,30^FDORDER ~ 12^FS',
  '^BY2^BCN,100,Y,N,N^FD3SPACK1^FS',
  '^GB700,3,3^FS',
  '^PQ1',
  '^CI28',
  '^LH0,0',
  '^FX a remark^FS',
)
const beyond = fc.constantFrom(
  '~JA',
  '^JUS',
  '~JC',
  '^JBE',
  '^MPD',
  '^ID*:*.*',
  '~WC',
  '^HH',
  '~HS',
  '^SZ2',
  '^KN,x',
  '~JR',
  '^PH',
  '^NC',
)
const spacing = fc.constantFrom('', '\r\n', '\n', ' ')
const prefixes = fc.constantFrom<[string, string]>(['^', '~'], ['+', '!'], ['\u001e', '\u0010'], ['|', '#'])

describe('commandsBeyondTheLabel', () => {
  it('finds a command that does more than draw, at any position and with any prefix', () => {
    fc.assert(
      fc.property(
        ...([fc.array(drawing), beyond, fc.array(drawing), spacing, prefixes] as const),
        (before, command, after, space, [caret, tilde]) => {
          const written = (text: string) =>
            text.replaceAll(/[\^~](?=[A-Z])/g, (mark) => (mark === '^' ? caret : tilde))
          const changes = caret === '^' || caret === '\u001e' ? '' : `^CC${caret}${caret}CT${tilde}`
          const label = [before.join(space), changes, written(command), written(after.join(space))].join(
            space,
          )
          const found = commandsBeyondTheLabel(Buffer.from(label, 'latin1'))
          const name = /^[\^~][A-Z]{2}/.exec(command)?.[0] ?? ''
          expect(found).toContain(name)
        },
      ),
      { numRuns: modelRuns },
    )
  })

  it('reads any bytes without an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        commandsBeyondTheLabel(Buffer.from(bytes))
      }),
      { numRuns: modelRuns },
    )
  })
})
