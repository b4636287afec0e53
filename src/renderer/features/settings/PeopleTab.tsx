import { Button, Checkbox, Flex, Group, Stack, Switch } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { guardedActionSchema } from '../../../shared/contract'
import { pinSchema } from '../../../shared/people'
import { useBridgeMutation, usePeopleStatus } from '../../bridge'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { FormField } from '../../ui/FormField'
import { Panel } from '../../ui/Panel'
import { AddButton, RemoveButton } from '../../ui/RowButtons'
import { PinField } from '../../ui/TextField'
import { useRowFocus } from '../../ui/useRowFocus'
import { withKey } from './form'
import styles from './settings.module.css'
import { SaveBar, useTab } from './tabForm'

/** The operators, and what the administrator's PIN protects. */
export function PeopleTab() {
  return (
    <div className={styles.wide}>
      <Operators />
      <PinPanel />
      <Guards />
      <SaveBar tab={useTab('people')} />
    </div>
  )
}

function Operators() {
  const { t } = useTranslation()
  const { form } = useTab('people')
  const { operators } = form.values
  const holder = useRowFocus<HTMLDivElement>(operators.map((row) => row.key))
  return (
    <Panel title={t('people.operators')}>
      <p className="pb-soft">{t('people.operatorsHint')}</p>
      <Stack gap={12} ref={holder}>
        {operators.length === 0 ? null : (
          <table className={styles.table}>
            <caption className="pb-unseen">{t('people.operators')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('people.name')}</th>
                <th scope="col">{t('people.badge')}</th>
                <td className={styles.actionColumn} />
              </tr>
            </thead>
            <tbody>
              {operators.map(({ key, name }, index) => (
                <tr key={key} data-row>
                  {(['name', 'badge'] as const).map((field) => (
                    <td key={field}>
                      <FormField
                        {...form.getInputProps(`operators.${index}.${field}`)}
                        nameInError={t(`people.${field}`)}
                        aria-label={t('people.rowField', { field: t(`people.${field}`), row: index + 1 })}
                        maxLength={field === 'name' ? 60 : 100}
                      />
                    </td>
                  ))}
                  <td>
                    <RemoveButton
                      label={t('people.remove', { name: name || String(index + 1) })}
                      onClick={() => form.removeListItem('operators', index)}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <div>
          <AddButton onClick={() => form.insertListItem('operators', withKey({ name: '', badge: '' }))}>
            {t('people.add')}
          </AddButton>
        </div>
      </Stack>
      <div className={styles.checks}>
        <Switch
          {...form.getInputProps('isRequired', { type: 'checkbox' })}
          label={t('people.required')}
          description={t('people.requiredHint')}
        />
        <Switch
          {...form.getInputProps('isSent', { type: 'checkbox' })}
          label={t('people.sent')}
          description={t('people.sentHint')}
        />
      </div>
    </Panel>
  )
}

function Guards() {
  const { t } = useTranslation()
  const { form } = useTab('people')
  return (
    <Panel title={t('people.guards')}>
      <p className="pb-soft">{t('people.guardsHint')}</p>
      <div className={styles.checks}>
        {guardedActionSchema.options.map((action) => (
          <Checkbox
            key={action}
            {...form.getInputProps(`guards.${action}`, { type: 'checkbox' })}
            label={t(`people.guarded.${action}`)}
          />
        ))}
      </div>
      <div className={styles.grid}>
        <FormField {...form.getInputProps('grantMinutes')} label={t('people.grantMinutes')} numeric="whole" />
      </div>
    </Panel>
  )
}

/** Sets, changes or removes the PIN at once: it is not part of the settings. */
function PinPanel() {
  const { t } = useTranslation()
  const hasPin = usePeopleStatus()?.hasPin === true
  const [pin, setPin] = useState('')
  const [again, setAgain] = useState('')
  const [issue, setIssue] = useState<'format' | 'differs' | null>(null)
  const [isSaved, setIsSaved] = useState(false)
  // SECURITY: the PIN must not stay in the mutation cache (docs/threat-model.md).
  const { mutate, reset, isPending, error } = useBridgeMutation('setPin', {
    gcTime: 0,
    onMutate: () => setIsSaved(false),
    onSuccess() {
      setPin('')
      setAgain('')
      reset()
      setIsSaved(true)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = pinSchema.safeParse(pin).success ? (pin === again ? null : 'differs') : 'format'
    setIssue(found)
    if (found === null) mutate({ pin })
  }
  return (
    <Panel title={t('people.pinTitle')}>
      <Flex component="form" direction="column" gap={12} onSubmit={submit}>
        <p role="status">{t(hasPin ? 'people.pinIsSet' : 'people.noPin')}</p>
        <div className={styles.grid}>
          <PinField
            label={t('people.newPin')}
            value={pin}
            onChange={setPin}
            errorText={issue === 'format' ? t('people.pinFormat') : undefined}
          />
          <PinField
            label={t('people.pinAgain')}
            value={again}
            onChange={setAgain}
            errorText={issue === 'differs' ? t('people.pinDiffers') : undefined}
          />
        </div>
        <ErrorCallout error={error} />
        {isSaved ? <Callout tone="good">{t('people.pinSaved')}</Callout> : null}
        <Group align="stretch" gap={10}>
          <Button type="submit" variant="default" loading={isPending}>
            {t(hasPin ? 'people.changePin' : 'people.setPin')}
          </Button>
          {hasPin ? (
            <Button variant="default" disabled={isPending} onClick={() => mutate({ pin: null })}>
              {t('people.removePin')}
            </Button>
          ) : null}
        </Group>
      </Flex>
    </Panel>
  )
}
