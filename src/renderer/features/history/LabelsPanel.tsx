import { Button, NativeSelect } from '@mantine/core'
import { IconDownload, IconEye, IconEyeOff, IconPrinter } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Printer } from '../../../shared/printing'
import { isLabelMissing, type Label, type ShipmentDetails } from '../../../shared/shipment'
import { useHistory, useLabels, usePrintPreview } from '../../app/storesContext'
import { Callout, ErrorCallout } from '../../components/Callout'
import { Panel } from '../../components/Panel'
import styles from './history.module.css'
import { LabelPreviews } from './LabelPreviews'

interface LabelsPanelProps {
  shipment: ShipmentDetails
  printers: readonly Printer[]
}

/** The labels of a shipment: reprint them, look at them, fetch them again. */
export function LabelsPanel({ shipment, printers }: LabelsPanelProps) {
  const { t } = useTranslation()
  const [printerId, setPrinterId] = useState('')
  const { reprint, fetchLabels } = useLabels((state) => state)
  const busy = useLabels((state) => state.busy[shipment.id] === true)
  const printable = shipment.labels.filter((label) => label.problem === null)
  const openPreview = usePrintPreview((state) => state.open)
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
          onPreview={() => void openPreview(label.id, chosen.printerId)}
          onReprint={() => void reprint(shipment.id, { labelId: label.id, ...chosen })}
        />
      ))}
      <div className={styles.labelMoves}>
        {printable.length > 0 ? (
          <>
            <Button
              leftSection={<IconPrinter size={20} aria-hidden />}
              disabled={busy}
              onClick={() => void reprint(shipment.id, chosen)}
            >
              {printable.length > 1 ? t('history.reprintAll') : t('history.reprint')}
            </Button>
            <NativeSelect
              aria-label={t('history.reprintOn')}
              value={printerId}
              onChange={(event) => setPrinterId(event.currentTarget.value)}
              data={[
                { value: '', label: t('history.usualPrinter') },
                ...printers.map(({ id, name }) => ({ value: id, label: name ?? id })),
              ]}
            />
            <PreviewButton />
          </>
        ) : null}
        {shipment.labels.some(isLabelMissing) ? (
          <Button
            leftSection={<IconDownload size={20} aria-hidden />}
            loading={busy}
            onClick={() => void fetchLabels(shipment.id)}
          >
            {t('history.fetchLabels')}
          </Button>
        ) : null}
      </div>
      <PreviewArea />
    </Panel>
  )
}

interface LabelLineProps {
  label: Label
  alone: boolean
  busy: boolean
  onPreview: () => void
  onReprint: () => void
}

function LabelLine({ label, alone, busy, onPreview, onReprint }: LabelLineProps) {
  const { t } = useTranslation()
  if (label.problem) {
    return (
      <Callout tone="attention">
        {t('outcome.labelProblem', {
          position: label.position,
          problem: t(`labelProblems.${label.problem}`),
        })}
      </Callout>
    )
  }
  const name = t('history.labelPosition', { position: label.position })
  return (
    <div className={styles.label}>
      <span>
        {name} · <span className="pb-mono">{label.barcode}</span>
      </span>
      <div className={styles.labelMoves}>
        <Button variant="default" aria-label={`${t('queue.preview')}: ${name}`} onClick={onPreview}>
          {t('queue.preview')}
        </Button>
        {alone ? null : (
          <Button
            variant="default"
            disabled={busy}
            aria-label={`${t('history.reprint')}: ${name}`}
            onClick={onReprint}
          >
            {t('history.reprint')}
          </Button>
        )}
      </div>
    </div>
  )
}

function PreviewButton() {
  const { t } = useTranslation()
  const { previews, previewBusy, showPreviews, hidePreviews } = useHistory((state) => state)
  if (previews) {
    return (
      <Button variant="default" leftSection={<IconEyeOff size={20} aria-hidden />} onClick={hidePreviews}>
        {t('history.hidePreview')}
      </Button>
    )
  }
  return (
    <Button
      variant="default"
      loading={previewBusy}
      leftSection={<IconEye size={20} aria-hidden />}
      onClick={() => void showPreviews()}
    >
      {t('history.preview')}
    </Button>
  )
}

function PreviewArea() {
  const previews = useHistory((state) => state.previews)
  const error = useHistory((state) => state.previewError)
  if (error) return <ErrorCallout error={error} />
  return previews ? <LabelPreviews previews={previews} /> : null
}
