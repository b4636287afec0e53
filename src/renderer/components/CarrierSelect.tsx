import { Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CarrierOption } from '../../shared/settings'
import { carrierKey, readCarrierKey } from '../stores/draftForm'

interface CarrierSelectProps {
  label: string
  carriers: readonly CarrierOption[]
  /** Key of the option, or empty. */
  value: string
  onChange: (key: string) => void
  fault?: string | undefined
  needed?: boolean
  readOnly?: boolean
  clearable?: boolean
  /** Name by which the form finds the field. */
  field?: string
  onLeave?: () => void
}

/** A carrier option by the name that the settings give it. */
export function CarrierSelect(props: CarrierSelectProps) {
  const { label, carriers, value, onChange, fault, needed, readOnly, clearable, field, onLeave } = props
  const { t } = useTranslation()
  const data = carriers.map((option) => ({ value: carrierKey(option), label: option.name }))
  // Defaults may name an option that has no name yet: show its ids instead of hiding the choice.
  const unnamed = readCarrierKey(value)
  if (unnamed && !data.some((item) => item.value === value)) {
    const ids = { option: unnamed.carrierOptionId, carrier: unnamed.carrierId }
    data.push({ value, label: t('ship.carrierById', ids) })
  }
  return (
    <Select
      data-field={field}
      label={label}
      className={needed ? 'pb-required' : undefined}
      aria-required={needed}
      data={data}
      value={value === '' ? null : value}
      onChange={(key) => onChange(key ?? '')}
      searchable
      openOnFocus={false}
      selectFirstOptionOnChange
      allowDeselect={clearable ?? false}
      readOnly={readOnly}
      placeholder={t('ship.carrierPlaceholder')}
      error={fault}
      onBlur={onLeave}
    />
  )
}
