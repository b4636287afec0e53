import { MantineProvider } from '@mantine/core'
import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { HoldButton } from '../../src/renderer/features/ship/WrongLabelDialog'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function setUp() {
  const onHeld = vi.fn()
  const button = (
    <MantineProvider>
      {/* A new listener at each drawing, as its callers give it. */}
      <HoldButton onHeld={() => onHeld()}>Hold</HoldButton>
    </MantineProvider>
  )
  const { rerender } = render(button)
  const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms))
  return { onHeld, wait, redraw: () => rerender(button), button: screen.getByRole('button') }
}

it.each(['Enter', ' '])(
  'the button triggers once when %j is held long enough, and not when it is released early',
  (key) => {
    const { button, onHeld, wait } = setUp()
    fireEvent.keyDown(button, { key })
    wait(1400)
    fireEvent.keyUp(button, { key })
    wait(5000)
    expect(onHeld).not.toHaveBeenCalled()
    fireEvent.keyDown(button, { key })
    wait(1000)
    fireEvent.keyDown(button, { key, repeat: true })
    wait(500)
    expect(onHeld).toHaveBeenCalledOnce()
    wait(5000)
    expect(onHeld).toHaveBeenCalledOnce()
  },
)

it('the button releases a key when the focus leaves', () => {
  const { button, onHeld, wait } = setUp()
  fireEvent.keyDown(button, { key: 'Enter' })
  wait(1000)
  fireEvent.blur(button)
  wait(5000)
  expect(onHeld).not.toHaveBeenCalled()
})

it('the button stays held by the pointer when the pointer slips, the focus leaves, keys are released and the screen is rendered again', () => {
  const { button, onHeld, wait, redraw } = setUp()
  fireEvent.pointerDown(button, { pointerId: 1 })
  wait(500)
  fireEvent.pointerLeave(button, { pointerId: 1 })
  fireEvent.blur(button)
  fireEvent.keyUp(button, { key: 'Enter' })
  redraw()
  wait(1000)
  expect(onHeld).toHaveBeenCalledOnce()
})

it('the button does not trigger when the pointer is released early', () => {
  const { button, onHeld, wait } = setUp()
  fireEvent.pointerDown(button, { pointerId: 1 })
  wait(1400)
  fireEvent.lostPointerCapture(button, { pointerId: 1 })
  wait(5000)
  expect(onHeld).not.toHaveBeenCalled()
})
