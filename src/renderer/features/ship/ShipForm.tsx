import { Anchor, Button, Checkbox, Group } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { type RefObject, useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { EarlierShipment } from '../../../shared/shipments'
import { useSettings } from '../../bridge'
import { formatDecimals, formatMoment } from '../../i18n/format'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { useIssueText } from '../../ui/FormField'
import { useNavigation } from '../../ui/navigation'
import { RuleLine } from '../../ui/RuleLine'
import { CarrierSelect, CountrySelect } from '../../ui/SearchSelect'
import { TextField } from '../../ui/TextField'
import { useStableWhilePressed } from '../../ui/useStableWhilePressed'
import { hasSuggestions, StreetLookup, SuggestionField } from './ConsigneeSuggestions'
import { CustomsBlock } from './customs/CustomsBlock'
import { moveOnEnter } from './fieldFocus'
import {
  type Advice,
  adviceFor,
  type DraftForm,
  type FlagField,
  type FormField,
  findOrderIssues,
  foldedFields,
  type TextField as TextFieldName,
} from './form'
import { findFormOrder, lacksChanges } from './ordersInForm'
import { ScaleStatus } from './ScaleStatus'
import styles from './ship.module.css'
import { useCarrierLimits, useShip } from './stores'

/** All fields of a shipment: the usual ones in the order of the work, the rest folded. */
export function ShipForm({ formRef }: { formRef: RefObject<HTMLFieldSetElement | null> }) {
  const { t } = useTranslation()
  const shipOnEnter = useShip((state) => state.shipOnEnter)
  return (
    <fieldset
      ref={formRef}
      className={styles.form}
      aria-label={t('ship.form')}
      data-testid="ship-form"
      onKeyDown={(event) => {
        const { target } = event
        const field = target instanceof HTMLInputElement ? target.dataset.field : undefined
        const isEnter = event.key === 'Enter' && field !== undefined
        // Enter that is held down counts as one press: it does not ship again after a refusal.
        if (isEnter && (event.repeat || shipOnEnter(field))) event.preventDefault()
        else moveOnEnter(event)
      }}
    >
      <Order />
      <Consignee />
      <Parcel />
      <CustomsBlock />
      <MoreFields />
    </fieldset>
  )
}

function Order() {
  const { t } = useTranslation()
  const earliest = useStableWhilePressed(
    // The label of a cancelled one is void: if another one exists, that is the parcel.
    useShip(({ earlier }) => earlier.find(({ cancelledAt }) => cancelledAt === undefined) ?? earlier[0]),
  )
  const order = useStableWhilePressed(useShip((state) => state.order) ?? undefined)
  const notTaken = useShip((state) => state.notTaken)
  const noCarriers = useSettings()?.carriers.length === 0
  const noChoice = useShip((state) => state.form.carrier === '')
  const goToSettings = useNavigation((state) => state.goToSettings)
  return (
    <fieldset className={`pb-surface ${styles.group}`} aria-label={t('ship.groupOrder')}>
      <div className={styles.row} data-columns="order">
        <DraftText field="reference" />
        <DraftCarrier />
      </div>
      {order ? (
        <Callout tone="info">
          {t('orders.filled', { reference: order.values.reference ?? '' })} <RuleLine order={order} />
        </Callout>
      ) : null}
      <ErrorCallout error={notTaken} />
      <Together />
      <UnsavedChanges />
      {earliest ? <EarlierHint earlier={earliest} /> : null}
      {noCarriers && noChoice ? (
        <Callout tone="attention">
          {t('ship.noCarriers')}{' '}
          <Anchor component="button" type="button" onClick={() => goToSettings('carriers')}>
            {t('ship.addCarriers')}
          </Anchor>
        </Callout>
      ) : null}
    </fieldset>
  )
}

/** Names the other orders in the parcel. */
function Together() {
  const { t } = useTranslation()
  const references = useShip((state) => state.combined?.references)
  const splitUp = useShip((state) => state.splitUp)
  if (references === undefined) return null
  return (
    <Callout tone="info">
      <strong>{t('combine.combined', { references: references.join(', ') })}</strong> {t('combine.check')}{' '}
      <Anchor component="button" type="button" onClick={splitUp}>
        {t('combine.splitUp')}
      </Anchor>
    </Callout>
  )
}

/** Says that a form filled in from orders lacks what was typed in Orders, until the parcel begins again. */
function UnsavedChanges() {
  const { t } = useTranslation()
  const isShown = useStableWhilePressed(useShip(lacksChanges))
  return isShown ? <Callout tone="attention">{t('orders.unsavedInParcel')}</Callout> : null
}

function EarlierHint({ earlier }: { earlier: EarlierShipment }) {
  const { t, i18n } = useTranslation()
  const showShipment = useNavigation((state) => state.showShipment)
  const { station, cancelledAt } = earlier
  const moment = formatMoment(earlier.takenAt, i18n.language)
  const when = station === undefined ? moment : t('ship.earlierAt', { when: moment, station })
  const text =
    earlier.state === 'created'
      ? t('ship.earlierCreated', { when, barcode: earlier.barcodes.join(', ') || t('common.none') })
      : earlier.state === 'unknown'
        ? t('ship.earlierUnknown', { when })
        : t('ship.earlierUnderWay', { when })
  return (
    <Callout tone="attention">
      {text}{' '}
      {cancelledAt === undefined
        ? null
        : `${t('historyTable.cancelledAt', { when: formatMoment(cancelledAt, i18n.language) })} `}
      <Anchor
        component="button"
        type="button"
        onClick={() => showShipment(earlier.shipmentId, station === undefined ? 'this' : 'all')}
      >
        {t('ship.showEarlier')}
      </Anchor>
    </Callout>
  )
}

function Consignee() {
  const { t } = useTranslation()
  return (
    <fieldset className={`pb-surface ${styles.group}`}>
      <StreetLookup />
      <legend className={styles.legend}>{t('ship.groupConsignee')}</legend>
      <div className={styles.row} data-columns="name">
        <DraftText field="companyName" />
        <DraftText field="firstName" />
        <DraftText field="lastName" />
      </div>
      <div className={styles.row} data-columns="street">
        <DraftText field="street" />
        <DraftText field="houseNumber" />
        <DraftText field="postalCode" />
        <DraftText field="city" />
      </div>
      <div className={styles.row} data-columns="contact">
        <DraftCountry />
        <DraftText field="email" />
        <DraftText field="phoneNumber" />
      </div>
    </fieldset>
  )
}

function Parcel() {
  const { t } = useTranslation()
  return (
    <fieldset className={`pb-surface ${styles.group}`} aria-label={t('ship.groupParcel')}>
      <div className={styles.row} data-columns="parcel">
        <DraftText field="weight" numeric />
        <DraftText field="numberOfPackages" numeric />
        <DraftText field="content" />
      </div>
      <ScaleStatus />
    </fieldset>
  )
}

function filledIn(form: DraftForm): number {
  return foldedFields.filter((field) => form[field] !== '' && form[field] !== false).length
}

function MoreFields() {
  const { t } = useTranslation()
  const id = useId()
  const open = useShip((state) => state.moreOpen)
  const toggle = useShip((state) => state.toggleMore)
  const filled = useShip((state) => filledIn(state.form))
  const Chevron = open ? IconChevronDown : IconChevronRight
  return (
    <div>
      <Button
        variant="subtle"
        pl={8}
        leftSection={<Chevron size={20} aria-hidden />}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={toggle}
      >
        {filled > 0 && !open ? t('ship.moreFieldsFilled', { count: filled }) : t('ship.moreFields')}
      </Button>
      {open ? (
        <div id={id} className={`pb-surface ${styles.more}`}>
          <div className={styles.row} data-columns="thirds">
            <DraftText field="length" numeric />
            <DraftText field="width" numeric />
            <DraftText field="height" numeric />
          </div>
          <div className={styles.row} data-columns="thirds">
            <DraftText field="reference2" />
            <DraftText field="createdBy" />
            <DraftText field="printPhoneNumber" />
          </div>
          <Group gap="12px 28px">
            <DraftFlag field="isCompany" />
            <DraftFlag field="signatureRequired" />
            <DraftFlag field="returnLabel" />
          </Group>
        </div>
      ) : null}
    </div>
  )
}

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

/** The state, error text and advice of a field. */
function useDraftField<Name extends FormField>(field: Name) {
  const { t } = useTranslation()
  const issueText = useIssueText()
  const adviceText = useAdviceText()
  const issue = useShip((state) => state.issues[field])
  const orderIssue = useShip((state) => findOrderIssues(state.form, findFormOrder(state))[field]?.code)
  const value = useShip((state) => state.form[field])
  const readOnly = useShip((state) => state.sending)
  const edit = useShip((state) => state.edit)
  const leave = useShip((state) => state.leave)
  const limits = useCarrierLimits()
  // A value beyond a limit is reported while it is typed, an empty field only after it was left.
  const asked = useShip((state) => state.touched[field] === true) || limited.has(field)
  // Selected as text, so that typing into one field renders no other.
  const advice = useShip(({ form }) => (asked ? adviceText(adviceFor(form, limits)[field]) : undefined))
  const label = t(`fields.${field}`)
  return {
    edit,
    onLeave: () => leave(field),
    shown: {
      label,
      value,
      readOnly,
      needed: needed.has(field),
      errorText: issueText(issue ?? (orderIssue && { code: orderIssue }), label, field),
      advice,
    },
  }
}

interface DraftTextProps {
  field: Exclude<TextFieldName, 'country'>
  numeric?: boolean
}

function DraftText({ field, numeric }: DraftTextProps) {
  const { edit, onLeave, shown } = useDraftField(field)
  const props = {
    ...shown,
    onChange: (text: string) => edit({ [field]: text }),
    onBlur: onLeave,
    inputMode: numeric ? ('decimal' as const) : undefined,
    'data-field': field,
  }
  return hasSuggestions(field) ? <SuggestionField {...props} field={field} /> : <TextField {...props} />
}

function DraftFlag({ field }: { field: FlagField }) {
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

function DraftCountry() {
  const { edit, onLeave, shown } = useDraftField('country')
  return (
    <CountrySelect {...shown} onChange={(country) => edit({ country })} onLeave={onLeave} field="country" />
  )
}

function DraftCarrier() {
  const { edit, shown } = useDraftField('carrier')
  const carriers = useSettings()?.carriers ?? []
  return (
    <CarrierSelect {...shown} carriers={carriers} onChange={(carrier) => edit({ carrier })} field="carrier" />
  )
}

function useAdviceText() {
  const { t, i18n } = useTranslation()
  return (advice: Advice | undefined): string | undefined =>
    advice &&
    t(
      `advice.${advice.code}`,
      'limit' in advice ? { limit: formatDecimals(advice.limit, i18n.language) } : {},
    )
}
