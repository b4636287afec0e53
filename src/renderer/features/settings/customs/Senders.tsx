import { Button, NativeSelect } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { type CustomsParty, hasEoriForm, hasVatForm, type SenderProfile } from '../../../../shared/customs'
import { Callout, ErrorCallout } from '../../../ui/Callout'
import { FormField } from '../../../ui/FormField'
import { Panel } from '../../../ui/Panel'
import { CountrySelect } from '../../../ui/SearchSelect'
import { useCustoms } from '../../ship/stores'
import styles from '../settings.module.css'
import { useSenders } from '../stores'

/** The senders whose data go on invoices. */
export function Senders() {
  const { t } = useTranslation()
  const profiles = useCustoms((state) => state.profiles)
  const loadProfiles = useCustoms((state) => state.loadProfiles)
  const { added, removed, add, bringBack } = useSenders((state) => state)
  useEffect(() => {
    void loadProfiles()
  }, [loadProfiles])
  const shown = added === null ? profiles : [...profiles, added]
  return (
    <Panel title={t('customs.senders')}>
      <div className={styles.editor}>
        {shown.map((profile) => (
          <SenderFields key={profile.id} stored={profile} />
        ))}
        {removed === null ? null : (
          <Callout
            tone="info"
            actions={
              <Button variant="default" onClick={() => void bringBack()}>
                {t('customs.bringSenderBack')}
              </Button>
            }
          >
            <p role="status">{t('customs.senderRemoved', { name: removed.name })}</p>
          </Callout>
        )}
        <div>
          <Button
            variant="default"
            leftSection={<IconPlus size={20} aria-hidden />}
            disabled={added !== null}
            onClick={add}
          >
            {t('customs.addSender')}
          </Button>
        </div>
      </div>
    </Panel>
  )
}

const textFields = [
  'companyName',
  'name',
  'email',
  'street',
  'houseNumber',
  'postalCode',
  'city',
  'phoneNumber',
  'vatNumber',
  'eoriNumber',
] as const

function SenderFields({ stored }: { stored: SenderProfile }) {
  const { t } = useTranslation()
  const form = useSenders((state) => state.forms[stored.id])
  const { edit, save, remove } = useSenders((state) => state)
  const isNew = useSenders(({ added }) => added?.id === stored.id && form === undefined)
  const firstField = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isNew) firstField.current?.focus()
  }, [isNew])
  const profile = form?.profile ?? stored
  const issues = form?.issues ?? {}
  const error = form?.error ?? null
  const set = (change: Partial<CustomsParty>) => edit({ ...profile, party: { ...profile.party, ...change } })
  const adviceFor = (field: (typeof textFields)[number]): string | undefined => {
    const { vatNumber, eoriNumber } = profile.party
    if (field === 'vatNumber' && vatNumber !== '' && !hasVatForm(vatNumber)) return t('customs.vatForm')
    if (field === 'eoriNumber' && eoriNumber !== '' && !hasEoriForm(eoriNumber)) return t('customs.eoriForm')
    return undefined
  }
  return (
    <fieldset className={styles.editor} aria-label={profile.name || t('customs.addSender')}>
      <div className={styles.thirds}>
        <FormField
          ref={firstField}
          label={t('customs.senderName')}
          value={profile.name}
          onChange={(name) => edit({ ...profile, name })}
          issue={issues.name}
          needed
        />
        {textFields.map((field) => (
          <FormField
            key={field}
            label={t(`customs.${field}`)}
            value={profile.party[field]}
            onChange={(text) => set({ [field]: text })}
            issue={issues[`party.${field}`]}
            advice={adviceFor(field)}
          />
        ))}
        <CountrySelect
          label={t('customs.country')}
          value={profile.party.country}
          onChange={(country) => set({ country })}
        />
        <NativeSelect
          label={t('customs.type')}
          data={['Y', 'N']}
          value={profile.party.type}
          onChange={(event) => set({ type: event.currentTarget.value === 'N' ? 'N' : 'Y' })}
        />
      </div>
      {error ? <ErrorCallout error={error} /> : null}
      <div className={styles.moves}>
        <Button onClick={() => void save(profile)}>{t('customs.saveSender')}</Button>
        <Button variant="default" onClick={() => void remove(profile)}>
          {t('customs.removeSender')}
        </Button>
      </div>
    </fieldset>
  )
}
