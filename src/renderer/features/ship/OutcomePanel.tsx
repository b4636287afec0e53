import { Box, Button, Flex, Group, Loader, Modal, Stack } from '@mantine/core'
import { IconBarcode, IconEye, IconPrinter } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { LabelStateKind } from '../../../shared/labelState'
import type { PrintJob } from '../../../shared/printing'
import {
  findOpenError,
  getReferences,
  isLabelMissing,
  isUnresolved,
  type ShipmentDetails,
  type ShipmentDraft,
} from '../../../shared/shipments'
import { useSettings } from '../../bridge'
import { formatMoment, formatNumber } from '../../i18n/format'
import { labelReason } from '../../i18n/texts'
import { useLabelState } from '../../ui/Badge'
import { ErrorCallout, ErrorWords } from '../../ui/Callout'
import { CancellationWords } from '../../ui/CancellationWords'
import { findDraftCarrier } from '../../ui/carrierOptions'
import { useDialogs } from '../../ui/dialogs'
import { JobLine } from '../../ui/JobLine'
import { runLabelAction, useLabelActions } from '../../ui/labelActions'
import { useNavigation } from '../../ui/navigation'
import { answerLooks, cancelledLook, type Look, labelLooks } from '../../ui/tone'
import tones from '../../ui/tone.module.css'
import { isOutcomeUnclear, type Outcome, type OutcomeState, outcomeState } from './outcome'
import { ScanBack } from './ScanBack'
import styles from './ship.module.css'
import { useShip } from './stores'

/** The outcome of the last shipment, readable from across the bench. */
export function OutcomePanel() {
  const { t } = useTranslation()
  const outcome = useShip((state) => state.outcome)
  const sending = useShip((state) => state.sending)
  if (sending || !outcome) {
    return (
      <section className={styles.ready} aria-label={t('ship.outcome')} aria-live="polite">
        {sending ? <Loader size={56} /> : <IconBarcode size={56} stroke={1.3} aria-hidden />}
        <Box component="h2" fz={22} lh={1.25} c="var(--pb-ink)">
          {sending ? t('ship.creating') : t('ship.ready')}
        </Box>
        {sending ? null : <p>{t('ship.readyHint')}</p>}
      </section>
    )
  }
  return outcome.kind === 'shipment' ? (
    <ShipmentOutcome shipment={outcome.shipment} />
  ) : (
    <AnswerPanel outcome={outcome} />
  )
}

interface PanelProps {
  look: Look
  title: string
  reference: string
  /** A few words beside the title. */
  reason?: string
  data: { state: OutcomeState; label?: LabelStateKind; barcodes: readonly string[] }
  children: ReactNode
}

function OutcomeBox({ look: { tone, Icon }, title, reference, reason, data, children }: PanelProps) {
  const { t } = useTranslation()
  return (
    <section
      className={`${styles.outcome} ${tones[tone]}`}
      aria-label={t('ship.outcome')}
      data-testid="outcome"
      data-state={data.state}
      data-label={data.label}
      data-barcode={data.barcodes.join(' ')}
    >
      <div className={styles.outcomeHead} role="status">
        <Icon size={52} stroke={1.8} aria-hidden />
        <Box
          component="h2"
          fz="clamp(28px, min(11.5cqi, max(40px, 2.4vw)), 64px)"
          lh={1.05}
          fw={700}
          lts="-0.015em"
        >
          {title}
        </Box>
        <div className={styles.outcomeWords}>
          {reason ? (
            <Box component="p" fz={20} fw={600} lh={1.25}>
              {reason}
            </Box>
          ) : null}
          <Box component="p" fz={18}>
            {t('outcome.createdFor', { reference })}
          </Box>
        </div>
      </div>
      {children}
    </section>
  )
}

