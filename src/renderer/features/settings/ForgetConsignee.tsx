import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { minSuggestionLetters } from '../../../shared/consignees'
import { foldWords } from '../../../shared/foldText'
import { queryKey, useBridgeMutation, useBridgeQuery } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { TextField } from '../../ui/TextField'
import styles from './settings.module.css'

const pauseMs = 150

/** Searches remembered consignees; each can be deleted. */
export function ForgetConsignee() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const [text] = useDebouncedValue(typed, pauseMs)
  const hasLetters = foldWords(text).join('').length >= minSuggestionLetters
  const query = useBridgeQuery(
    'findConsignees',
    { text },
    // gcTime 0: data of a deleted consignee must not stay in the window.
    { enabled: hasLetters, placeholderData: keepPreviousData, gcTime: 0 },
  )
  const forget = useBridgeMutation('forgetConsignee', {
    onSuccess: async () => {
      await query.refetch()
      await client.invalidateQueries({ queryKey: queryKey('countConsignees') })
    },
  })
  const found = hasLetters ? (query.data ?? []) : []
  return (
    <div className={styles.knownConsignees}>
      <TextField
        label={t('consignees.find')}
        hint={t('consignees.findHint')}
        value={typed}
        onChange={setTyped}
        maxLength={200}
        autoComplete="off"
      />
      {found.length === 0 ? null : (
        <ul aria-label={t('consignees.suggestions')}>
          {found.map(({ id, consignee }) => {
            const { companyName, firstName, lastName, street, houseNumber, postalCode, city } = consignee
            const who = [companyName, [firstName, lastName].filter(Boolean).join(' ')].filter(Boolean)
            const address = [`${street} ${houseNumber}`.trim(), `${postalCode} ${city}`.trim()].filter(
              Boolean,
            )
            const name = who.join(', ')
            return (
              <li key={id}>
                <span>
                  <strong>{name}</strong> {address.join(', ')}
                </span>
                <Button
                  variant="default"
                  size="sm"
                  aria-label={t('consignees.forgetOne', { name })}
                  loading={forget.isPending && forget.variables.id === id}
                  onClick={() => forget.mutate({ id })}
                >
                  {t('consignees.forget')}
                </Button>
              </li>
            )
          })}
        </ul>
      )}
      {hasLetters && query.data?.length === 0 ? <p role="status">{t('consignees.noneFound')}</p> : null}
      <ErrorCallout error={forget.error} />
    </div>
  )
}
