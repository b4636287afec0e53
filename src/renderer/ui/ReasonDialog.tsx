import { Button, Group, Modal } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppError } from '../../shared/errors'
import { ErrorCallout } from './Callout'
import { TextField } from './TextField'

interface ReasonDialogProps {
  /** Text of the button that opens the dialog. */
  open: string
  icon?: ReactNode
  disabled?: boolean
  title: string
  explain?: string
  /** Frequent reasons, offered as buttons. */
  usual?: readonly string[]
  /** Label of the field. */
  label: string
  /** Error of an empty field. */
  missing?: string
  maxLength: number
  /** Text of the button that saves. */
  save: string
  isSaving: boolean
  error?: AppError | null
  onSave: (reason: string, close: () => void) => void
}

/** A button that opens a dialog for a reason, which is stored with the action. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { t } = useTranslation()
  const [isAsking, setIsAsking] = useState(false)
  const [reason, setReason] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  const close = () => setIsAsking(false)
  const change = (text: string) => {
    setReason(text)
    setIsMissing(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // React also tells a form around the dialog, which would save its own fields.
    event.stopPropagation()
    setIsMissing(reason.trim() === '')
    if (reason.trim() !== '') props.onSave(reason.trim(), close)
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={props.icon}
        disabled={props.disabled}
        onClick={() => setIsAsking(true)}
      >
        {props.open}
      </Button>
      <Modal opened={isAsking} onClose={close} title={props.title}>
        <form onSubmit={submit}>
          {props.explain ? <p>{props.explain}</p> : null}
          {props.usual ? (
            <Group gap={8} mb={10}>
              {props.usual.map((each) => (
                <Button key={each} variant="default" onClick={() => change(each)}>
                  {each}
                </Button>
              ))}
            </Group>
          ) : null}
          <TextField
            label={props.label}
            value={reason}
            onChange={change}
            errorText={isMissing ? (props.missing ?? t('common.reasonNeeded')) : undefined}
            maxLength={props.maxLength}
            needed
            data-autofocus
          />
          <ErrorCallout error={props.error} />
          <Group justify="flex-end" align="stretch" gap={10} mt={18}>
            <Button type="submit" loading={props.isSaving}>
              {props.save}
            </Button>
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
          </Group>
        </form>
      </Modal>
    </>
  )
}
