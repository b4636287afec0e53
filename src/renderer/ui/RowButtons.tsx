import { ActionIcon, Button } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface AddButtonProps {
  disabled?: boolean
  onClick: () => void
  children: ReactNode
}

export function AddButton(props: AddButtonProps) {
  return <Button variant="default" leftSection={<IconPlus size={20} aria-hidden />} {...props} />
}

interface RemoveButtonProps {
  /** Accessible name; it names the row. */
  label: string
  className?: string | undefined
  onClick: () => void
}

export function RemoveButton({ label, ...props }: RemoveButtonProps) {
  return (
    <ActionIcon aria-label={label} {...props}>
      <IconTrash size={22} aria-hidden />
    </ActionIcon>
  )
}
