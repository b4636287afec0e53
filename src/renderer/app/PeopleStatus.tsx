import { IconId, IconIdOff, IconLockOpen } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useBridgeMutation, usePeopleStatus, useSettings } from '../bridge'
import { usePeople } from '../features/people/peopleStore'
import styles from './app.module.css'
import { StatusItem } from './StatusItem'

/** The signed-in operator, and whether the administrator's PIN was entered, in the status bar. */
export function PeopleStatusItems() {
  const { t } = useTranslation()
  const people = usePeopleStatus()
  const hasOperators = useSettings((settings) => settings.people.operators.length > 0) === true
  const ask = usePeople((state) => state.ask)
  const endGrant = useBridgeMutation('endGrant')
  if (people === undefined) return null
  const Icon = people.operator === null ? IconIdOff : IconId
  return (
    <>
      {hasOperators ? (
        <StatusItem
          Icon={Icon}
          look={[people.operator === null ? styles.isAttention : '']}
          title={t('people.switchHint')}
          onClick={() => void ask('operator')}
        >
          {people.operator ?? t('people.nobody')}
        </StatusItem>
      ) : null}
      {people.hasPin && people.isGranted ? (
        <StatusItem
          Icon={IconLockOpen}
          look={[styles.firm, styles.isAttention]}
          title={t('people.grantedHint')}
          onClick={() => endGrant.mutate(undefined)}
        >
          {t('people.granted')}
        </StatusItem>
      ) : null}
    </>
  )
}
