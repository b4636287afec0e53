import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toAttemptId } from '../../../src/main/hotFolder/lineOutcome'

const file = '3f0f6f0e-7a4a-4b1b-9a55-0c6c7f2f7a11'

describe('toAttemptId', () => {
  it('returns a UUID that is stable across calls and versions', () => {
    const id = toAttemptId(file, 1, 'ORDER-1')
    expect(z.uuid().safeParse(id).success).toBe(true)
    expect(id).toBe(toAttemptId(file, 1, 'ORDER-1'))
    // A fixed value: with another rule, a new version would send again what an older one had sent before a crash.
    expect(id).toBe('05510a78-627f-8368-8680-1c4a5edfe374')
  })

  it('returns different ids for different files, lines and references, without mixing up their digits', () => {
    const ids = [
      toAttemptId(file, 1, 'ORDER-1'),
      toAttemptId(file, 2, 'ORDER-1'),
      toAttemptId(file, 1, 'ORDER-2'),
      toAttemptId('other', 1, 'ORDER-1'),
      toAttemptId(file, 11, '1'),
      toAttemptId(file, 1, '11'),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })
})
