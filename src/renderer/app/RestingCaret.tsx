import { useIdle } from '@mantine/hooks'
import { useEffect } from 'react'

/** The idle time after which desktops stop the blinking, in milliseconds. */
const restAfterMs = 10_000

/**
 * Stops the caret's blinking while nobody types (`global.css`). The field that waits for the scanner has the focus
 * all day, and each blink wakes up the renderer and the GPU process.
 */
export function RestingCaret() {
  const isResting = useIdle(restAfterMs, {
    events: ['keydown', 'input', 'pointerdown', 'focusin'],
    initialState: false,
  })
  useEffect(() => {
    document.documentElement.toggleAttribute('data-resting', isResting)
    return () => document.documentElement.removeAttribute('data-resting')
  }, [isResting])
  return null
}
