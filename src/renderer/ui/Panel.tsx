import { Box, Stack } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import styles from './ui.module.css'

interface PanelProps {
  title: string
  children: ReactNode
}

export function Panel({ title, children }: PanelProps) {
  const titleId = useId()
  return (
    <section className={styles.panel} aria-labelledby={titleId}>
      <Box id={titleId} component="h2" fz={17} fw={650} mb={10}>
        {title}
      </Box>
      {children}
    </section>
  )
}

interface EmptyProps {
  title: string
  hint: string
  icon: ReactNode
}

/** Placeholder for an empty list. */
export function Empty({ title, hint, icon }: EmptyProps) {
  return (
    <Stack gap={6} align="center" p="48px 24px" ta="center" c="dimmed">
      {icon}
      <Box component="p" fz={20} fw={650} c="var(--pb-ink)">
        {title}
      </Box>
      <p>{hint}</p>
    </Stack>
  )
}
