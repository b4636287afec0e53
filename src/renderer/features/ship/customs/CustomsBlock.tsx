import { Anchor, Autocomplete, Button, NativeSelect, Stack, Switch } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { hasEoriForm, hasVatForm, incoterms, suggestCustoms } from '../../../../shared/customs'
import { currencyCodes } from '../../../../shared/fields'
import { useBridgeQuery } from '../../../bridge'
import { Callout, ErrorCallout, ErrorWords } from '../../../ui/Callout'
import { DateField } from '../../../ui/DateField'
import { useIssueText } from '../../../ui/FormField'
import { useNavigation } from '../../../ui/navigation'
import { TextField } from '../../../ui/TextField'
import fieldStyles from '../../../ui/ui.module.css'
import { useStableWhilePressed } from '../../../ui/useStableWhilePressed'
import shipStyles from '../ship.module.css'
import { useCustoms, useShip } from '../stores'
import { CustomsItems } from './CustomsItems'
import { sendingCountry } from './customsStore'
import { issuePlace } from './form'

/** The customs block of the Ship screen: off by default, suggested where customs data are usual. */
export function CustomsBlock() {
  const { t } = useTranslation()
  const on = useCustoms((state) => state.on)
  const error = useCustoms((state) => state.error)
  const turn = useCustoms((state) => state.turn)
  useBridgeQuery('listSenderProfiles', undefined)
  const block = useRef<HTMLFieldSetElement>(null)
  const issues = useCustoms((state) => state.issues)
  useEffect(() => {
    if (Object.keys(issues).length > 0) showFirstIssue(block.current)
  }, [issues])
  return (
    <fieldset ref={block} className={`pb-surface ${shipStyles.group}`} data-folds>
      <legend className={shipStyles.legend}>{t('customs.title')}</legend>
      <Switch
        label={t('customs.on')}
        data-part="customs"
        checked={on}
        onChange={(event) => turn(event.currentTarget.checked)}
      />
      <Suggestion />
      <ErrorCallout error={error} />
      <Unprinted />
      {on ? <CustomsFields /> : null}
    </fieldset>
  )
}

/** Puts the cursor into the first invalid field. Issues without a field here are shown below the fields. */
function showFirstIssue(block: HTMLElement | null): void {
  const field = block?.querySelector<HTMLElement>('[aria-invalid="true"]')
  if (field) field.focus()
  else block?.querySelector('[role="alert"]')?.scrollIntoView({ block: 'nearest' })
}

/** Invoices that were not printed, one after the other; they can be printed from their shipments. */
function Unprinted() {
  const { t } = useTranslation()
  const showShipment = useNavigation((state) => state.showShipment)
  const unprinted = useCustoms((state) => state.unprinted)
  const dismiss = useCustoms((state) => state.dismissUnprinted)
  const [first, ...others] = unprinted
  if (first === undefined) return null
  const { shipmentId, reference, error } = first
  const show = () => {
    dismiss(shipmentId)
    showShipment(shipmentId)
  }
  return (
    <Callout
      tone="bad"
      actions={
        <>
          <Button onClick={show}>{t('outcome.showInHistory')}</Button>
          <Button variant="default" onClick={() => dismiss(shipmentId)}>
            {t('common.close')}
          </Button>
        </>
      }
    >
      <p>{t('customs.notPrinted', { reference })}</p>
      <ErrorWords error={error} />
      {others.length === 0 ? null : <p>{t('customs.moreNotPrinted', { count: others.length })}</p>}
    </Callout>
  )
}

function Suggestion() {
  const { t } = useTranslation()
  const on = useCustoms((state) => state.on)
  const from = useCustoms(sendingCountry)
  // The suggestion follows the country once its field is left.
  const country = useStableWhilePressed(useShip((state) => state.form.country))
  const postalCode = useShip((state) => state.form.postalCode)
  const { suggested, place } = suggestCustoms(from, { country, postalCode })
  const note = place === null ? '' : t(`customs.place.${place}`)
  if (suggested && !on) {
    return (
      <Callout tone="attention">
        {t('customs.suggested')} {note}
      </Callout>
    )
  }
  if (place !== null) return <Callout tone="info">{note}</Callout>
  return on && !suggested && country !== '' ? <p className="pb-soft">{t('customs.notSuggested')}</p> : null
}

type PlainField = 'invoiceNumber' | 'consigneeVat' | 'consigneeEori'

