import { NativeSelect, type NativeSelectProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { languages } from '../../locales/languages'
import { languageSchema } from '../../shared/fields'
import { TextField, type TextFieldProps } from './TextField'
import { fromFormError, type ValidationIssue } from './validation'

/**
 * Turns a validation issue into a sentence; undefined if there is none. Some field names have sentences of their own.
 */
export function useIssueText() {
  const { t } = useTranslation()
  return (issue: ValidationIssue | undefined, label: string, name?: string): string | undefined => {
    if (!issue) return undefined
    const { code, limit, hint } = issue
    const isOutside = code !== 'required' && code !== 'cell-error' && code !== 'changed-elsewhere'
    if (isOutside && (name === 'weight' || name === 'numberOfPackages')) {
      return t(`fieldIssues.range-${name}`)
    }
    return t(`fieldIssues.${code}`, { field: label, limit, hint })
  }
}

interface BoundProps {
  /** Error in the form library's text form. */
  error?: ReactNode
  /** Error from outside a form. */
  issue?: ValidationIssue | undefined
  /** Name of the field in its error sentence, if not its label. */
  nameInError?: string
  /** Replaces the issue's own sentence. */
  errorText?: string
  /** The contract's field name, if it has sentences of its own. */
  field?: string
}

interface FormFieldProps extends Omit<TextFieldProps, 'errorText' | 'error' | 'value'>, BoundProps {
  value?: string
  /** Numeric keyboard: integers, or numbers with a decimal point or comma. */
  numeric?: 'whole' | 'decimal' | undefined
}

/**
 * A text field that is bound to a form: spread `form.getInputProps(path)` on it. It shows the contract's validation
 * errors.
 */
export function FormField(given: FormFieldProps) {
  const { error, issue, nameInError, errorText, field, numeric, value = '', ...props } = given
  const issueText = useIssueText()
  const found = issueText(issue ?? fromFormError(error), nameInError ?? props.label ?? '', field)
  return (
    <TextField
      inputMode={numeric === undefined ? undefined : numeric === 'whole' ? 'numeric' : 'decimal'}
      {...props}
      value={value}
      errorText={found === undefined ? undefined : (errorText ?? found)}
    />
  )
}

/** Options of a select, from the label of each value. */
export function toChoices<Value extends string>(words: Readonly<Record<Value, string>>) {
  const isValue = (key: string): key is Value => Object.hasOwn(words, key)
  return Object.keys(words)
    .filter(isValue)
    .map((value) => ({ value, label: words[value] }))
}

/** The languages of the app, each by its own name. */
export const languageChoices = languageSchema.options.map((value) => ({
  value,
  label: languages[value].name,
}))

interface FormSelectProps
  extends Omit<NativeSelectProps, 'error' | 'label'>,
    Pick<BoundProps, 'error' | 'errorText'> {
  label: string
}

export function FormSelect({ error, errorText, ...props }: FormSelectProps) {
  const issueText = useIssueText()
  const found = issueText(fromFormError(error), props.label)
  return <NativeSelect {...props} error={found === undefined ? undefined : (errorText ?? found)} />
}
