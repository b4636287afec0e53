import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'

interface FilterSelectProps {
  label: string
  /** Empty where all is shown. */
  value: string
  choices: readonly (string | { value: string; label: string })[]
  onChange: (value: string) => void
}

/** Narrows a list to one of a few choices, of which the first is all of them. */
export function FilterSelect({ label, value, choices, onChange }: FilterSelectProps) {
  const { t } = useTranslation()
  return (
    <NativeSelect
      label={label}
      value={value}
      data={[{ value: '', label: t('common.all') }, ...choices]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
