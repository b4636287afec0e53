import { Combobox, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Consignee, type KnownConsignee, minSuggestionLetters } from '../../../shared/consignees'
import { foldWords } from '../../../shared/foldText'
import { useBridgeMutation, useBridgeQuery } from '../../bridge'
import { TextField, type TextFieldProps } from '../../ui/TextField'
import { firstIssue, readForm } from './form'
import styles from './ship.module.css'
import { useShip } from './stores'

/** By which fields an earlier consignee is looked for, each with those that belong to it. */
const lookedForBy = {
  companyName: ['companyName'],
  firstName: ['firstName', 'lastName'],
  lastName: ['firstName', 'lastName'],
  street: ['street', 'houseNumber'],
  houseNumber: ['postalCode', 'street', 'houseNumber'],
  postalCode: ['postalCode', 'houseNumber'],
  email: ['email'],
  phoneNumber: ['phoneNumber'],
} as const satisfies Partial<Record<keyof Consignee, readonly (keyof Consignee)[]>>

type SuggestingName = keyof typeof lookedForBy

/** Whether earlier consignees are suggested under a field. */
export function isSuggesting(field: string): field is SuggestingName {
  return Object.hasOwn(lookedForBy, field)
}

/** A short pause in the typing: a scanner's code is through by then. */
const pauseMs = 60

/**
 * A field of the consignee with earlier ones that begin with what is typed. Nothing is marked until an arrow key marks
 * it, so that Enter goes on to the next field as everywhere.
 */
export function SuggestingField({ field, ...props }: TextFieldProps & { field: SuggestingName }) {
  const { t } = useTranslation()
  const [isWanted, setWanted] = useState(false)
  const typed = useShip(({ form }) => lookedForBy[field].map((name) => form[name].trim()).join(' '))
  const [text] = useDebouncedValue(typed, pauseMs)
  const hasLetters = foldWords(text).join('').length >= minSuggestionLetters
  const query = useBridgeQuery(
    'suggestConsignees',
    { text: text.slice(0, 500) },
    // Nothing of a consignee who was forgotten stays in the window.
    { enabled: isWanted && hasLetters, placeholderData: keepPreviousData, gcTime: 0 },
  )
  const found = isWanted && hasLetters ? (query.data ?? []) : []
  const combobox = useCombobox({ opened: found.length > 0, onOpenedChange: setWanted })
  const unmark = useEffectEvent(() => combobox.resetSelectedOption())
  const listed = found.map(({ id }) => id).join()
  useEffect(() => {
    // Another list has another one in the marked place.
    if (listed !== '') unmark()
  }, [listed])
  const take = useTakeConsignee()
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
            // The form's own Enter would go on from the field that was left.
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

/** Fills in the consignee's fields and no others, and goes on to what is missing then. */
function useTakeConsignee(): (consignee: Consignee) => void {
  const form = useShip((state) => state.form)
  const edit = useShip((state) => state.edit)
  const focusOn = useShip((state) => state.focusOn)
  return (consignee) => {
    edit(consignee)
    const read = readForm({ ...form, ...consignee })
    focusOn((read.ok ? undefined : firstIssue(read.error)) ?? 'weight')
  }
}

/**
 * Fills in street, place and country once postal code and house number are typed, when an earlier parcel went to that
 * postal code. A street that was taken out again stays out.
 */
export function useKnownStreet(): void {
  const { postalCode, houseNumber, street, city, country } = useShip((state) => state.form)
  const edit = useShip((state) => state.edit)
  const filledFor = useRef('')
  const isMissing = street === '' && city === '' && postalCode.trim() !== '' && houseNumber.trim() !== ''
  const { data } = useBridgeQuery(
    'findStreet',
    { postalCode: postalCode.slice(0, 500), country },
    { enabled: isMissing && filledFor.current !== postalCode, gcTime: 0 },
  )
  const fill = useEffectEvent((found: NonNullable<typeof data>) => {
    if (filledFor.current === postalCode) return
    filledFor.current = postalCode
    edit(found)
  })
  useEffect(() => {
    // Also when the rest is typed after the answer came.
    if (data && isMissing) fill(data)
  }, [data, isMissing])
}
