import { useTranslation } from 'react-i18next'
import type { CarrierOption } from '../../shared/settings'
import { carrierKey, readCarrierKey } from './fieldValues'
import { type ChoiceProps, SearchSelect } from './SearchSelect'

interface CarrierSelectProps extends ChoiceProps {
  carriers: readonly CarrierOption[]
}

/** A carrier option by the name that the settings give it; the value is its key. */
export function CarrierSelect({ carriers, ...choice }: CarrierSelectProps) {
  const { t } = useTranslation()
  const data = carriers.map((option) => ({ value: carrierKey(option), label: option.name }))
  // Defaults may name an option that has no name yet: show its ids instead of hiding the choice.
  const unnamed = readCarrierKey(choice.value)
  if (unnamed && !data.some((item) => item.value === choice.value)) {
    const ids = { option: unnamed.carrierOptionId, carrier: unnamed.carrierId }
    data.push({ value: choice.value, label: t('ship.carrierById', ids) })
  }
  const lower = (text: string) => text.trim().toLowerCase()
  return (
    <SearchSelect
      {...choice}
      data={data}
      find={(text) =>
        data.filter((item) => lower(item.label).includes(lower(text))).map((item) => item.value)
      }
      meant={(text) => data.find((item) => lower(item.label) === lower(text))?.value}
      placeholder={t('ship.carrierPlaceholder')}
    />
  )
}
