import { Button, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './ui.module.css'

interface ConfirmDialogProps {
  opened: boolean
  title: string
  children: ReactNode
  confirm: string
  onConfirm: () => void
  onCancel: () => void
}

/** Asks before an action that can't be undone. Cancel has the focus. */
export function ConfirmDialog({ opened, title, children, confirm, onConfirm, onCancel }: ConfirmDialogProps) {
  const { t } = useTranslation()
  return (
    <Modal opened={opened} onClose={onCancel} title={title}>
      {children}
      <div className={styles.actions}>
        <Button variant="filled" color="red.9" onClick={onConfirm}>
          {confirm}
        </Button>
        <Button variant="default" data-autofocus data-safe onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      </div>
    </Modal>
  )
}
