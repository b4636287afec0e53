import { useIdle } from '@mantine/hooks'
import { useEffect } from 'react'

/** As desktops do where they let it rest, in milliseconds. */
const restAfterMs = 10_000

/**
 * Lets the caret stand still while nobody types (`global.css`): the field that waits for the scanner has it all day, and each blink
 * wakes the page and the process that draws.
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
