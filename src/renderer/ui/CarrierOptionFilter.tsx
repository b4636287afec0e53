import { useTranslation } from 'react-i18next'
import type { HistoryFilter } from '../../shared/history'
import { useBridgeQuery } from '../bridge'
import { FilterSelect } from './ChoiceSelect'

interface CarrierOptionFilterProps {
  /** Of the settings, by id. */
  names: ReadonlyMap<number, string>
  stations: HistoryFilter['stations']
  value: number | null
  onChange: (carrierOptionId: number | null) => void
}

/** Filters shipments by carrier option: those of the settings, and others that shipments have. */
export function CarrierOptionFilter({ names, stations, value, onChange }: CarrierOptionFilterProps) {
  const { t } = useTranslation()
  const { data: choices } = useBridgeQuery('listHistoryChoices', { stations })
  const ids = [...new Set([...(choices?.carrierOptionIds ?? []), ...names.keys()])]
  return (
    <FilterSelect
      label={t('fields.carrierOptionId')}
      value={value === null ? '' : String(value)}
      values={ids.map(String)}
      toLabel={(id) => names.get(Number(id)) ?? id}
      onChange={(id) => onChange(id === '' ? null : Number(id))}
    />
  )
}
