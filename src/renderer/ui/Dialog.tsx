import { ActionIcon, Button, Modal } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './field.module.css'

interface DialogProps {
  opened: boolean
  title: string
  onClose: () => void
  /** Width in pixels. */
  size: number
  children: ReactNode
}

/** A large dialog. Its title is no page header, of which there is one already. */
export function Dialog({ opened, title, onClose, size, children }: DialogProps) {
  const { t } = useTranslation()
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={size}
      lockScroll={false}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={title}>
        <Modal.Body>
          <div className={styles.dialogHead}>
            <h2>{title}</h2>
            <ActionIcon aria-label={t('common.close')} onClick={onClose}>
              <IconX size={22} aria-hidden />
            </ActionIcon>
          </div>
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

interface ConfirmDialogProps {
  opened: boolean
  title: string
  children: ReactNode
  confirm: string
  onConfirm: () => void
  onCancel: () => void
}

/** Asks before something that can't be taken back; the safe answer has the focus. */
export function ConfirmDialog({ opened, title, children, confirm, onConfirm, onCancel }: ConfirmDialogProps) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={opened}
      onClose={onCancel}
      title={title}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {children}
      <div className={styles.moves}>
        <Button variant="filled" color="red.9" onClick={onConfirm}>
          {confirm}
        </Button>
        <Button variant="default" data-autofocus onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      </div>
    </Modal>
  )
}
