import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'

interface FilterSelectProps {
  label: string
  /** Empty for all. */
  value: string
  choices: readonly (string | { value: string; label: string })[]
  onChange: (value: string) => void
}

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
