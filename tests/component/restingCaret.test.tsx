import { act, fireEvent, render } from '@testing-library/react'
import { expect, it, onTestFinished, vi } from 'vitest'
import { RestingCaret } from '../../src/renderer/app/RestingCaret'

it('the caret stops blinking after ten seconds without input, and blinks again after the next input', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  render(<RestingCaret />)
  const isResting = () => document.documentElement.hasAttribute('data-resting')
  const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms))
  pass(9999)
  expect(isResting()).toBe(false)
  for (const sign of [fireEvent.keyDown, fireEvent.input, fireEvent.pointerDown, fireEvent.focusIn]) {
    pass(10_000)
    expect(isResting()).toBe(true)
    sign(document.body)
    expect(isResting()).toBe(false)
  }
})
