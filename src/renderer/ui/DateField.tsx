import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDay } from '../i18n/format'
import { addDays, readDay, showDay } from './days'
import { TextField } from './TextField'

interface DateFieldProps {
  label: string
  /** YYYY-MM-DD, empty, or what was typed and is no day. */
  value: string
  onChange: (value: string) => void
  /** What is wrong where no day is given, or where a whole form was checked; one sentence. */
  errorText?: string | undefined
  /** What is worth a look. */
  advice?: string | undefined
  /** Marks the field as one that must be filled. */
  needed?: boolean
}

/**
 * A day, typed or scanned in figures as the app's language writes it, or as YYYY-MM-DD, and said in words below, so that
 * day and month can't be taken for one another. Chromium's own field goes by the computer's language instead. Arrow
 * up and down go on by a day.
 */
export function DateField({ value, onChange, errorText, ...props }: DateFieldProps) {
  const { t, i18n } = useTranslation()
  /** What stands in the field while it is being typed, and the value that it has for others. */
  const [typed, setTyped] = useState<{ text: string; value: string } | null>(null)
  const [isFocused, setFocused] = useState(false)
  const isDay = readDay(value) === value
  const isWrong = value !== '' && !isDay && (!isFocused || errorText !== undefined)
  const change = (text: string) => {
    const next = readDay(text) ?? text.trim()
    setTyped({ text, value: next })
    onChange(next)
  }
  return (
    <TextField
      {...props}
      value={typed?.value === value ? typed.text : showDay(value, i18n.language)}
      placeholder={t('common.dayForm')}
      hint={isDay ? formatDay(value, i18n.language) : undefined}
      errorText={
        isWrong ? t('fieldIssues.day', { field: props.label, form: t('common.dayForm') }) : errorText
      }
      maxLength={40}
      onChange={change}
      onFocus={() => setFocused(true)}
      onBlur={() => {
        setFocused(false)
        setTyped(null)
      }}
      onKeyDown={(event) => {
        const step = { ArrowUp: 1, ArrowDown: -1 }[event.key]
        if (step === undefined || !isDay) return
        event.preventDefault()
        setTyped(null)
        onChange(addDays(value, step))
      }}
    />
  )
}
