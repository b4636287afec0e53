import { Button, Group, Switch } from '@mantine/core'
import { IconEye, IconPrinter, IconReload } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type PrinterStatus, type PrintJob, printJobStates } from '../../../shared/printing'
import { useBridgeMutation, useBridgeQuery, useStatus } from '../../bridge'
import { formatMoment } from '../../i18n/format'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { useDialogs } from '../../ui/dialogs'
import { JobLine } from '../../ui/JobLine'
import { useLabelActions } from '../../ui/labelActions'
import { useNavigation } from '../../ui/navigation'
import { Empty } from '../../ui/Panel'
import { useStableWhilePressed } from '../../ui/useStableWhilePressed'
import { PrinterPanel } from './PrinterPanel'
import styles from './queue.module.css'

/** At most this many ended jobs are shown. */
const maxEndedShown = 100

/** Whether a job has ended and needs nobody. */
function hasEnded(job: Pick<PrintJob, 'state'>): boolean {
  return printJobStates.ended.includes(job.state)
}

const none: readonly PrinterStatus[] = []

/** All printers and their jobs, with the actions on them. */
export function QueueScreen() {
  const { t } = useTranslation()
  const printers = useStatus((status) => status.printers) ?? none
  const { data: newest, error } = useBridgeQuery('listQueue', undefined)
  // A label that ends moves the rows below it, so that the press would act on another label.
  const data = useStableWhilePressed(newest)
  const { goToSettings, endedJobsShown: showEnded, showEndedJobs } = useNavigation((state) => state)
  const loaded = data !== undefined
  const ended = data?.filter(hasEnded).slice(-maxEndedShown) ?? []
  const jobs = data?.filter((job) => !hasEnded(job) || ended.includes(job)) ?? []
  const open = jobs.filter((job) => !hasEnded(job))
  const shown = showEnded ? jobs : open
  const again = useBridgeMutation('printAllAgain')
  const [leftOut, setLeftOut] = useState(0)
  return (
    <div className={styles.screen}>
      <div className={styles.printers}>
        <h1 className="pb-title">{t('queue.title')}</h1>
        <ErrorCallout error={error} />
        {printers.map((printer) => (
          <PrinterPanel key={printer.id} printer={printer} />
        ))}
        {printers.length === 0 ? (
          <>
            <p>{t('queue.noPrinters')}</p>
            <Button onClick={() => goToSettings('printers')}>{t('queue.addPrinter')}</Button>
          </>
        ) : null}
      </div>
      <div className={styles.jobs}>
        <Group justify="space-between" gap={12} mih={36}>
          <p role="status">{loaded ? t('queue.count', { count: open.length }) : ''}</p>
          <Switch
            label={t('queue.showThrough')}
            checked={showEnded}
            // The focus starts here and not on «Pause»: a key meant for the previous screen must not pause a printer.
            data-home
            onChange={(event) => showEndedJobs(event.currentTarget.checked)}
          />
        </Group>
        <ErrorCallout error={again.error} />
        {leftOut > 0 ? <Callout tone="attention">{t('queue.leftOut', { count: leftOut })}</Callout> : null}
        {loaded && shown.length === 0 ? (
          <Empty
            icon={<IconPrinter size={48} stroke={1.3} aria-hidden />}
            title={t('queue.nothing')}
            hint={t('queue.nothingHint')}
          />
        ) : null}
        {getGroups(shown, printers).map(([printerId, own]) => (
          <section key={printerId} aria-label={t('queue.jobsOf', { printer: getPrinterName(own) })}>
            <GroupTop
              jobs={own}
              hasPrinter={printers.some(({ id }) => id === printerId)}
              disabled={again.isPending}
              onPrintAllAgain={(labels) =>
                again.mutate({ printerId }, { onSuccess: (made) => setLeftOut(labels - made.length) })
              }
            />
            <ul>
              {own.map((job) => (
                <QueueRow key={job.id} job={job} />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  )
}

interface GroupTopProps {
  jobs: readonly PrintJob[]
  /** Whether their printer is in the settings. */
  hasPrinter: boolean
  disabled: boolean
  /** Called with the number of labels that the button names. */
  onPrintAllAgain: (labels: number) => void
}

/** The printer's name above its jobs, and a button that reprints all failed ones on it. */
function GroupTop({ jobs, hasPrinter, disabled, onPrintAllAgain }: GroupTopProps) {
  const { t } = useTranslation()
  const failed = jobs.filter(({ state }) => state === 'failed')
  // A label that failed more than once is printed once.
  const labels = new Set(
    failed.map(({ shipmentId, labelId, language, pages }) =>
      JSON.stringify([shipmentId, labelId, language, pages?.from, pages?.to]),
    ),
  ).size
  return (
    <Group justify="space-between" gap="6px 14px" mb={8}>
      <h2 className={styles.groupTitle}>{getPrinterName(jobs)}</h2>
      {failed.length > 1 && hasPrinter ? (
        <Button
          variant="default"
          disabled={disabled}
          aria-label={t('queue.printAllAgainOf', { printer: getPrinterName(jobs), count: labels })}
          leftSection={<IconReload size={20} aria-hidden />}
          onClick={() => onPrintAllAgain(labels)}
        >
          {t('queue.printAllAgain', { count: labels })}
        </Button>
      ) : null}
    </Group>
  )
}

/** Whether one line suffices for a job: it is waiting, being sent or ended, without a problem. */
function fitsOneLine({ state, note, error, cancelledAt }: PrintJob): boolean {
  return note === null && error === null && state !== 'unconfirmed' && cancelledAt === undefined
}

function QueueRow({ job }: { job: PrintJob }) {
  const { t, i18n } = useTranslation()
  const showShipment = useNavigation((state) => state.showShipment)
  const openDialog = useDialogs((state) => state.open)
  const { labelId, printerId, pages, cancelledAt } = job
  const { error } = useLabelActions(job.shipmentId)
  return (
    <li className={fitsOneLine(job) ? `${styles.row} ${styles.quiet}` : styles.row}>
      <div className={styles.rowTop}>
        <button
          type="button"
          className={styles.reference}
          onClick={() => showShipment(job.shipmentId, job.station === undefined ? 'this' : 'all')}
        >
          {job.document === 'invoice' ? t('queue.invoiceFor', { reference: job.reference }) : job.reference}
        </button>
        <span className="pb-mono">{job.barcode}</span>
        {labelId === null || cancelledAt !== undefined ? null : (
          <Button
            variant="subtle"
            aria-label={t('queue.previewOf', { reference: job.reference })}
            leftSection={<IconEye size={20} aria-hidden />}
            onClick={() => openDialog({ kind: 'preview', labelIds: [labelId], printerId, pages })}
          >
            {t('queue.preview')}
          </Button>
        )}
      </div>
      {cancelledAt === undefined ? null : (
        <p>{t('historyTable.cancelledAt', { when: formatMoment(cancelledAt, i18n.language) })}</p>
      )}
      <ul>
        <JobLine job={job} />
      </ul>
      {error && !hasEnded(job) ? <ErrorCallout error={error} /> : null}
    </li>
  )
}

/**
 * Jobs by printer, in the order of the printers, so that no section moves when a job ends; printers that are no longer
 * set up come last. Ended jobs come after the others, newest first.
 */
function getGroups(jobs: readonly PrintJob[], printers: readonly PrinterStatus[]): [string, PrintJob[]][] {
  const groups = new Map<string, PrintJob[]>(printers.map(({ id }) => [id, []]))
  for (const job of [...jobs.filter((each) => !hasEnded(each)), ...jobs.filter(hasEnded).reverse()]) {
    groups.set(job.printerId, [...(groups.get(job.printerId) ?? []), job])
  }
  return [...groups].filter(([, own]) => own.length > 0)
}

function getPrinterName(jobs: readonly PrintJob[]): string {
  return jobs[0]?.printerName ?? ''
}