/** A created or refused shipment: above all, whether its label is printed. */
function ShipmentOutcome({ shipment }: { shipment: ShipmentDetails }) {
  const { t } = useTranslation()
  const label = useLabelState(shipment)
  const words =
    shipment.cancellation === undefined
      ? {
          look: labelLooks[label.kind],
          title: t(`labelStates.${label.kind}`),
          reason: labelReason(t, label),
        }
      : { look: cancelledLook, title: t('historyTable.cancelled') }
  return (
    <OutcomeBox
      {...words}
      reference={getReferences(shipment).join(' + ')}
      data={{
        state: outcomeState({ kind: 'shipment', shipment }),
        label: label.kind,
        barcodes: shipment.barcodes,
      }}
    >
      <ShipmentBody shipment={shipment} />
    </OutcomeBox>
  )
}

type AnswerOutcome = Exclude<Outcome, { kind: 'shipment' }>

function AnswerPanel({ outcome }: { outcome: AnswerOutcome }) {
  const { t } = useTranslation()
  const unclear = outcome.kind === 'error' && isOutcomeUnclear(outcome.error)
  return (
    <OutcomeBox
      look={answerLooks[outcome.kind]}
      title={t(unclear ? 'outcome.errorUnclear' : `outcome.${outcome.kind}`)}
      reference={outcome.reference}
      data={{
        state: outcome.kind,
        barcodes: outcome.kind === 'duplicate' ? outcome.earlier.barcodes : [],
      }}
    >
      {outcome.kind === 'duplicate' ? <DuplicateBody outcome={outcome} /> : <ErrorBody outcome={outcome} />}
    </OutcomeBox>
  )
}

type DuplicateOutcome = Extract<Outcome, { kind: 'duplicate' }>

function useDuplicateText() {
  const { t, i18n } = useTranslation()
  return ({ reference, earlier: { takenAt, station, operator, cancelledAt } }: DuplicateOutcome) => {
    const moment = takenAt ? formatMoment(takenAt, i18n.language) : t('common.none')
    const when = [moment, operator].filter(Boolean).join(', ')
    const text =
      station === null
        ? t('outcome.duplicateText', { reference, when })
        : t('outcome.duplicateElsewhere', { reference, when, station })
    if (cancelledAt === null) return text
    return `${text} ${t('historyTable.cancelledAt', { when: formatMoment(cancelledAt, i18n.language) })}`
  }
}

function DuplicateBody({ outcome }: { outcome: DuplicateOutcome }) {
  const { t } = useTranslation()
  const duplicateText = useDuplicateText()
  const showShipment = useNavigation((state) => state.showShipment)
  const { barcodes, shipmentId, station, cancelledAt } = outcome.earlier
  const { isBusy, error, act } = useLabelActions(shipmentId)
  return (
    <>
      <Barcodes codes={barcodes} />
      <p>{duplicateText(outcome)}</p>
      <ErrorCallout error={error} />
      <Jobs jobs={outcome.jobs} />
      <Group gap={8}>
        {cancelledAt === null ? (
          <Button
            variant="default"
            leftSection={<IconPrinter size={20} aria-hidden />}
            disabled={isBusy}
            onClick={() => void act('reprint', { shipmentId })}
          >
            {t('outcome.reprintThat')}
          </Button>
        ) : null}
        <Button variant="default" onClick={() => showShipment(shipmentId, station === null ? 'this' : 'all')}>
          {t('outcome.showInHistory')}
        </Button>
      </Group>
    </>
  )
}

function Jobs({ jobs }: { jobs: readonly PrintJob[] }) {
  return (
    <ul className={styles.jobs}>
      {jobs.map((job) => (
        <JobLine key={job.id} job={job} />
      ))}
    </ul>
  )
}

function ErrorBody({ outcome }: { outcome: Extract<Outcome, { kind: 'error' }> }) {
  const { t } = useTranslation()
  const open = useDialogs((state) => state.open)
  const unresolved = outcome.unresolvedShipmentId
  return (
    <>
      <ErrorWords error={outcome.error} />
      {unresolved ? (
        <Group gap={8}>
          <Button
            onClick={() => open({ kind: 'resolve', shipmentId: unresolved, reference: outcome.reference })}
          >
            {t('outcome.resolve')}
          </Button>
        </Group>
      ) : null}
    </>
  )
}

