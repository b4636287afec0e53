import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDay } from '../i18n/format'
import { addDays, formatShortDay, readDay } from './days'
import { TextField } from './TextField'

interface DateFieldProps {
  label: string
  /** YYYY-MM-DD, empty, or the typed text if it is not a date. */
  value: string
  onChange: (value: string) => void
  /** Error for a missing date, or from the validation of the whole form; one sentence. */
  errorText?: string | undefined
  /** A hint that does not block. */
  advice?: string | undefined
  /** Marks the field as one that must be filled. */
  needed?: boolean
}

/**
 * A date field. It accepts figures in the order of the app's language, or YYYY-MM-DD, and shows the date in words
 * below, so that day and month can't be confused. Chromium's own date field follows the computer's language instead.
 * Arrow up and down change the date by a day.
 */
export function DateField({ value, onChange, errorText, ...props }: DateFieldProps) {
  const { t, i18n } = useTranslation()
  /** The text in the field while it is edited, and the value it stands for. */
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
      value={typed?.value === value ? typed.text : formatShortDay(value, i18n.language)}
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
