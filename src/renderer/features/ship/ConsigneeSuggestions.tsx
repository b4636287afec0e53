import { Combobox, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Consignee, type KnownConsignee, minSuggestionLetters } from '../../../shared/consignees'
import { foldWords } from '../../../shared/foldText'
import { useBridgeMutation, useBridgeQuery } from '../../bridge'
import { TextField, type TextFieldProps } from '../../ui/TextField'
import { firstIssue, readForm } from './form'
import styles from './ship.module.css'
import { useShip } from './stores'

/** The fields with suggestions, each with the fields that make up its search text. */
const searchFields = {
  companyName: ['companyName'],
  firstName: ['firstName', 'lastName'],
  lastName: ['firstName', 'lastName'],
  street: ['street', 'houseNumber'],
  houseNumber: ['postalCode', 'street', 'houseNumber'],
  postalCode: ['postalCode', 'houseNumber'],
  email: ['email'],
  phoneNumber: ['phoneNumber'],
} as const satisfies Partial<Record<keyof Consignee, readonly (keyof Consignee)[]>>

type SuggestionFieldName = keyof typeof searchFields

/** Whether a field suggests earlier consignees. */
export function hasSuggestions(field: string): field is SuggestionFieldName {
  return Object.hasOwn(searchFields, field)
}

/** Debounce in milliseconds; longer than a scanner takes for a code. */
const pauseMs = 60

/**
 * A field that suggests earlier consignees beginning with its text. Only the arrow keys mark a suggestion, so that
 * Enter moves to the next field as everywhere.
 */
export function SuggestionField({ field, ...props }: TextFieldProps & { field: SuggestionFieldName }) {
  const { t } = useTranslation()
  const [isWanted, setWanted] = useState(false)
  const typed = useShip(({ form }) => searchFields[field].map((name) => form[name].trim()).join(' '))
  const [text] = useDebouncedValue(typed, pauseMs)
  const hasLetters = foldWords(text).join('').length >= minSuggestionLetters
  const query = useBridgeQuery(
    'suggestConsignees',
    { text: text.slice(0, 500) },
    // gcTime 0: data of a deleted consignee must not stay in the window.
    { enabled: isWanted && hasLetters, placeholderData: keepPreviousData, gcTime: 0 },
  )
  const found = isWanted && hasLetters ? (query.data ?? []) : []
  const combobox = useCombobox({ opened: found.length > 0, onOpenedChange: setWanted })
  const unmark = useEffectEvent(() => combobox.resetSelectedOption())
  const listed = found.map(({ id }) => id).join()
  useEffect(() => {
    // The mark is an index, and belongs to the previous list.
    if (listed !== '') unmark()
  }, [listed])
  const take = useFillConsignee()
  const forget = useBridgeMutation('forgetConsignee', { onSuccess: () => void query.refetch() })
  return (
    <Combobox
      store={combobox}
      position="bottom-start"
      width="max-content"
      onOptionSubmit={(id) => {
        const chosen = found.find((each) => String(each.id) === id)
        setWanted(false)
        if (chosen) take(chosen.consignee)
      }}
    >
      <Combobox.Target withExpandedAttribute>
        <TextField
          {...props}
          aria-autocomplete="list"
          onInput={() => setWanted(true)}
          onBlur={(event) => {
            setWanted(false)
            props.onBlur?.(event)
          }}
          onKeyDown={(event) => {
            const marked = found[combobox.getSelectedOptionIndex()]
            if (marked === undefined) return
            // Otherwise the form's Enter would move on from this field.
            if (event.key === 'Enter') event.stopPropagation()
            if (event.key !== 'Delete' || !event.shiftKey) return
            event.preventDefault()
            forget.mutate({ id: marked.id })
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown className={styles.suggestions}>
        <section aria-label={t('consignees.suggestions')}>
          <Combobox.Options aria-label={t('consignees.suggestions')}>
            {found.map((each) => (
              <Suggestion key={each.id} known={each} />
            ))}
          </Combobox.Options>
          <Combobox.Footer className="pb-soft">{t('consignees.hint')}</Combobox.Footer>
        </section>
      </Combobox.Dropdown>
    </Combobox>
  )
}

function Suggestion({ known: { id, consignee } }: { known: KnownConsignee }) {
  const { companyName, firstName, lastName, street, houseNumber, postalCode, city, country, email } =
    consignee
  const person = [firstName, lastName].filter(Boolean).join(' ')
  const address = [`${street} ${houseNumber}`.trim(), `${postalCode} ${city}`.trim(), country]
  return (
    <Combobox.Option value={String(id)}>
      <strong className={styles.suggestion}>{[companyName, person].filter(Boolean).join(', ')}</strong>
      <span className={styles.suggestion}>{[...address, email].filter(Boolean).join(', ')}</span>
    </Combobox.Option>
  )
}

/** Fills in the consignee's fields only, and moves to the first missing field. */
function useFillConsignee(): (consignee: Consignee) => void {
  const ship = useShip.getStore(useQueryClient())
  return (consignee) => {
    const { edit, focusOn } = ship.getState()
    edit(consignee)
    const read = readForm(ship.getState().form)
    focusOn((read.ok ? undefined : firstIssue(read.error)) ?? 'weight')
  }
}

/**
 * Fills in street, city and country once postal code and house number are typed, if an earlier parcel went to that
 * postal code. It fills each postal code once per parcel, so a removed street stays empty.
 */
export function StreetLookup() {
  const { postalCode, houseNumber, street, city, country } = useShip((state) => state.form)
  const isFilledIn = useShip((state) => state.filledStreet?.postalCode === state.form.postalCode)
  const fillStreet = useShip((state) => state.fillStreet)
  const isMissing = street === '' && city === '' && postalCode.trim() !== '' && houseNumber.trim() !== ''
  const { data } = useBridgeQuery(
    'findStreet',
    { postalCode: postalCode.slice(0, 500), country },
    { enabled: isMissing && !isFilledIn, gcTime: 0 },
  )
  useEffect(() => {
    // The operator may type the house number after the answer came.
    if (data && isMissing && !isFilledIn) fillStreet(data)
  }, [data, isMissing, isFilledIn, fillStreet])
  return null
}
