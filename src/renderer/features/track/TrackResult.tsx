import { Button } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { TrackedCode, TrackingEvent } from '../../../shared/tracking'
import { useStores, useTrack } from '../../app/storesContext'
import { Callout } from '../../components/Callout'
import { Panel } from '../../components/Panel'
import styles from './track.module.css'

/** What the service said of a code: the last status large, then every event. */
export function TrackResult({ result }: { result: TrackedCode }) {
  const { t } = useTranslation()
  if (!result.found) {
    return (
      <Callout tone="attention">
        <p className={styles.notFound} data-testid="track-status">
          {t('track.notFound', { code: result.code })}
        </p>
        <p>{t('track.notFoundHint')}</p>
      </Callout>
    )
  }
  const last = result.lastStatus ?? result.events[0] ?? null
  return (
    <>
      <section className={styles.last} aria-label={t('track.lastStatus')}>
        <p className="pb-mono">{result.code}</p>
        <p className={styles.lastText} data-testid="track-status" data-code={last?.code}>
          {last ? last.description : t('track.noStatus')}
        </p>
        {last ? <Where event={last} /> : null}
        <Ours />
      </section>
      <Panel title={t('track.events')}>
        {result.events.length === 0 ? <p className="pb-soft">{t('track.noEvents')}</p> : null}
        <ol className={styles.events}>
          {result.events.map((event) => (
            <li key={`${event.itemNumber}-${event.code}-${event.dateTime}`} className={styles.event}>
              <span className={styles.eventTime}>{event.dateTime}</span>
              <span className={styles.eventText}>
                <strong>{event.description}</strong>
                <span className="pb-soft">
                  {[event.location, t('track.statusCode', { code: event.code })].filter(Boolean).join(' · ')}
                </span>
              </span>
            </li>
          ))}
        </ol>
        <p className="pb-soft">{t('track.asWritten')}</p>
      </Panel>
    </>
  )
}

function Where({ event }: { event: TrackingEvent }) {
  const { t } = useTranslation()
  return (
    <p className={styles.lastWhere}>
      {[event.location, event.dateTime, t('track.statusCode', { code: event.code })]
        .filter(Boolean)
        .join(' · ')}
    </p>
  )
}

function Ours() {
  const { t } = useTranslation()
  const { showShipment } = useStores()
  const ours = useTrack((state) => state.ours)
  if (!ours) return null
  return (
    <div className={styles.ours}>
      <span>{t('track.ours', { reference: ours.reference })}</span>
      <Button
        variant="default"
        leftSection={<IconHistory size={20} aria-hidden />}
        onClick={() => showShipment(ours.id)}
      >
        {t('track.showOurs')}
      </Button>
    </div>
  )
}
