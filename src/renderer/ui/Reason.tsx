import { Button, Flex, Group, Modal, Popover, type PopoverProps } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppError } from '../../shared/errors'
import { ErrorCallout } from './Callout'
import fieldStyles from './field.module.css'
import { TextField } from './TextField'

interface ReasonProps {
  /** Text of the button that opens the field. */
  open: string
  /** Label of the field. */
  label: string
  /** Text of the button that saves. */
  save: string
  isSaving: boolean
  error?: AppError | null
}

interface ReasonDialogProps extends ReasonProps {
  icon?: ReactNode
  disabled?: boolean
  title: string
  explain: string
  /** Error of an empty field. */
  missing: string
  maxLength: number
  onSave: (reason: string, close: () => void) => void
}

/** A button that opens a dialog for a reason, which is stored with the action. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { t } = useTranslation()
  const [isAsking, setIsAsking] = useState(false)
  const [reason, setReason] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  const close = () => setIsAsking(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
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
          <p>{props.explain}</p>
          <TextField
            label={props.label}
            value={reason}
            onChange={(text) => {
              setReason(text)
              setIsMissing(false)
            }}
            errorText={isMissing ? props.missing : undefined}
            maxLength={props.maxLength}
            needed
            data-autofocus
          />
          {props.error ? <ErrorCallout error={props.error} /> : null}
          <div className={fieldStyles.actions}>
            <Button type="submit" loading={props.isSaving}>
              {props.save}
            </Button>
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
          </div>
        </form>
      </Modal>
    </>
  )
}

interface ReasonPopoverProps extends ReasonProps {
  position: PopoverProps['position']
  /** Frequent reasons, offered as buttons. */
  usual?: readonly string[]
  onSave: (reason: string, close: () => void) => void
}

/** A button that opens a popover for a reason. */
export function ReasonPopover(props: ReasonPopoverProps) {
  const { open, label, save, isSaving, error, position, usual = [], onSave } = props
  const [isAsking, setIsAsking] = useState(false)
  const [reason, setReason] = useState('')
  const close = () => {
    setIsAsking(false)
    setReason('')
  }
  return (
    <Popover opened={isAsking} onChange={setIsAsking} trapFocus withArrow position={position}>
      <Popover.Target>
        <Button variant="default" aria-expanded={isAsking} onClick={() => setIsAsking(!isAsking)}>
          {open}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Flex
          component="form"
          direction="column"
          gap={10}
          maw={320}
          onSubmit={(event) => {
            event.preventDefault()
            // React also tells a form around the popover, which would save its own fields.
            event.stopPropagation()
            if (reason.trim() !== '') onSave(reason, close)
          }}
        >
          {usual.length === 0 ? null : (
            <Group gap={8}>
              {usual.map((each) => (
                <Button key={each} variant="default" onClick={() => setReason(each)}>
                  {each}
                </Button>
              ))}
            </Group>
          )}
          <TextField
            label={label}
            value={reason}
            onChange={setReason}
            maxLength={200}
            data-autofocus
            needed
          />
          <Button type="submit" loading={isSaving} disabled={reason.trim() === ''}>
            {save}
          </Button>
          {error ? <ErrorCallout error={error} /> : null}
        </Flex>
      </Popover.Dropdown>
    </Popover>
  )
}
