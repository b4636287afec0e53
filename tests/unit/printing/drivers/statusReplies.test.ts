import { describe, expect, it } from 'vitest'
import type { ZplAnswers } from '../../../../src/main/printing/drivers/statusReplies'
import { createAnswerReader } from '../../../../src/main/printing/drivers/statusReplies'
import { extendedErrors, hostStatus, odometer } from '../../../support/printing/zplPrinter'

/** The answers found in the output of a printer, in order. */
function answersIn(...parts: string[]) {
  const answers: Partial<ZplAnswers>[] = []
  const read = createAnswerReader({
    status: (status) => answers.push({ status }),
    errors: (errors) => answers.push({ errors }),
    odometer: (odometer) => answers.push({ odometer }),
  })
  for (const part of parts) read(part)
  return answers
}

const ready = { status: { remarks: [], labelsInside: 0 } }

describe('the status of a ZPL printer', () => {
  it('is ready when no flag is set', () => {
    expect(answersIn(hostStatus({}))).toEqual([ready])
  })

  it.each([
    [{ paperOut: true }, 'out-of-labels'],
    [{ paused: true }, 'paused'],
    [{ headOpen: true }, 'head-open'],
    [{ ribbonOut: true }, 'ribbon-used-up'],
  ])('shows %o as the remark %s', (state, code) => {
    expect(answersIn(hostStatus(state))[0]?.status?.remarks).toEqual([{ code }])
  })

  it('counts the labels that the printer has received and not printed', () => {
    expect(answersIn(hostStatus({ formatsInside: 2, labelsLeft: 3 }))[0]?.status?.labelsInside).toBe(5)
  })

  it('names several errors from the extended answer, which counts no labels', () => {
    expect(answersIn(extendedErrors(0x10005))).toEqual([
      { errors: { remarks: [{ code: 'out-of-labels' }, { code: 'head-open' }, { code: 'paused' }] } },
    ])
    expect(answersIn(extendedErrors(0))).toEqual([{ errors: { remarks: [] } }])
  })

  it.each([
    ['69 "', 69 * 25.4],
    ['1,330,401 "', 1_330_401 * 25.4],
    ['21744 cm', 217_440],
  ])('reads the odometer value %s as %d millimetres', (length, millimetres) => {
    expect(answersIn(odometer(length))).toEqual([{ odometer: { millimetres } }])
  })

  it('is read from several answers in pieces of any size, and text between them is ignored', () => {
    const text = `${hostStatus({})}PONG\r\n${extendedErrors(0)}\u0002half${hostStatus({})}`
    const expected = [ready, { errors: { remarks: [] } }, ready]
    expect(answersIn(text)).toEqual(expected)
    expect(answersIn(...text)).toEqual(expected)
  })

  it('is not read from half an answer or from other text', () => {
    for (const answer of ['', hostStatus({}).slice(0, 30), 'PONG\r\n', '\u0002hello\u0003']) {
      expect(answersIn(answer)).toEqual([])
    }
  })
})
