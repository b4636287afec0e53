import { describe, expect, it } from 'vitest'
import type { ZplAnswers } from '../../../../src/main/printing/drivers/zplStatus'
import { createAnswerReader } from '../../../../src/main/printing/drivers/zplStatus'
import { extendedErrors, hostStatus, odometer } from '../../../support/printing/zplPrinter'

/** Every answer in what a printer says, in order. */
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

describe('what a ZPL printer says of itself', () => {
  it('is ready when no flag is set', () => {
    expect(answersIn(hostStatus({}))).toEqual([ready])
  })

  it.each([
    [{ paperOut: true }, 'out-of-labels'],
    [{ paused: true }, 'paused'],
    [{ headOpen: true }, 'head-open'],
    [{ ribbonOut: true }, 'ribbon-used-up'],
  ])('%o is known', (state, code) => {
    expect(answersIn(hostStatus(state))[0]?.status?.remarks).toEqual([{ code }])
  })

  it('counts labels that it has received and not printed', () => {
    expect(answersIn(hostStatus({ formatsInside: 2, labelsLeft: 3 }))[0]?.status?.labelsInside).toBe(5)
  })

  it('is told in more detail by the extended answer, which counts no labels', () => {
    expect(answersIn(extendedErrors(0x10005))).toEqual([
      { errors: { remarks: [{ code: 'out-of-labels' }, { code: 'head-open' }, { code: 'paused' }] } },
    ])
    expect(answersIn(extendedErrors(0))).toEqual([{ errors: { remarks: [] } }])
  })

  it.each([
    ['69 "', 69 * 25.4],
    ['1,330,401 "', 1_330_401 * 25.4],
    ['21744 cm', 217_440],
  ])('has printed %s by its odometer', (length, millimetres) => {
    expect(answersIn(odometer(length))).toEqual([{ odometer: { millimetres } }])
  })

  it('is read in any parts, several answers after each other, without what stands between them', () => {
    const text = `${hostStatus({})}PONG\r\n${extendedErrors(0)}\u0002half${hostStatus({})}`
    const whole = [ready, { errors: { remarks: [] } }, ready]
    expect(answersIn(text)).toEqual(whole)
    expect(answersIn(...text)).toEqual(whole)
  })

  it('is not known from half an answer or from rubbish', () => {
    for (const answer of ['', hostStatus({}).slice(0, 30), 'PONG\r\n', '\u0002hello\u0003']) {
      expect(answersIn(answer)).toEqual([])
    }
  })
})
