import { ActionIcon, Button } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface AddButtonProps {
  disabled?: boolean
  onClick: () => void
  /** What is added. */
  children: ReactNode
}

/** Adds a row to what stands above it. */
export function AddButton(props: AddButtonProps) {
  return <Button variant="default" leftSection={<IconPlus size={20} aria-hidden />} {...props} />
}

interface RemoveButtonProps {
  /** Names the row for those who do not see it. */
  label: string
  className?: string | undefined
  onClick: () => void
}

/** Removes the row that it stands in. */
export function RemoveButton({ label, ...props }: RemoveButtonProps) {
  return (
    <ActionIcon aria-label={label} {...props}>
      <IconTrash size={22} aria-hidden />
    </ActionIcon>
  )
}
