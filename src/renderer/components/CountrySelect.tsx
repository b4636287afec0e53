import { type ComboboxItem, type OptionsFilter, Select } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { countriesIn, countryMeant, findCountries } from '../i18n/countryNames'
import { FieldAdvice } from './TextField'

interface CountrySelectProps {
  label: string
  /** Two capital letters, or empty. */
  value: string
  onChange: (code: string) => void
  onLeave?: () => void
  fault?: string | undefined
  advice?: string | undefined
  needed?: boolean
  readOnly?: boolean
  /** Name by which the form finds the field. */
  field?: string
}

/** A country by name or code: typing either and moving on is enough. */
export function CountrySelect(props: CountrySelectProps) {
  const { label, value, onChange, onLeave, fault, advice, needed, readOnly, field } = props
  const { t, i18n } = useTranslation()
  const countries = useMemo(() => countriesIn(i18n.language), [i18n.language])
  const data = useMemo(
    () => countries.map(({ code, name }) => ({ value: code, label: `${name} (${code})` })),
    [countries],
  )
  const [search, setSearch] = useState('')

  const byCodeOrName: OptionsFilter = ({ options, search: text }) => {
    const order = findCountries(countries, text).map((country) => country.code)
    const items = options.filter((option): option is ComboboxItem => 'value' in option)
    return order.flatMap((code) => items.filter((item) => item.value === code))
  }

  return (
    <Select
      data-field={field}
      label={label}
      className={needed ? 'pb-required' : undefined}
      aria-required={needed}
      data={data}
      value={value === '' ? null : value}
      onChange={(code) => onChange(code ?? '')}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      onBlur={() => {
        const meant = countryMeant(countries, search)
        if (meant !== undefined && meant !== value) onChange(meant)
        onLeave?.()
      }}
      filter={byCodeOrName}
      limit={60}
      openOnFocus={false}
      selectFirstOptionOnChange
      allowDeselect={false}
      readOnly={readOnly}
      placeholder={t('ship.countryPlaceholder')}
      nothingFoundMessage={t('ship.countryNothing')}
      error={fault}
      description={fault === undefined && advice ? <FieldAdvice text={advice} /> : undefined}
    />
  )
}
