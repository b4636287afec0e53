import { Button } from '@mantine/core'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import styles from './ship.module.css'

/** How long the button has to be held, in milliseconds: longer than a scanner or a slip of the hand presses a key. */
const holdMs = 1500

/** A button that has to be held, by the pointer or with Enter or Space. */
export function HoldButton({ onHeld, children }: { onHeld: () => void; children: ReactNode }) {
  const [holder, setHolder] = useState<'pointer' | 'key' | null>(null)
  const isHeld = holder !== null
  const held = useEffectEvent(onHeld)
  // Only letting go begins the wait anew, not what is drawn meanwhile.
  useEffect(() => {
    if (!isHeld) return
    const timer = setTimeout(() => held(), holdMs)
    return () => clearTimeout(timer)
  }, [isHeld])
  const releaseKey = () => setHolder((now) => (now === 'key' ? null : now))
  return (
    <Button
      size="xl"
      variant="white"
      color="dark"
      className={styles.hold}
      data-held={isHeld}
      onPointerDown={({ currentTarget, pointerId }) => {
        // It stays held when the hand slips off it, or something comes to lie under the pointer.
        currentTarget.setPointerCapture(pointerId)
        setHolder('pointer')
      }}
      onLostPointerCapture={() => setHolder(null)}
      onKeyDown={({ key }) => {
        if (key === 'Enter' || key === ' ') setHolder((now) => now ?? 'key')
      }}
      onKeyUp={releaseKey}
      onBlur={releaseKey}
    >
      {children}
    </Button>
  )
}
