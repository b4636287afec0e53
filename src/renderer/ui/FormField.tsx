import { NativeSelect, type NativeSelectProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { TextField, type TextFieldProps } from './TextField'
import { fromFormError, type ValidationIssue } from './validation'

/** Words what is wrong with a field; undefined when nothing is. `name` picks a sentence of its own for some fields. */
export function useIssueText() {
  const { t } = useTranslation()
  return (issue: ValidationIssue | undefined, label: string, name?: string): string | undefined => {
    if (!issue) return undefined
    const { code, limit, hint } = issue
    if (code !== 'required' && (name === 'weight' || name === 'numberOfPackages')) {
      return t(`fieldIssues.range-${name}`)
    }
    return t(`fieldIssues.${code}`, { field: label, limit, hint })
  }
}

interface BoundProps {
  /** What is wrong, as a form keeps it. */
  error?: ReactNode
  /** What is wrong, from elsewhere than a form. */
  issue?: ValidationIssue | undefined
  /** What a sentence about the field calls it, where that is not its label. */
  called?: string
  /** A sentence instead of the one that the issue has. */
  errorText?: string
  /** The contract's name of a field that has sentences of its own. */
  field?: string
}

interface FormFieldProps extends Omit<TextFieldProps, 'errorText' | 'error' | 'value'>, BoundProps {
  value?: string
  /** What is typed is a number: whole, or with a point or comma. */
  numeric?: 'whole' | 'decimal' | undefined
}

/**
 * One line of text that is bound to a form: spread `form.getInputProps(path)` on it. It words what the contract's schema
 * has against the value.
 */
export function FormField(given: FormFieldProps) {
  const { error, issue, called, errorText, field, numeric, value = '', ...props } = given
  const issueText = useIssueText()
  const found = issueText(issue ?? fromFormError(error), called ?? props.label ?? '', field)
  return (
    <TextField
      inputMode={numeric === undefined ? undefined : numeric === 'whole' ? 'numeric' : 'decimal'}
      {...props}
      value={value}
      errorText={found === undefined ? undefined : (errorText ?? found)}
    />
  )
}

/** What can be chosen, from the words for each value. */
export function toChoices(words: Readonly<Record<string, string>>) {
  return Object.entries(words).map(([value, label]) => ({ value, label }))
}

interface FormSelectProps
  extends Omit<NativeSelectProps, 'error' | 'label'>,
    Pick<BoundProps, 'error' | 'errorText'> {
  label: string
}

/** A choice from few that is bound to a form. */
export function FormSelect({ error, errorText, ...props }: FormSelectProps) {
  const issueText = useIssueText()
  const found = issueText(fromFormError(error), props.label)
  return <NativeSelect {...props} error={found === undefined ? undefined : (errorText ?? found)} />
}
