import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './field.module.css'
import { useStill } from './useStill'

export interface TextFieldProps
  extends Omit<TextInputProps, 'onChange' | 'error' | 'description' | 'required' | 'label' | 'value'> {
  /** Left out when `aria-label` names the field. */
  label?: string
  value: string
  onChange: (text: string) => void
  /** What is wrong; one sentence. */
  errorText?: string | undefined
  /** What is worth a look. */
  advice?: string | undefined
  /** What the field is for. */
  hint?: string | undefined
  /** Marks the field as one that must be filled. */
  needed?: boolean
}

/** Advice under a field: never an error, never in the way. */
export function FieldAdvice({ text }: { text: string }): ReactNode {
  return (
    <span className={styles.advice}>
      <IconInfoCircle size={17} aria-hidden />
      {text}
    </span>
  )
}

/** One line of text with its label, its error text and its advice. */
export function TextField({ hint, needed, onChange, className, ...props }: TextFieldProps) {
  const { errorText: newError, advice: newAdvice, ...rest } = props
  const errorText = useStill(newError)
  const advice = useStill(newAdvice)
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
  /** What is wrong; one sentence. */
  errorText?: string | undefined
  /** What the field is for. */
  hint?: string | undefined
  /** Marks the field as one that must be filled. */
  needed?: boolean
  /** What the button is called that shows or hides it. */
  toggleLabel: string
}

/** A password with a button that shows it. */
export function PasswordField(props: PasswordFieldProps) {
  const { errorText, hint, needed, toggleLabel, onChange, ...rest } = props
  return (
    <PasswordInput
      {...rest}
      // The scanner stays away from it, also while it is shown.
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

/** The administrator's PIN. */
export function PinField(props: Omit<PasswordFieldProps, 'toggleLabel'>) {
  const { t } = useTranslation()
  return <PasswordField {...props} inputMode="numeric" maxLength={12} toggleLabel={t('people.showPin')} />
}
