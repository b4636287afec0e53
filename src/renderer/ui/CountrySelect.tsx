import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { countriesIn, countryMeant, findCountries } from '../locales/countryNames'
import { type ChoiceProps, SearchSelect } from './SearchSelect'

/** A country by name or code; the value is its code in two capital letters. */
export function CountrySelect(props: ChoiceProps) {
  const { t, i18n } = useTranslation()
  const countries = useMemo(() => countriesIn(i18n.language), [i18n.language])
  const data = useMemo(
    () => countries.map(({ code, name }) => ({ value: code, label: `${name} (${code})` })),
    [countries],
  )
  return (
    <SearchSelect
      {...props}
      data={data}
      find={(text) => findCountries(countries, text).map((country) => country.code)}
      meant={(text) => countryMeant(countries, text)}
      placeholder={t('ship.countryPlaceholder')}
      nothingFound={t('ship.countryNothing')}
    />
  )
}
