import { type ComboboxItem, type OptionsFilter, Select } from '@mantine/core'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import type { CarrierOption } from '../../shared/settings'
import { findCountries, findExactCountry, listCountries } from '../i18n/countryNames'
import { carrierKey, readCarrierKey } from './carrierOptions'
import { useSound } from './sounds'
import { FieldAdvice } from './TextField'
import { useStableWhilePressed } from './useStableWhilePressed'

export interface ChoiceProps {
  label: string
  /** The chosen value, or empty. */
  value: string
  onChange: (value: string) => void
  onLeave?: () => void
  errorText?: string | undefined
  advice?: string | undefined
  /** Marks the field as required. */
  needed?: boolean
  readOnly?: boolean
  /** Whether emptying the text removes the choice. */
  clearable?: boolean
  /** Value of `data-field`, by which the form finds the field. */
  field?: string
}

interface SearchSelectProps extends ChoiceProps {
  data: ComboboxItem[]
  /** Values that match a text, best first. */
  findMatches: (text: string) => string[]
  /** The value that a text names unambiguously; undefined if there is none. */
  findExact: (text: string) => string | undefined
  placeholder: string
  nothingFound?: string
}

/**
 * A searchable select: Enter chooses the best match, or the option that the arrow keys moved to; leaving the field
 * chooses an unambiguous match, and so does F9. F9 does nothing else while the text is ambiguous: the value is not what
 * the operator sees.
 */
function SearchSelect(props: SearchSelectProps) {
  const { label, value, onChange, onLeave, needed, readOnly, clearable, field } = props
  const { t } = useTranslation()
  const play = useSound((state) => state.play)
  // Whether F9 was pressed while it was unclear what is to be chosen.
  const [isUnclear, setIsUnclear] = useState(false)
  const errorText = useStableWhilePressed(isUnclear ? t('ship.chooseFromList') : props.errorText)
  const advice = useStableWhilePressed(props.advice)
  const { data, findMatches, findExact, placeholder, nothingFound } = props
  const [search, setSearch] = useState('')
  // Whether the operator typed since the last choice: only then is the text a search.
  const typed = useRef(false)
  // The text in which an arrow key has moved to an option since then; the select chooses that option itself. A scan types
  // and removes its code, after which the text is the same again.
  const movedIn = useRef<string | null>(null)
  const isMoved = () => movedIn.current === search
  const endSearch = () => {
    typed.current = false
    movedIn.current = null
    setIsUnclear(false)
  }
  const choose = (next: string) => {
    endSearch()
    onChange(next)
  }
  const findNamed = () => {
    const named = data.filter(({ label }) => label === search)
    return named.length > 0 ? findOnlyChoice(named, value) : findExact(search)
  }
  /** The value that the text names, also none; undefined if that is unclear. */
  const findEntered = () => (clearable === true && search.trim() === '' ? '' : findNamed())
  /** Ends a search; undefined keeps the choice. */
  const enter = (entered: string | undefined) => {
    endSearch()
    if (entered !== undefined && entered !== value) onChange(entered)
  }
  /** Values that match what was typed, best first; all if nothing was typed. A whole name may be a part of others. */
  const listMatches = (): string[] => {
    if (!typed.current) return findMatches('')
    const named = findNamed()
    const matches = findMatches(search)
    return named === undefined ? matches : [named, ...matches.filter((match) => match !== named)]
  }

  // Mantine passes an empty search while the typed text is the label of the chosen option.
  const filterByMatch: OptionsFilter = ({ options }) => {
    const items = options.filter((option): option is ComboboxItem => 'value' in option)
    return listMatches().flatMap((answer) => items.filter((item) => item.value === answer))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    if (key === 'Escape') {
      endSearch()
      setSearch(data.find((item) => item.value === value)?.label ?? '')
    }
    if (key === 'F9' && !event.repeat && (typed.current || isMoved())) {
      const entered = isMoved() ? undefined : findEntered()
      if (entered === undefined) {
        event.stopPropagation()
        setIsUnclear(true)
        play('failure')
      }
      // The screen's shortcut follows within this event and must find the choice.
      else flushSync(() => enter(entered))
    }
    if (key === 'ArrowDown' || key === 'ArrowUp') movedIn.current = search
    if (key !== 'Enter' || !typed.current || isMoved() || search.trim() === '') return
    const [best] = listMatches()
    if (best !== undefined) choose(best)
  }

  return (
    <Select
      label={label}
      className={needed ? 'pb-required' : undefined}
      aria-required={needed}
      data={data}
      value={value === '' ? null : value}
      onChange={(next) => choose(next ?? '')}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      onInput={() => {
        typed.current = true
        setIsUnclear(false)
      }}
      onOptionSubmit={endSearch}
      onKeyDown={onKeyDown}
      onBlur={() => {
        enter(typed.current ? findEntered() : undefined)
        onLeave?.()
      }}
      filter={filterByMatch}
      openOnFocus={false}
      selectFirstOptionOnChange
      allowDeselect={false}
      readOnly={readOnly}
      placeholder={placeholder}
      nothingFoundMessage={nothingFound}
      error={errorText}
      description={errorText === undefined && advice ? <FieldAdvice text={advice} /> : undefined}
      data-field={field}
      data-scan="none"
    />
  )
}

/** The present choice if it is among the items, otherwise the only item; undefined if there are more, or none. */
function findOnlyChoice(items: readonly ComboboxItem[], present: string): string | undefined {
  const [first, ...others] = items
  if (items.some(({ value }) => value === present)) return present
  return others.length > 0 ? undefined : first?.value
}

interface CarrierSelectProps extends ChoiceProps {
  carriers: readonly CarrierOption[]
}

/** A carrier option by its name in the settings; the value is its key. */
export function CarrierSelect({ carriers, ...choice }: CarrierSelectProps) {
  const { t } = useTranslation()
  const data = carriers.map((option) => ({ value: carrierKey(option), label: option.name }))
  // The defaults may refer to an option that the settings do not name: show its ids instead of an empty field.
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
      findMatches={(text) =>
        data.filter((item) => lower(item.label).includes(lower(text))).map((item) => item.value)
      }
      findExact={(text) =>
        findOnlyChoice(
          data.filter((item) => lower(item.label) === lower(text)),
          choice.value,
        )
      }
      placeholder={t('ship.carrierPlaceholder')}
    />
  )
}

/** A country by name or code; the value is its two-letter code in capitals. */
export function CountrySelect(props: ChoiceProps) {
  const { t, i18n } = useTranslation()
  const countries = useMemo(() => listCountries(i18n.language), [i18n.language])
  const data = useMemo(
    () => countries.map(({ code, name }) => ({ value: code, label: `${name} (${code})` })),
    [countries],
  )
  return (
    <SearchSelect
      {...props}
      data={data}
      findMatches={(text) => findCountries(countries, text).map((country) => country.code)}
      findExact={(text) => findExactCountry(countries, text)}
      placeholder={t('ship.countryPlaceholder')}
      nothingFound={t('ship.countryNothing')}
    />
  )
}
