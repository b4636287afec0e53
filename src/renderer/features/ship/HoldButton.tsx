import { Button } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import styles from './ship.module.css'

/** How long the button has to be held, in milliseconds: longer than a scanner or a slip of the hand presses a key. */
const holdMs = 1500

/** A button that has to be held, by the pointer or with Enter or Space. */
export function HoldButton({ onHeld, children }: { onHeld: () => void; children: ReactNode }) {
  const [isHeld, setIsHeld] = useState(false)
  useEffect(() => {
    if (!isHeld) return
    const timer = setTimeout(onHeld, holdMs)
    return () => clearTimeout(timer)
  }, [isHeld, onHeld])
  const release = () => setIsHeld(false)
  return (
    <Button
      size="xl"
      variant="white"
      color="dark"
      className={styles.hold}
      data-held={isHeld}
      onPointerDown={() => setIsHeld(true)}
      onPointerUp={release}
      onPointerLeave={release}
      onKeyDown={({ key }) => {
        if (key === 'Enter' || key === ' ') setIsHeld(true)
      }}
      onKeyUp={release}
      onBlur={release}
    >
      {children}
    </Button>
  )
}