function Barcodes({ codes }: { codes: readonly string[] }) {
  return (
    <ul className={styles.barcodes}>
      {codes.map((code) => (
        <li key={code}>{code}</li>
      ))}
    </ul>
  )
}

function ShipmentBody({ shipment }: { shipment: ShipmentDetails }) {
  const { t } = useTranslation()
  const unresolved = isUnresolved(shipment)
  const isInForm = useShip((state) => state.form.reference.trim() === shipment.reference)
  return (
    <>
      {shipment.state === 'created' && shipment.barcodes.length === 0 ? (
        <p>{t('outcome.noBarcode')}</p>
      ) : (
        <Barcodes codes={shipment.barcodes} />
      )}
      <CompareFacts draft={shipment.draft} />
      <CancellationWords shipment={shipment} />
      <ErrorWords error={findOpenError(shipment)} />
      {shipment.serviceMessage && shipment.state === 'created' ? (
        <p className="pb-soft">{shipment.serviceMessage}</p>
      ) : null}
      {shipment.state === 'refused' ? (
        <>
          {shipment.resolution === null &&
          shipment.draft.customs?.items.some(({ hsCode }) => hsCode === '') ? (
            <p>{t('outcome.refusedWithoutHsCode')}</p>
          ) : null}
          <p>
            {t('outcome.nothingShipped')} {isInForm ? t('outcome.refusedHint') : null}
          </p>
        </>
      ) : null}
      {unresolved ? <p>{t('mayHaveArrived.shipment')}</p> : null}
      {shipment.cancellation === undefined ? <LabelProblems shipment={shipment} /> : null}
      <Jobs jobs={shipment.jobs} />
      <ScanBack key={shipment.id} shipment={shipment} />
      <ShipmentActions shipment={shipment} />
    </>
  )
}

function LabelProblems({ shipment }: { shipment: ShipmentDetails }) {
  const { t } = useTranslation()
  const { isBusy, act } = useLabelActions(shipment.id)
  const invalid = shipment.labels.flatMap(({ id, position, problem, closed }) =>
    problem && !closed ? [{ id, position, problem }] : [],
  )
  if (invalid.length === 0) return null
  return (
    <Stack gap={8}>
      {invalid.map(({ id, position, problem }) => (
        <p key={id}>{t('outcome.labelProblem', { position, problem: t(`labelProblems.${problem}`) })}</p>
      ))}
      {invalid.some(isLabelMissing) ? (
        <Button loading={isBusy} onClick={() => void act('fetchLabels', { shipmentId: shipment.id })}>
          {t('outcome.fetchLabels')}
        </Button>
      ) : null}
    </Stack>
  )
}

function ShipmentActions({ shipment }: { shipment: ShipmentDetails }) {
  const { t } = useTranslation()
  const showShipment = useNavigation((state) => state.showShipment)
  const openResolve = useDialogs((state) => state.open)
  const { isBusy, error, act } = useLabelActions(shipment.id)
  const openPreview = useDialogs((state) => state.open)
  const fillConsignee = useShip((state) => state.fillSameAddress)
  const printable = shipment.labels.filter((label) => label.problem === null)
  return (
    <>
      <ErrorCallout error={error} />
      <Group gap={8}>
        {isUnresolved(shipment) ? (
          <Button
            onClick={() =>
              openResolve({ kind: 'resolve', shipmentId: shipment.id, reference: shipment.reference })
            }
          >
            {t('outcome.resolve')}
          </Button>
        ) : null}
        {printable.length > 0 && shipment.cancellation === undefined ? (
          <Button
            variant="default"
            leftSection={<IconPrinter size={20} aria-hidden />}
            rightSection={<kbd aria-hidden>F8</kbd>}
            disabled={isBusy}
            onClick={() => void act('reprint', { shipmentId: shipment.id })}
          >
            {t('outcome.reprint')}
          </Button>
        ) : null}
        {printable.length > 0 ? (
          <Button
            variant="default"
            leftSection={<IconEye size={20} aria-hidden />}
            onClick={() => openPreview({ kind: 'preview', labelIds: printable.map((label) => label.id) })}
          >
            {t('queue.preview')}
          </Button>
        ) : null}
        {shipment.state === 'created' ? (
          // Fills in the same consignee for the next parcel.
          <Button variant="default" onClick={() => fillConsignee(shipment.draft)}>
            {t('ship.sameAddress')}
          </Button>
        ) : null}
        <Button
          variant="default"
          onClick={() => showShipment(shipment.id, shipment.station === undefined ? 'this' : 'all')}
        >
          {t('outcome.showInHistory')}
        </Button>
      </Group>
    </>
  )
}

