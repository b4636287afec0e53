import type { IconProps } from '@tabler/icons-react'
import type { ComponentType, ReactNode } from 'react'
import styles from './app.module.css'

interface StatusItemProps {
  Icon: ComponentType<IconProps>
  /** Class names: colour, and how the item shrinks where there is no room. */
  look?: readonly (string | undefined)[]
  title?: string | undefined
  /** Accessible name, where the text alone is not clear. */
  label?: string | undefined
  /** Makes the item a button. */
  onClick?: () => void
  children: ReactNode
}

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
