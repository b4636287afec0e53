import { Box, Button, Group, Menu } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { useIsFetching } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { LabelFinding } from '../../shared/labels'
import { dismissalReasonSchema } from '../../shared/printerRemarks'
import { getPrinterName, type PrintJob } from '../../shared/printing'
import { queryKey, useSettings } from '../bridge'
import { findingText, noteText } from '../i18n/texts'
import { JobBadge } from './Badge'
import { BarcodeGrades } from './BarcodeGrades'
import { ErrorWords } from './Callout'
import { useDialogs } from './dialogs'
import { useLabelActions } from './labelActions'
import styles from './ui.module.css'

/** One print job: printer, state, error, and the actions that its state allows. */
export function JobLine({ job }: { job: PrintJob }) {
  const { t } = useTranslation()
  const kind = job.kind === 'first' ? '' : ` · ${t(`states.jobKind.${job.kind}`)}`
  return (
    <li
      className={styles.job}
      data-testid="job"
      data-state={job.state}
      data-file={job.outputPath ?? undefined}
    >
      <Group gap="4px 10px">
        <JobBadge state={job.state} />
        <Box component="span" fw={600}>
          {job.printerName}
        </Box>
        <span className="pb-soft">
          {job.document === 'invoice'
            ? t('customs.invoice')
            : t('job.package', { position: job.labelPosition })}
          {kind}
          {job.station ? ` · ${t('job.ofStation', { station: job.station })}` : ''}
          {job.operator ? ` · ${job.operator}` : ''}
          {job.resolvedBy ? ` · ${t('job.resolvedBy', { name: job.resolvedBy })}` : ''}
          {job.pages ? ` · ${t('queue.pages', job.pages)}` : ''}
          {job.scannedAt ? ` · ${t('queue.scanned')}` : ''}
          {job.scanSkipped ? ` · ${t('queue.scanSkipped', { reason: job.scanSkipped })}` : ''}
        </span>
      </Group>
      {job.barcodes ? <BarcodeGrades proof={job.barcodes} /> : null}
      {job.note ? <p className="pb-soft">{noteText(t, job.note)}</p> : null}
      {job.error && job.state !== 'done' ? <ErrorWords error={job.error} /> : null}
      {job.error?.findings && job.state === 'waiting' ? <Findings findings={job.error.findings} /> : null}
      {job.state === 'unconfirmed' && !job.error ? <p>{t('job.unconfirmedHint')}</p> : null}
      {job.outputPath ? (
        <p className={`${styles.jobFile} pb-soft`}>
          {t('job.savedAs')} <span className="pb-mono">{job.outputPath}</span>
        </p>
      ) : null}
      <JobActions job={job} />
    </li>
  )
}

function Findings({ findings }: { findings: readonly LabelFinding[] }) {
  const { t } = useTranslation()
  const sentences = findings.map((each) => findingText(t, each))
  return (
    <ul className={styles.findings}>
      {[...new Set(sentences)].map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}

function JobActions({ job }: { job: PrintJob }) {
  const { t } = useTranslation()
  const { isBusy, act } = useLabelActions(job.shipmentId)
  const jobId = job.id
  const needsPerson = job.state === 'failed' || job.state === 'unconfirmed'
  // A failed job was requested after its shipment was cancelled at the carrier: that cancels those of before.
  const isVoid = job.state === 'unconfirmed' && job.cancelledAt !== undefined
  if (job.state === 'waiting') return <Choices job={job} />
  if (job.state === 'queued' || job.state === 'sending') {
    return (
      <Group gap={8}>
        <Button variant="default" disabled={isBusy} onClick={() => void act('cancelJob', { jobId })}>
          {t('job.cancel')}
        </Button>
        {job.state === 'queued' ? <OtherPrinter job={job} /> : null}
      </Group>
    )
  }
  if (!needsPerson) return null
  return (
    <Group gap={8}>
      {job.state === 'unconfirmed' ? (
        <>
          <Button
            variant="default"
            disabled={isBusy}
            onClick={() => void act('resolveJob', { jobId, verdict: 'printed' })}
          >
            {t('job.itWasPrinted')}
          </Button>
          <Button
            variant="default"
            disabled={isBusy}
            onClick={() => void act('resolveJob', { jobId, verdict: 'not-printed' })}
          >
            {t('job.itWasNotPrinted')}
          </Button>
        </>
      ) : null}
      {isVoid ? null : (
        <>
          <Button variant="default" disabled={isBusy} onClick={() => void act('printJobAgain', { jobId })}>
            {t('job.printAgain')}
          </Button>
          <OtherPrinter job={job} />
        </>
      )}
      <Dismiss job={job} />
    </Group>
  )
}

/** Closes a job whose label is no longer needed, with a reason. */
function Dismiss({ job }: { job: PrintJob }) {
  const { t } = useTranslation()
  const { isBusy, act } = useLabelActions(job.shipmentId)
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" disabled={isBusy}>
          {t('job.dismiss')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {dismissalReasonSchema.options.map((reason) => (
          <Menu.Item
            key={reason}
            onClick={() => void act('resolveJob', { jobId: job.id, verdict: 'not-printed', reason })}
          >
            {sentenceCase(t(`job.dismissals.${reason}`))}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The actions on a job that waits for a person's decision. */
function Choices({ job }: { job: PrintJob }) {
  const { t } = useTranslation()
  const { isBusy, act } = useLabelActions(job.shipmentId)
  const jobId = job.id
  const openDialog = useDialogs((state) => state.open)
  const placing = useIsFetching({ queryKey: queryKey('askPlacement') }) > 0
  const asking = useIsFetching({ queryKey: queryKey('askLosses') }) > 0
  return (
    <Group gap={8}>
      {job.error?.code === 'zpl-needs-consent' ? (
        <Button variant="default" disabled={isBusy} onClick={() => void act('allowZplCommands', { jobId })}>
          {t('queue.allow')}
        </Button>
      ) : null}
      {job.error?.code === 'label-loses-content' ? (
        <Button
          disabled={isBusy}
          loading={asking}
          onClick={() => openDialog({ kind: 'losses', jobId: job.id })}
        >
          {t('losses.look')}
        </Button>
      ) : null}
      {job.error?.code === 'label-needs-placement' ? (
        <Button
          disabled={isBusy}
          loading={placing}
          onClick={() => openDialog({ kind: 'placement', jobId: job.id })}
        >
          {t('queue.choose')}
        </Button>
      ) : null}
      <OtherPrinter job={job} />
      <Button variant="default" disabled={isBusy} onClick={() => void act('cancelJob', { jobId })}>
        {t('job.cancel')}
      </Button>
    </Group>
  )
}

function OtherPrinter({ job }: { job: PrintJob }) {
  const { t } = useTranslation()
  const { isBusy, act } = useLabelActions(job.shipmentId)
  const printers = useSettings()?.printers
  const others = (printers ?? []).filter((printer) => printer.id !== job.printerId)
  if (others.length === 0) return null
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" disabled={isBusy}>
          {t('job.otherPrinter')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {others.map((printer) => (
          <Menu.Item
            key={printer.id}
            leftSection={<IconPrinter size={20} aria-hidden />}
            onClick={() => void act('moveJob', { jobId: job.id, printerId: printer.id })}
          >
            {getPrinterName(printer)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
