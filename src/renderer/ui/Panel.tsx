import { type ReactNode, useId } from 'react'
import styles from './field.module.css'

interface PanelProps {
  title: string
  children: ReactNode
}

/** A titled part of a screen. */
export function Panel({ title, children }: PanelProps) {
  const titleId = useId()
  return (
    <section className={styles.panel} aria-labelledby={titleId}>
      <h2 id={titleId} className={styles.panelTitle}>
        {title}
      </h2>
      {children}
    </section>
  )
}

interface EmptyProps {
  title: string
  hint: string
  icon: ReactNode
}

/** What stands where there is nothing yet. */
export function Empty({ title, hint, icon }: EmptyProps) {
  return (
    <div className={styles.empty}>
      {icon}
      <p className={styles.emptyTitle}>{title}</p>
      <p>{hint}</p>
    </div>
  )
}
