import { Button, Group, NativeSelect } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconHelpCircle,
  IconPlayerPause,
  IconPlayerPlay,
  IconPrinter,
  IconReload,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { Printer, PrinterStatus } from '../../../shared/printing'
import { queryKey, useBridgeMutation, useBridgeQuery, useSettings } from '../../bridge'
import { noteText } from '../../i18n/texts'
import { Badge } from '../../ui/Badge'
import { ErrorCallout, ErrorWords } from '../../ui/Callout'
import type { Look } from '../../ui/tone'
import styles from './queue.module.css'

const looks: Record<PrinterStatus['state'], Look> = {
  ready: { tone: 'good', Icon: IconCircleCheck },
  busy: { tone: 'info', Icon: IconPrinter },
  error: { tone: 'bad', Icon: IconAlertTriangle },
  unknown: { tone: 'quiet', Icon: IconHelpCircle },
  paused: { tone: 'attention', Icon: IconPlayerPause },
}

/** One printer: its state, its waiting jobs and its actions. */
export function PrinterPanel({ printer }: { printer: PrinterStatus }) {
  const { t } = useTranslation()
  const titleId = useId()
  const pause = useBridgeMutation('pausePrinter')
  const reprint = useBridgeMutation('reprintLast')
  const busy = pause.isPending || reprint.isPending
  const failure = pause.error ?? reprint.error
  const { id, name, state, note, error, waitingJobs } = printer
  const paused = state === 'paused'
  const hasSheets = holdsSheets(useSettings()?.printers.find((each) => each.id === id))
  return (
    <section className={styles.printer} aria-labelledby={titleId}>
      <Group gap="6px 14px">
        <h2 id={titleId} className={styles.printerName}>
          {name}
        </h2>
        <Badge look={looks[state]} text={t(`queue.${state}`)} />
      </Group>
      {note ? <p>{noteText(t, note)}</p> : null}
      <ErrorWords error={error} />
      {waitingJobs > 0 ? <p className="pb-soft">{t('queue.waiting', { count: waitingJobs })}</p> : null}
      {hasSheets ? <NextPlace printerId={id} /> : null}
      <ErrorCallout error={failure} />
      <Group gap={10}>
        <Button
          variant="default"
          disabled={busy}
          aria-label={t(paused ? 'queue.resumeOf' : 'queue.pauseOf', { printer: name })}
          leftSection={
            paused ? <IconPlayerPlay size={20} aria-hidden /> : <IconPlayerPause size={20} aria-hidden />
          }
          onClick={() => pause.mutate({ printerId: id, paused: !paused })}
        >
          {t(paused ? 'queue.resume' : 'queue.pause')}
        </Button>
        <Button
          variant="default"
          disabled={busy}
          aria-label={t('queue.reprintLastOf', { printer: name })}
          leftSection={<IconReload size={20} aria-hidden />}
          onClick={() => reprint.mutate({ printerId: id })}
        >
          {t('queue.reprintLast')}
        </Button>
      </Group>
    </section>
  )
}

function holdsSheets(printer: Printer | undefined): boolean {
  return printer?.driver === 'system' && printer.sheet !== undefined
}

/** The place of the next label on a sheet of labels, so that a partly used sheet can be used up. */
function NextPlace({ printerId }: { printerId: string }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { data: next } = useBridgeQuery('getSheetPlace', { printerId })
  const { mutate, isPending, error } = useBridgeMutation('setSheetPlace', {
    onSuccess: (place) => client.setQueryData(queryKey('getSheetPlace', { printerId }), place),
  })
  if (next === undefined) return null
  return (
    <NativeSelect
      label={t('queue.nextPlace')}
      description={t('queue.nextPlaceHint')}
      value={String(next.place)}
      disabled={isPending}
      error={error ? <ErrorWords error={error} /> : undefined}
      onChange={(event) => mutate({ printerId, place: Number(event.currentTarget.value) })}
      data={Array.from({ length: next.places }, (_, index) => ({
        value: String(index + 1),
        label: t('queue.sheetPlace', { place: index + 1, places: next.places }),
      }))}
    />
  )
}
