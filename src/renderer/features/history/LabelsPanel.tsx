import { Button, Group, NativeSelect } from '@mantine/core'
import { IconDownload, IconEye, IconPrinter } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isLabelOpen } from '../../../shared/labelState'
import type { Printer } from '../../../shared/printing'
import { isLabelMissing, type Label, type ShipmentDetails } from '../../../shared/shipments'
import { Callout } from '../../ui/Callout'
import { useDialogs } from '../../ui/dialogs'
import { useLabelActions } from '../../ui/labelActions'
import { Panel } from '../../ui/Panel'
import { ReasonDialog } from '../../ui/ReasonDialog'
import styles from './history.module.css'

interface LabelsPanelProps {
  shipment: ShipmentDetails
  printers: readonly Printer[]
}

/** Reprints, previews and fetches the labels of a shipment. */
export function LabelsPanel({ shipment, printers }: LabelsPanelProps) {
  const { t } = useTranslation()
  const [printerId, setPrinterId] = useState('')
  const { isBusy: busy, act } = useLabelActions(shipment.id)
  const shipmentId = shipment.id
  // Label problems are handled at the station that sent the shipment.
  const isElsewhere = shipment.station?.isThisOne === false
  const printable = shipment.labels.filter((label) => label.problem === null)
  const openPreview = useDialogs((state) => state.open)
  const chosen: { printerId?: string } = printers.some((printer) => printer.id === printerId)
    ? { printerId }
    : {}
  return (
    <Panel title={t('history.labels')}>
      {shipment.labels.length === 0 ? <p className="pb-soft">{t('history.noLabels')}</p> : null}
      {shipment.labels.map((label) => (
        <LabelLine
          key={label.id}
          label={label}
          alone={shipment.labels.length === 1}
          busy={busy}
          onReprint={() => void act('reprint', { shipmentId, labelId: label.id, ...chosen })}
        />
      ))}
      <Group align="stretch" gap={10}>
        {printable.length > 0 ? (
          <>
            <Button
              leftSection={<IconPrinter size={20} aria-hidden />}
              disabled={busy}
              onClick={() => void act('reprint', { shipmentId, ...chosen })}
            >
              {printable.length > 1 ? t('history.reprintAll') : t('outcome.reprint')}
            </Button>
            <NativeSelect
              aria-label={t('history.reprintOn')}
              value={printerId}
              onChange={(event) => setPrinterId(event.currentTarget.value)}
              data={[
                { value: '', label: t('printersTab.defaultPrinter') },
                ...printers.map(({ id, name }) => ({ value: id, label: name ?? id })),
              ]}
            />
            <Button
              variant="default"
              leftSection={<IconEye size={20} aria-hidden />}
              onClick={() =>
                openPreview({ kind: 'preview', labelIds: printable.map((label) => label.id), ...chosen })
              }
            >
              {t('queue.preview')}
            </Button>
          </>
        ) : null}
        {shipment.labels.some(isLabelMissing) && !isElsewhere ? (
          <Button
            leftSection={<IconDownload size={20} aria-hidden />}
            loading={busy}
            onClick={() => void act('fetchLabels', { shipmentId })}
          >
            {t('outcome.fetchLabels')}
          </Button>
        ) : null}
        {isElsewhere ? null : <CloseProblem shipment={shipment} />}
      </Group>
    </Panel>
  )
}

interface LabelLineProps {
  label: Label
  alone: boolean
  busy: boolean
  onReprint: () => void
}

function LabelLine({ label, alone, busy, onReprint }: LabelLineProps) {
  const { t } = useTranslation()
  if (label.problem) {
    const problem = label.closed ? t('labelStates.closed') : t(`labelProblems.${label.problem}`)
    return (
      <Callout tone={label.closed ? 'info' : 'attention'}>
        {t('outcome.labelProblem', { position: label.position, problem })}
      </Callout>
    )
  }
  const name = t('job.package', { position: label.position })
  return (
    <div className={styles.label}>
      <span>
        {name} · <span className="pb-mono">{label.barcode}</span>
      </span>
      {alone ? null : (
        <Button
          variant="default"
          disabled={busy}
          aria-label={`${t('outcome.reprint')}: ${name}`}
          onClick={onReprint}
        >
          {t('outcome.reprint')}
        </Button>
      )}
    </div>
  )
}

/** Closes the problem of a label that will never arrive or be printed; the reason is stored with the shipment. */
function CloseProblem({ shipment }: { shipment: ShipmentDetails }) {
  const { t } = useTranslation()
  const { isBusy, act } = useLabelActions(shipment.id)
  if (!shipment.labels.some((label) => isLabelOpen(label, shipment.jobs))) return null
  return (
    <ReasonDialog
      open={t('closeLabel.open')}
      disabled={isBusy}
      title={t('closeLabel.title')}
      explain={t('closeLabel.explain', { reference: shipment.reference })}
      label={t('closeLabel.reason')}
      maxLength={200}
      save={t('closeLabel.save')}
      isSaving={false}
      onSave={(reason, close) => {
        close()
        void act('closeLabelProblems', { shipmentId: shipment.id, reason })
      }}
    />
  )
}
