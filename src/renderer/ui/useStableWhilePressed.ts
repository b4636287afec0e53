import { useState, useSyncExternalStore } from 'react'

/** The page matches `:active` while the pointer presses anything on it; of a key press, only the focused button does. */
const isPressed = () =>
  document.documentElement.matches(':active') || document.activeElement?.matches(':active') === true

function onPressOrRelease(changed: () => void): () => void {
  // The click event follows pointerup in the same task and must come before the layout changes.
  const released = () => setTimeout(changed)
  window.addEventListener('pointerdown', changed)
  window.addEventListener('pointerup', released)
  window.addEventListener('pointercancel', released)
  // The space bar presses a button too.
  window.addEventListener('keyup', released)
  return () => {
    window.removeEventListener('pointerdown', changed)
    window.removeEventListener('pointerup', released)
    window.removeEventListener('pointercancel', released)
    window.removeEventListener('keyup', released)
  }
}

/**
 * Holds a value that affects the layout while something is pressed. Pressing a button first blurs the current field; an
 * error text that appears or disappears at that moment would move the button away from under the pointer.
 * @param value an object must be the same one until its content changes
 */
export function useStableWhilePressed<T>(value: T): T {
  const pressed = useSyncExternalStore(onPressOrRelease, isPressed)
  const [shown, show] = useState(value)
  if (!pressed && !Object.is(shown, value)) show(value)
  return pressed ? shown : value
}
