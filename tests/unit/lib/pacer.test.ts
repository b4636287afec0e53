import { describe, expect, it } from 'vitest'
import { createPacer } from '../../../src/main/lib/pacer'

describe('createPacer', () => {
  it('yields during a long computation, and does not wait in a short one', async () => {
    let turns = 0
    let isOver = false
    const takeTurn = () => {
      turns += 1
      if (!isOver) setImmediate(takeTurn)
    }
    setImmediate(takeTurn)
    const pace = createPacer()
    expect(pace()).toBeUndefined()
    const until = performance.now() + 50
    while (performance.now() < until) await pace()
    isOver = true
    expect(turns).toBeGreaterThan(1)
  })
})
