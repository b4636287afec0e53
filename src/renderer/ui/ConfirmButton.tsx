import { Button, Group, Modal } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'

interface ConfirmButtonProps {
  /** Text of the button that opens the dialog, or another control that opens it by `ask`. */
  open: string | ((ask: () => void) => ReactNode)
  loading?: boolean
  disabled?: boolean
  title: string
  children: ReactNode
  /** Text of the button that confirms. */
  confirm: string
  onConfirm: () => void
}

/** A button that asks before an action that can't be undone. Cancel has the focus. */
export function ConfirmButton({ open, title, children, confirm, onConfirm, ...button }: ConfirmButtonProps) {
  const { t } = useTranslation()
  const [isAsking, setIsAsking] = useState(false)
  const ask = () => setIsAsking(true)
  const close = () => setIsAsking(false)
  const onAgree = () => {
    close()
    onConfirm()
  }
  return (
    <>
      {typeof open === 'string' ? (
        <Button variant="default" {...button} onClick={ask}>
          {open}
        </Button>
      ) : (
        open(ask)
      )}
      <Modal opened={isAsking} onClose={close} title={title}>
        {children}
        <Group justify="flex-end" align="stretch" gap={10} mt={18}>
          <Button variant="filled" color="red.9" onClick={onAgree}>
            {confirm}
          </Button>
          <Button variant="default" data-autofocus data-safe onClick={close}>
            {t('common.cancel')}
          </Button>
        </Group>
      </Modal>
    </>
  )
}