/** What the operator compares with the box: consignee, weight and carrier option. */
function CompareFacts({ draft }: { draft: ShipmentDraft }) {
  const { t, i18n } = useTranslation()
  const carrier = findDraftCarrier(useSettings()?.carriers ?? [], draft)
  const name = [draft.firstName, draft.lastName].filter(Boolean).join(' ')
  const weight = formatNumber(draft.weight, i18n.language)
  return (
    <Flex
      component="dl"
      direction="column"
      gap={2}
      fz={22}
      fw={600}
      lh={1.25}
      aria-label={t('compare.title')}
    >
      <dt className="pb-unseen">{t('compare.consignee')}</dt>
      <dd>{[draft.companyName || name, draft.city, draft.country].filter(Boolean).join(', ')}</dd>
      <dt className="pb-unseen">{t('compare.weight')}</dt>
      <dd>
        {draft.numberOfPackages === 1
          ? t('compare.weightOf', { weight })
          : t('compare.packagesOf', { packages: draft.numberOfPackages, weight })}
      </dd>
      <dt className="pb-unseen">{t('fields.carrier')}</dt>
      <dd>{carrier?.name ?? t('remembered.option', { id: draft.carrierOptionId })}</dd>
    </Flex>
  )
}

/** Asks before a reference is shipped again. The safe answer has the focus. */
export function DuplicateDialog() {
  const { t } = useTranslation()
  const duplicateText = useDuplicateText()
  const isConfirmingDuplicate = useShip((state) => state.isConfirmingDuplicate)
  const outcome = useShip((state) => state.outcome)
  const shipAgain = useShip((state) => state.shipAgain)
  const cancelShipAgain = useShip((state) => state.cancelShipAgain)
  const client = useQueryClient()
  const duplicate = outcome?.kind === 'duplicate' ? outcome : null
  if (!duplicate) return null
  const { barcodes, shipmentId, cancelledAt } = duplicate.earlier
  return (
    <Modal opened={isConfirmingDuplicate} onClose={cancelShipAgain} title={t('outcome.duplicate')}>
      <p className={styles.dialogText}>{duplicateText(duplicate)}</p>
      <Barcodes codes={barcodes} />
      <p>{t(cancelledAt === null ? 'outcome.duplicateQuestion' : 'outcome.cancelledQuestion')}</p>
      <Group gap={10} mt={20}>
        {cancelledAt === null ? (
          <Button
            onClick={() => {
              cancelShipAgain()
              void runLabelAction(client, shipmentId, 'reprint', { shipmentId })
            }}
          >
            {t('outcome.reprintThat')}
          </Button>
        ) : null}
        <Button variant="outline" onClick={() => void shipAgain()}>
          {t('outcome.shipAgain')}
        </Button>
        <Button variant="default" data-autofocus data-safe onClick={cancelShipAgain}>
          {t('common.cancel')}
        </Button>
      </Group>
    </Modal>
  )
}
