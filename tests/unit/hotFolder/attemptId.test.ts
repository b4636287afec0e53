import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toAttemptId } from '../../../src/main/hotFolder/lineOutcome'

const file = '3f0f6f0e-7a4a-4b1b-9a55-0c6c7f2f7a11'

describe('the attempt id of a line', () => {
  it('is a UUID and the same each time', () => {
    const id = toAttemptId(file, 1, 'ORDER-1')
    expect(z.uuid().safeParse(id).success).toBe(true)
    expect(id).toBe(toAttemptId(file, 1, 'ORDER-1'))
    // Written down: a change of the rule would send what an older version had sent before a crash.
    expect(id).toBe('05510a78-627f-8368-8680-1c4a5edfe374')
  })

  it('differs by file, line and reference, and by where one ends and the next begins', () => {
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
