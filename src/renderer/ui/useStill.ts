import { useState, useSyncExternalStore } from 'react'

/** The page is active as long as anything on it is being pressed. */
const isPressed = () => document.documentElement.matches(':active')

function onPressOrRelease(changed: () => void): () => void {
  // The click follows its release in the same turn, and must come before anything moves.
  const released = () => setTimeout(changed)
  window.addEventListener('pointerdown', changed)
  window.addEventListener('pointerup', released)
  window.addEventListener('pointercancel', released)
  return () => {
    window.removeEventListener('pointerdown', changed)
    window.removeEventListener('pointerup', released)
    window.removeEventListener('pointercancel', released)
  }
}

/**
 * What may move the page when it changes, as it was before the pointer went down: a press leaves a field before the
 * button under the pointer is released, and words that come or go in between would move the button away.
 */
export function useStill<T>(value: T): T {
  const pressed = useSyncExternalStore(onPressOrRelease, isPressed)
  const [shown, show] = useState(value)
  if (!pressed && !Object.is(shown, value)) show(value)
  return pressed ? shown : value
}
