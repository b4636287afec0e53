import { describe, expect, it } from 'vitest'
import { FaultPlan, findDemoFault } from '../../../src/simulator/faults'

describe('the fault plan', () => {
  it('strikes as often as it was told, then lets the next fault strike', () => {
    const plan = new FaultPlan()
    plan.add({ operation: 'shipment', fault: { kind: 'nullBody' }, times: 2 })
    plan.add({ operation: 'shipment', fault: { kind: 'refused' } })
    const kinds = [1, 2, 3, 4].map(() => plan.takeAfterReading('shipment', 'A')?.kind)
    expect(kinds).toEqual(['nullBody', 'nullBody', 'refused', 'refused'])
    plan.clear()
    expect(plan.takeAfterReading('shipment', 'A')).toBeUndefined()
  })

  it('strikes its own operation and its own reference only', () => {
    const plan = new FaultPlan()
    plan.add({ operation: 'shipment', fault: { kind: 'refused' }, reference: 'B' })
    expect(plan.takeAfterReading('auth', undefined)).toBeUndefined()
    expect(plan.takeAfterReading('shipment', 'A')).toBeUndefined()
    expect(plan.takeAfterReading('shipment', 'B')).toEqual({ kind: 'refused' })
  })

  it('keeps faults before and after the reading apart', () => {
    const plan = new FaultPlan()
    plan.add({ operation: 'auth', fault: { kind: 'resetBeforeReading' } })
    expect(plan.takeAfterReading('auth', undefined)).toBeUndefined()
    expect(plan.takeBeforeReading('auth')?.kind).toBe('resetBeforeReading')
    const withReference = {
      operation: 'shipment',
      fault: { kind: 'hangBeforeReading' },
      reference: 'A',
    } as const
    expect(() => plan.add(withReference)).toThrow('before the reference is known')
  })
})

describe('magic references', () => {
  it('begin with the word, exactly', () => {
    expect(findDemoFault('REFUSE-1')?.kind).toBe('refused')
    expect(findDemoFault('LOST')?.kind).toBe('resetAfterReading')
    expect(findDemoFault('ORDER-REFUSE')).toBeUndefined()
    expect(findDemoFault('')).toBeUndefined()
  })
})
