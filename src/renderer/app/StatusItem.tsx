import type { IconProps } from '@tabler/icons-react'
import type { ComponentType, ReactNode } from 'react'
import styles from './app.module.css'

interface StatusItemProps {
  Icon: ComponentType<IconProps>
  /** How it looks, and how it gives way where there is no room. */
  look?: readonly (string | undefined)[]
  title?: string | undefined
  /** What it is called when its text says less. */
  label?: string | undefined
  /** Where it leads; without, it only tells. */
  onClick?: () => void
  children: ReactNode
}

/** A part of the status bar: a sign with its words. */
export function StatusItem({ Icon, look = [], title, label, onClick, children }: StatusItemProps) {
  const className = [onClick ? styles.statusButton : styles.statusItem, ...look].filter(Boolean).join(' ')
  const inner = (
    <>
      <Icon size={20} aria-hidden />
      <span className={styles.statusText}>{children}</span>
    </>
  )
  return onClick ? (
    <button type="button" className={className} title={title} aria-label={label} onClick={onClick}>
      {inner}
    </button>
  ) : (
    <span className={className} title={title}>
      {inner}
    </span>
  )
}
