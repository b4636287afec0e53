import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './ui.module.css'
import { useStableWhilePressed } from './useStableWhilePressed'

export interface TextFieldProps
  extends Omit<TextInputProps, 'onChange' | 'error' | 'description' | 'required' | 'label' | 'value'> {
  /** Omitted if `aria-label` names the field. */
  label?: string
  value: string
  onChange: (text: string) => void
  /** The error; one sentence. */
  errorText?: string | undefined
  /** A hint that does not block. */
  advice?: string | undefined
  /** What the field is for. */
  hint?: string | undefined
  /** Marks the field as required. */
  needed?: boolean
}

/** A hint below a field that never blocks. */
export function FieldAdvice({ text }: { text: string }): ReactNode {
  return (
    <span className={styles.advice}>
      <IconInfoCircle size={17} aria-hidden />
      {text}
    </span>
  )
}

export function TextField({ hint, needed, onChange, className, ...props }: TextFieldProps) {
  const { errorText: newError, advice: newAdvice, ...rest } = props
  const errorText = useStableWhilePressed(newError)
  const advice = useStableWhilePressed(newAdvice)
  return (
    <TextInput
      {...rest}
      className={[className, needed ? 'pb-required' : ''].filter(Boolean).join(' ')}
      autoComplete="off"
      spellCheck={false}
      aria-required={needed}
      error={errorText}
      description={errorText === undefined && advice ? <FieldAdvice text={advice} /> : hint}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

interface PasswordFieldProps
  extends Omit<PasswordInputProps, 'onChange' | 'error' | 'description' | 'required' | 'value'> {
  label: string
  value: string
  onChange: (text: string) => void
  /** The error; one sentence. */
  errorText?: string | undefined
  /** What the field is for. */
  hint?: string | undefined
  /** Marks the field as required. */
  needed?: boolean
  /** Accessible name of the button that shows or hides the password. */
  toggleLabel: string
}

export function PasswordField(props: PasswordFieldProps) {
  const { errorText, hint, needed, toggleLabel, onChange, ...rest } = props
  return (
    <PasswordInput
      {...rest}
      // Keeps scans out of the field, even while the password is visible.
      data-secret
      className={needed ? 'pb-required' : ''}
      autoComplete="off"
      aria-required={needed}
      error={errorText}
      description={hint}
      visibilityToggleButtonProps={{ 'aria-label': toggleLabel, tabIndex: 0 }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

export function PinField(props: Omit<PasswordFieldProps, 'toggleLabel'>) {
  const { t } = useTranslation()
  return <PasswordField {...props} inputMode="numeric" maxLength={12} toggleLabel={t('people.showPin')} />
}
