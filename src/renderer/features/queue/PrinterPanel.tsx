import { Button, NativeSelect } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconHelpCircle,
  IconPlayerPause,
  IconPlayerPlay,
  IconPrinter,
  IconReload,
} from '@tabler/icons-react'
import { useEffect, useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { Printer, PrinterStatus } from '../../../shared/printing'
import { useSettings } from '../../bridge'
import { noteText } from '../../locales/printerText'
import { Badge } from '../../ui/Badge'
import { ErrorWords } from '../../ui/Callout'
import type { Look } from '../../ui/tone'
import styles from './queue.module.css'
import { useQueue } from './stores'

const looks: Record<PrinterStatus['state'], Look> = {
  ready: { tone: 'good', Icon: IconCircleCheck },
  busy: { tone: 'info', Icon: IconPrinter },
  trouble: { tone: 'bad', Icon: IconAlertTriangle },
  unknown: { tone: 'quiet', Icon: IconHelpCircle },
  paused: { tone: 'attention', Icon: IconPlayerPause },
}

/** One printer: how it is, how much waits for it, and its own moves. */
export function PrinterPanel({ printer }: { printer: PrinterStatus }) {
  const { t } = useTranslation()
  const titleId = useId()
  const { pause, reprintLast, busy } = useQueue((state) => state)
  const { id, name, state, note, error, waitingJobs } = printer
  const paused = state === 'paused'
  const hasSheets = holdsSheets(useSettings()?.printers.find((each) => each.id === id))
  return (
    <section className={styles.printer} aria-labelledby={titleId}>
      <div className={styles.printerTop}>
        <h2 id={titleId} className={styles.printerName}>
          {name}
        </h2>
        <Badge look={looks[state]} text={t(`queue.${state}`)} />
      </div>
      {note ? <p>{noteText(t, note)}</p> : null}
      {error ? <ErrorWords error={error} /> : null}
      {waitingJobs > 0 ? <p className="pb-soft">{t('queue.waiting', { count: waitingJobs })}</p> : null}
      {hasSheets ? <NextPlace printer={printer} /> : null}
      <div className={styles.moves}>
        <Button
          variant="default"
          disabled={busy}
          aria-label={t(paused ? 'queue.resumeOf' : 'queue.pauseOf', { printer: name })}
          leftSection={
            paused ? <IconPlayerPlay size={20} aria-hidden /> : <IconPlayerPause size={20} aria-hidden />
          }
          onClick={() => void pause(id, !paused)}
        >
          {t(paused ? 'queue.resume' : 'queue.pause')}
        </Button>
        <Button
          variant="default"
          disabled={busy}
          aria-label={t('queue.reprintLastOf', { printer: name })}
          leftSection={<IconReload size={20} aria-hidden />}
          onClick={() => void reprintLast(id)}
        >
          {t('queue.reprintLast')}
        </Button>
      </div>
    </section>
  )
}

function holdsSheets(printer: Printer | undefined): boolean {
  return printer?.driver === 'system' && printer.sheet !== undefined
}

/** Where the next label goes on a sheet of labels, so that a sheet that was begun is used up. */
function NextPlace({ printer }: { printer: PrinterStatus }) {
  const { t } = useTranslation()
  const { loadSheetPlace, setSheetPlace, busy } = useQueue((state) => state)
  const next = useQueue((state) => state.sheetPlaces[printer.id])
  // The printer is another object whenever its state changed, and a label that was printed takes a place.
  useEffect(() => {
    void loadSheetPlace(printer.id)
  }, [loadSheetPlace, printer])
  if (next === undefined) return null
  return (
    <NativeSelect
      label={t('queue.nextPlace')}
      description={t('queue.nextPlaceHint')}
      value={String(next.place)}
      disabled={busy}
      onChange={(event) => void setSheetPlace(printer.id, Number(event.currentTarget.value))}
      data={Array.from({ length: next.places }, (_, index) => ({
        value: String(index + 1),
        label: t('queue.placeOf', { place: index + 1, places: next.places }),
      }))}
    />
  )
}
