import { Checkbox } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useSettings } from '../../bridge'
import { CarrierSelect } from '../../ui/CarrierSelect'
import { CountrySelect } from '../../ui/CountrySelect'
import { useIssueText } from '../../ui/FormField'
import { TextField } from '../../ui/TextField'
import { adviceFor, useAdviceText } from './advice'
import type { FlagField, FormField, TextField as TextFieldName } from './draftForm'
import { useShip } from './stores'

const needed = new Set<FormField>([
  'reference',
  'street',
  'city',
  'country',
  'weight',
  'numberOfPackages',
  'carrier',
])
const limited = new Set<FormField>(['weight', 'length', 'width', 'height'])

/** What a field shows besides its value. */
function useFieldWords(field: FormField) {
  const { t } = useTranslation()
  const issueText = useIssueText()
  const adviceText = useAdviceText()
  const fault = useShip((state) => state.faults[field])
  const form = useShip((state) => state.form)
  const limits = useShip((state) => state.limits)
  // A value past a limit is shown while it is typed; a gap only after the field was left.
  const asked = useShip((state) => state.touched[field] === true) || limited.has(field)
  const label = t(`fields.${field}`)
  return {
    label,
    fault: issueText(fault, label, field),
    advice: asked ? adviceText(adviceFor(form, limits)[field]) : undefined,
  }
}

interface DraftTextProps {
  field: Exclude<TextFieldName, 'country'>
  numeric?: boolean
}

/** A text or number of the draft. */
export function DraftText({ field, numeric }: DraftTextProps) {
  const words = useFieldWords(field)
  const value = useShip((state) => state.form[field])
  const sending = useShip((state) => state.sending)
  const edit = useShip((state) => state.edit)
  const leave = useShip((state) => state.leave)
  return (
    <TextField
      {...words}
      value={value}
      onChange={(text) => edit({ [field]: text })}
      onBlur={() => leave(field)}
      readOnly={sending}
      needed={needed.has(field)}
      inputMode={numeric ? 'decimal' : undefined}
      data-field={field}
    />
  )
}

/** A yes or no of the draft. */
export function DraftFlag({ field }: { field: FlagField }) {
  const { t } = useTranslation()
  const checked = useShip((state) => state.form[field])
  const edit = useShip((state) => state.edit)
  return (
    <Checkbox
      label={t(`fields.${field}`)}
      checked={checked}
      onChange={(event) => edit({ [field]: event.currentTarget.checked })}
      data-field={field}
    />
  )
}

/** The consignee's country. */
export function DraftCountry() {
  const words = useFieldWords('country')
  const value = useShip((state) => state.form.country)
  const sending = useShip((state) => state.sending)
  const edit = useShip((state) => state.edit)
  const leave = useShip((state) => state.leave)
  return (
    <CountrySelect
      {...words}
      value={value}
      onChange={(country) => edit({ country })}
      onLeave={() => leave('country')}
      readOnly={sending}
      needed
      field="country"
    />
  )
}

/** Carrier and option, by the name that the settings give them. */
export function DraftCarrier() {
  const { label, fault } = useFieldWords('carrier')
  const carriers = useSettings()?.carriers
  const value = useShip((state) => state.form.carrier)
  const sending = useShip((state) => state.sending)
  const edit = useShip((state) => state.edit)
  return (
    <CarrierSelect
      label={label}
      fault={fault}
      carriers={carriers ?? []}
      value={value}
      onChange={(carrier) => edit({ carrier })}
      readOnly={sending}
      needed
      field="carrier"
    />
  )
}