function CustomsFields() {
  const { t } = useTranslation()
  const form = useCustoms((state) => state.form)
  const edit = useCustoms((state) => state.edit)
  const reasons = [
    t('customs.reasonSale'),
    t('customs.reasonGift'),
    t('customs.reasonSample'),
    t('customs.reasonReturn'),
    t('customs.reasonRepair'),
  ]
  return (
    <Stack gap={12}>
      <div className={fieldStyles.thirds}>
        <Plain field="invoiceNumber" />
        <InvoiceDate />
        <Autocomplete
          label={t('customs.reason')}
          data={reasons}
          value={form.reason}
          onChange={(reason) => edit({ reason })}
        />
        <Autocomplete
          label={t('customs.terms')}
          data={[...incoterms]}
          value={form.terms}
          onChange={(terms) => edit({ terms })}
        />
        <Autocomplete
          label={t('customs.currency')}
          data={[...currencyCodes]}
          limit={30}
          value={form.currency}
          onChange={(currency) => edit({ currency: currency.toUpperCase() })}
        />
        <Sender />
      </div>
      <div className={fieldStyles.thirds}>
        <NativeSelect
          label={t('customs.consigneeType')}
          data={['N', 'Y']}
          value={form.consigneeType}
          onChange={(event) => edit({ consigneeType: event.currentTarget.value === 'Y' ? 'Y' : 'N' })}
        />
        <Plain
          field="consigneeVat"
          advice={
            form.consigneeVat !== '' && !hasVatForm(form.consigneeVat) ? t('issues.vat-form') : undefined
          }
        />
        <Plain
          field="consigneeEori"
          advice={
            form.consigneeEori !== '' && !hasEoriForm(form.consigneeEori) ? t('issues.eori-form') : undefined
          }
        />
      </div>
      <CustomsItems />
      <IssueSummary />
    </Stack>
  )
}

interface PlainProps {
  field: PlainField
  advice?: string | undefined
}

function Plain({ field, advice }: PlainProps) {
  const { t } = useTranslation()
  const value = useCustoms((state) => state.form[field])
  const edit = useCustoms((state) => state.edit)
  const issue = useCustoms((state) => state.issues[field])
  const issueText = useIssueText()
  const label = t(`customs.${field}`)
  return (
    <TextField
      label={label}
      value={value}
      onChange={(text) => edit({ [field]: text })}
      errorText={issueText(issue, label)}
      advice={advice}
    />
  )
}

function InvoiceDate() {
  const { t } = useTranslation()
  const value = useCustoms((state) => state.form.invoiceDate)
  const edit = useCustoms((state) => state.edit)
  const issue = useCustoms((state) => state.issues.invoiceDate)
  const label = t('customs.invoiceDate')
  return (
    <DateField
      label={label}
      value={value}
      onChange={(invoiceDate) => edit({ invoiceDate })}
      errorText={issue && t('fieldIssues.required', { field: label })}
    />
  )
}

function Sender() {
  const { t } = useTranslation()
  const profiles = useCustoms((state) => state.profiles)
  const senderId = useCustoms((state) => state.form.senderId)
  const issue = useCustoms((state) => state.issues.sender)
  const edit = useCustoms((state) => state.edit)
  const goToSettings = useNavigation((state) => state.goToSettings)
  const label = t('customs.sender')
  if (profiles.length === 0) {
    return (
      <Callout tone="attention">
        {t('customs.noSender')}{' '}
        <Anchor component="button" type="button" onClick={() => goToSettings('customs')}>
          {t('customs.setUpSender')}
        </Anchor>
      </Callout>
    )
  }
  // Without an entry of its own, an open sender would be shown as the first one, which could then not be chosen.
  const open = senderId === '' ? [{ value: '', label: t('ship.carrierPlaceholder'), disabled: true }] : []
  return (
    <NativeSelect
      label={label}
      data={[...open, ...profiles.map(({ id, name }) => ({ value: id, label: name }))]}
      value={senderId}
      error={issue && t('fieldIssues.required', { field: label })}
      onChange={(event) => edit({ senderId: event.currentTarget.value })}
    />
  )
}

/** Names the first issue. Issues of the consignee or sender have no field here. */
function IssueSummary() {
  const { t } = useTranslation()
  const issues = useCustoms((state) => state.issues)
  const [path] = Object.keys(issues)
  if (path === undefined) return null
  return <Callout tone="bad">{t('customs.issue', { field: issuePlace(t, path) })}</Callout>
}
