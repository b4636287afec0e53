import { describe, expect, it } from 'vitest'
import { readStatus } from '../../../../src/main/printing/drivers/zplStatus'
import { hostStatus } from '../../../support/printing/zplPrinter'

describe('what a ZPL printer says of itself', () => {
  it('is ready when no flag is set', () => {
    expect(readStatus(hostStatus({}))).toEqual({ troubles: [], labelsInside: 0 })
  })

  it.each([
    [{ paperOut: true }, 'out-of-labels'],
    [{ paused: true }, 'paused'],
    [{ headOpen: true }, 'head-open'],
    [{ ribbonOut: true }, 'ribbon-used-up'],
  ])('%o is known', (state, code) => {
    expect(readStatus(hostStatus(state))?.troubles).toEqual([{ code }])
  })

  it('counts labels that it has received and not printed', () => {
    expect(readStatus(hostStatus({ formatsInside: 2, labelsLeft: 3 }))?.labelsInside).toBe(5)
  })

  it('is read from the extended answer too, each trouble once', () => {
    const extended =
      '\u0002\r\nPRINTER STATUS\r\n ERRORS: 1 00000000 00010005\r\n WARNINGS: 0 00000000 00000000\r\n\u0003'
    expect(readStatus(extended)?.troubles).toEqual([
      { code: 'out-of-labels' },
      { code: 'head-open' },
      { code: 'paused' },
    ])
    expect(readStatus(hostStatus({ paperOut: true }) + extended)?.troubles).toHaveLength(3)
    expect(readStatus(extended.replace('ERRORS: 1', 'ERRORS: 0'))?.troubles).toEqual([])
  })

  it('is not known from half an answer or from rubbish', () => {
    for (const answer of ['', hostStatus({}).slice(0, 30), 'PONG\r\n', '\u0002hello\u0003']) {
      expect(readStatus(answer)).toBeUndefined()
    }
  })
})
