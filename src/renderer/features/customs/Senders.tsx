import { Button, NativeSelect } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CustomsParty } from '../../../shared/customs'
import { type SenderProfile, senderProfileSchema } from '../../../shared/customsBridge'
import { hasEoriForm, hasVatForm } from '../../../shared/customsForms'
import type { AppError } from '../../../shared/errors'
import { useCustoms } from '../../app/storesContext'
import { ErrorCallout } from '../../components/Callout'
import { CountrySelect } from '../../components/CountrySelect'
import { Panel } from '../../components/Panel'
import { TextField } from '../../components/TextField'
import { useFaultText } from '../../components/useFaultText'
import { type Fault, faultsByPath } from '../../stores/faults'
import { settled } from '../../stores/settled'
import styles from './customs.module.css'

const nobody: CustomsParty = {
  companyName: '',
  name: '',
  street: '',
  houseNumber: '',
  postalCode: '',
  city: '',
  country: 'NL',
  email: '',
  phoneNumber: '',
  type: 'Y',
  vatNumber: '',
  eoriNumber: '',
}

/** The senders whose data go on invoices. */
export function Senders() {
  const { t } = useTranslation()
  const profiles = useCustoms((state) => state.profiles)
  const loadProfiles = useCustoms((state) => state.loadProfiles)
  const [added, setAdded] = useState<SenderProfile | null>(null)
  useEffect(() => {
    void loadProfiles()
  }, [loadProfiles])
  const changed = () => {
    setAdded(null)
    void loadProfiles()
  }
  const shown = added === null ? profiles : [...profiles, added]
  return (
    <Panel title={t('customs.senders')}>
      <div className={styles.stack}>
        {shown.map((profile) => (
          <SenderForm key={profile.id} profile={profile} onChanged={changed} />
        ))}
        <div>
          <Button
            variant="default"
            leftSection={<IconPlus size={20} aria-hidden />}
            disabled={added !== null}
            onClick={() => setAdded({ id: crypto.randomUUID(), name: '', party: nobody })}
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

function SenderForm({ profile, onChanged }: { profile: SenderProfile; onChanged: () => void }) {
  const { t } = useTranslation()
  const [form, setForm] = useState(profile)
  const [faults, setFaults] = useState<Record<string, Fault>>({})
  const [error, setError] = useState<AppError | null>(null)
  const faultText = useFaultText()
  const set = (change: Partial<CustomsParty>) => setForm({ ...form, party: { ...form.party, ...change } })
  const adviceFor = (field: (typeof textFields)[number]): string | undefined => {
    const { vatNumber, eoriNumber } = form.party
    if (field === 'vatNumber' && vatNumber !== '' && !hasVatForm(vatNumber)) return t('customs.vatForm')
    if (field === 'eoriNumber' && eoriNumber !== '' && !hasEoriForm(eoriNumber)) return t('customs.eoriForm')
    return undefined
  }
  const save = async () => {
    const parsed = senderProfileSchema.safeParse(form)
    setFaults(parsed.success ? {} : faultsByPath(parsed.error))
    if (!parsed.success) return
    const result = await settled(window.packbench.saveSenderProfile(parsed.data))
    setError(result.ok ? null : result.error)
    if (result.ok) onChanged()
  }
  const remove = async () => {
    const result = await settled(window.packbench.removeSenderProfile({ id: form.id }))
    setError(result.ok ? null : result.error)
    if (result.ok) onChanged()
  }
  return (
    <fieldset className={styles.stack} aria-label={form.name}>
      <div className={styles.thirds}>
        <TextField
          label={t('customs.senderName')}
          value={form.name}
          onChange={(name) => setForm({ ...form, name })}
          fault={faultText(faults.name, t('customs.senderName'))}
          needed
        />
        {textFields.map((field) => (
          <TextField
            key={field}
            label={t(`customs.${field}`)}
            value={form.party[field]}
            onChange={(text) => set({ [field]: text })}
            fault={faultText(faults[`party.${field}`], t(`customs.${field}`))}
            advice={adviceFor(field)}
          />
        ))}
        <CountrySelect
          label={t('customs.country')}
          value={form.party.country}
          onChange={(country) => set({ country })}
        />
        <NativeSelect
          label={t('customs.type')}
          data={['Y', 'N']}
          value={form.party.type}
          onChange={(event) => set({ type: event.currentTarget.value === 'N' ? 'N' : 'Y' })}
        />
      </div>
      {error ? <ErrorCallout error={error} /> : null}
      <div className={styles.moves}>
        <Button onClick={() => void save()}>{t('customs.saveSender')}</Button>
        <Button variant="default" onClick={() => void remove()}>
          {t('customs.removeSender')}
        </Button>
      </div>
    </fieldset>
  )
}
