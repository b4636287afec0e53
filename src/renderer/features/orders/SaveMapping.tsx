import { Button, Group } from '@mantine/core'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { maxNamedMappings, type OrderMapping } from '../../../shared/orders'
import { useBridgeMutation, useSettings } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { TextField } from '../../ui/TextField'

/** Saves a mapping under a name for the hot folder; a mapping of the same name is replaced. */
export function SaveMapping({ mapping }: { mapping: OrderMapping }) {
  const { t } = useTranslation()
  const [name, setName] = useState('')
  const id = useId()
  const settings = useSettings()
  const change = useBridgeMutation('changeSettings', { onSuccess: () => setName('') })
  if (settings === undefined) return null
  const { importMappings, hotFolder } = settings
  const wanted = name.trim()
  const others = importMappings.filter((each) => each.name !== wanted)
  const isKnown = others.length < importMappings.length
  const { reference } = mapping.fields
  const canSave =
    wanted !== '' &&
    others.length < maxNamedMappings &&
    reference !== undefined &&
    'columns' in reference &&
    !change.isPending
  return (
    <Group align="end" gap={10} mt={14}>
      <TextField
        id={id}
        label={t('orders.mappingName')}
        hint={t('orders.mappingNameHint')}
        value={name}
        onChange={setName}
        maxLength={80}
        list={`${id}-known`}
      />
      <datalist id={`${id}-known`}>
        {importMappings.map((each) => (
          <option key={each.name} value={each.name} />
        ))}
      </datalist>
      <Button
        variant="default"
        disabled={!canSave}
        loading={change.isPending}
        onClick={() => change.mutate({ importMappings: [...others, { name: wanted, mapping }] })}
      >
        {t('orders.saveMapping')}
      </Button>
      {isKnown && hotFolder?.mapping !== wanted ? (
        <Button
          variant="default"
          disabled={change.isPending}
          onClick={() => change.mutate({ importMappings: others })}
        >
          {t('orders.forgetMapping')}
        </Button>
      ) : null}
      {change.isSuccess && wanted === '' ? <p role="status">{t('orders.mappingSaved')}</p> : null}
      <ErrorCallout error={change.error} />
    </Group>
  )
}
