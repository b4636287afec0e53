import { Button, Flex, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { createStore } from 'zustand/vanilla'
import {
  type CustomsParty,
  hasEoriForm,
  hasVatForm,
  type SenderProfile,
  senderProfileSchema,
} from '../../../../shared/customs'
import { queryKey, useBridgeMutation, useBridgeQuery } from '../../../bridge'
import { Callout, ErrorCallout } from '../../../ui/Callout'
import { FormField, FormSelect } from '../../../ui/FormField'
import { Panel } from '../../../ui/Panel'
import { AddButton } from '../../../ui/RowButtons'
import { CountrySelect } from '../../../ui/SearchSelect'
import { createStoreHook } from '../../../ui/storeHook'
import fieldStyles from '../../../ui/ui.module.css'
import { validateBy } from '../../../ui/validation'

/** Unsaved senders, kept while another tab or screen is shown. */
interface TypedSenders {
  /** Unsaved input by sender id. */
  drafts: Readonly<Record<string, SenderProfile>>
  /** A new sender that is not stored yet. */
  added: SenderProfile | null
  /** The sender removed last, to restore it. */
  removed: SenderProfile | null
}

const useTypedSenders = createStoreHook(() =>
  createStore<TypedSenders>(() => ({ drafts: {}, added: null, removed: null })),
)

const blankParty: CustomsParty = {
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

/** The senders for invoices. */
export function Senders() {
  const { t } = useTranslation()
  const { data: profiles = [] } = useBridgeQuery('listSenderProfiles', undefined)
  const { added, removed } = useTypedSenders((state) => state)
  const { setState } = useTypedSenders.getStore(useQueryClient())
  const restoring = useSenderMutation('saveSenderProfile', () => setState({ removed: null }))
  const isStored = profiles.some(({ id }) => id === added?.id)
  const shown = added === null || isStored ? profiles : [...profiles, added]
  return (
    <Panel title={t('customs.senders')}>
      <Stack gap={12}>
        {shown.map((profile) => (
          <SenderFields key={profile.id} stored={profile} />
        ))}
        {removed === null ? null : (
          <Callout
            tone="info"
            actions={
              <Button variant="default" onClick={() => restoring.mutate(removed)}>
                {t('customs.bringSenderBack')}
              </Button>
            }
          >
            <p role="status">{t('customs.senderRemoved', { name: removed.name })}</p>
          </Callout>
        )}
        <ErrorCallout error={restoring.error} />
        <div>
          <AddButton
            disabled={added !== null}
            onClick={() => setState({ added: { id: crypto.randomUUID(), name: '', party: blankParty } })}
          >
            {t('customs.addSender')}
          </AddButton>
        </div>
      </Stack>
    </Panel>
  )
}

/** A mutation of the stored senders; `whenStored` runs once the refetched list includes the change. */
function useSenderMutation(method: 'saveSenderProfile' | 'removeSenderProfile', whenStored: () => void) {
  const client = useQueryClient()
  return useBridgeMutation(method, {
    async onSuccess() {
      await client.invalidateQueries({ queryKey: queryKey('listSenderProfiles') })
      whenStored()
    },
  })
}

const textFields = [
  ['companyName', 'customs.companyName'],
  ['name', 'customs.name'],
  ['email', 'fields.email'],
  ['street', 'fields.street'],
  ['houseNumber', 'fields.houseNumber'],
  ['postalCode', 'fields.postalCode'],
  ['city', 'fields.city'],
  ['phoneNumber', 'fields.phoneNumber'],
  ['vatNumber', 'customs.vatNumber'],
  ['eoriNumber', 'customs.eoriNumber'],
] as const

/** The form of a sender; unsaved input survives a change of tab or screen. */
function SenderFields({ stored }: { stored: SenderProfile }) {
  const { t } = useTranslation()
  const typed = useTypedSenders.getStore(useQueryClient())
  const isNew = useTypedSenders(({ added }) => added?.id === stored.id)
  const form = useForm<SenderProfile>({
    initialValues: typed.getState().drafts[stored.id] ?? stored,
    validate: validateBy(senderProfileSchema),
    onValuesChange: (draft) => typed.setState(({ drafts }) => ({ drafts: { ...drafts, [draft.id]: draft } })),
  })
  /** Drops unsaved input. */
  const dropInput = () =>
    typed.setState(({ drafts: { [stored.id]: _, ...drafts }, added }) => ({
      drafts,
      added: isNew ? null : added,
    }))
  const saving = useSenderMutation('saveSenderProfile', dropInput)
  const removing = useSenderMutation('removeSenderProfile', () => {
    dropInput()
    typed.setState({ removed: stored })
  })
  const firstField = useRef<HTMLInputElement>(null)
  const wasTyped = useRef(typed.getState().drafts[stored.id] !== undefined)
  useEffect(() => {
    if (isNew && !wasTyped.current) firstField.current?.focus()
  }, [isNew])
  const { party, name } = form.values
  const error = saving.error ?? removing.error
  const adviceFor = (field: (typeof textFields)[number][0]): string | undefined => {
    const { vatNumber, eoriNumber } = party
    if (field === 'vatNumber' && vatNumber !== '' && !hasVatForm(vatNumber)) return t('issues.vat-form')
    if (field === 'eoriNumber' && eoriNumber !== '' && !hasEoriForm(eoriNumber)) return t('issues.eori-form')
    return undefined
  }
  return (
    <Flex component="fieldset" direction="column" gap={12} aria-label={name || t('customs.addSender')}>
      <div className={fieldStyles.thirds}>
        <FormField {...form.getInputProps('name')} ref={firstField} label={t('customs.senderName')} needed />
        {textFields.map(([field, label]) => (
          <FormField
            key={field}
            {...form.getInputProps(`party.${field}`)}
            label={t(label)}
            advice={adviceFor(field)}
          />
        ))}
        <CountrySelect
          label={t('fields.country')}
          value={party.country}
          onChange={(country) => form.setFieldValue('party.country', country)}
        />
        <FormSelect {...form.getInputProps('party.type')} label={t('customs.type')} data={['Y', 'N']} />
      </div>
      <ErrorCallout error={error} />
      <Group align="stretch" gap={10}>
        <Button
          onClick={() => {
            if (!form.validate().hasErrors) saving.mutate(form.getValues())
          }}
        >
          {t('customs.saveSender')}
        </Button>
        <Button variant="default" onClick={() => (isNew ? dropInput() : removing.mutate({ id: stored.id }))}>
          {t('customs.removeSender')}
        </Button>
      </Group>
    </Flex>
  )
}
