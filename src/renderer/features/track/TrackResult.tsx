import { Box, Button, Flex, Group } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TrackedCode, TrackingEvent } from '../../../shared/tracking'
import { formatMoment, formatWritten } from '../../i18n/format'
import { Callout } from '../../ui/Callout'
import { useNavigation } from '../../ui/navigation'
import { Panel } from '../../ui/Panel'
import { ParcelActionErrors, ParcelActions } from './ParcelActions'
import styles from './track.module.css'
import type { useLookUp } from './trackStore'

interface ResultProps {
  result: TrackedCode
  known: ReturnType<typeof useLookUp>
}

/** The result for a code: the last status in large type, then all events. */
export function TrackResult({ result, known }: ResultProps) {
  const { t, i18n } = useTranslation()
  if (!result.found) return <NotFound result={result} known={known} />
  const last = result.lastStatus ?? result.events[0] ?? null
  return (
    <>
      <StoredNote known={known} />
      <section className={styles.last} aria-label={t('track.lastStatus')}>
        <p className={styles.lastCode}>{result.code}</p>
        <p className={styles.lastText} data-testid="track-status" data-code={last?.code}>
          {last ? toName(last, t('track.statusCode', { code: last.code })) : t('track.noStatus')}
        </p>
        {last ? (
          <p className={styles.lastWhere}>
            {toFacts(last, t('track.statusCode', { code: last.code }), i18n.language)}
          </p>
        ) : null}
        <Ours known={known} />
      </section>
      <Timeline key={result.code} events={result.events} />
      <OtherCodes codes={result.others ?? []} />
      <Flights result={result} />
    </>
  )
}

/** A waybill may be known by its parcels only; then the code is correct. */
function NotFound({ result, known }: ResultProps) {
  const { t } = useTranslation()
  const { code, others = [] } = result
  const unknown = others.length === 0
  return (
    <>
      <Callout tone="attention">
        <p className={styles.notFound} data-testid="track-status">
          {unknown ? t('track.notFound', { code }) : t('track.onlyOthers', { code })}
        </p>
        {unknown ? <p>{t('track.notFoundHint')}</p> : null}
        <Ours known={known} />
      </Callout>
      <OtherCodes codes={others} />
      <Flights result={result} />
    </>
  )
}

/** The age of a stored timeline, and why it is not the service's current answer. */
function StoredNote({ known: { stored, busy, isLost, isSilent } }: Pick<ResultProps, 'known'>) {
  const { t, i18n } = useTranslation()
  if (stored === null) return null
  const names = { en: t('track.languageEn'), nl: t('track.languageNl') }
  const language = names[stored.language]
  const reason = isLost ? t('track.storedLost') : t(isSilent ? 'track.storedSilent' : 'track.storedOnly')
  return (
    <Callout tone={busy ? 'info' : 'attention'}>
      <p data-testid="track-stored">
        {t('track.storedSince', { moment: formatMoment(stored.askedAt, i18n.language), language })}{' '}
        {busy ? t('track.storedAsking') : reason}
      </p>
    </Callout>
  )
}

/** The name of an event: its description, else its code, location or time. */
function toName({ description, code, location, dateTime }: TrackingEvent, codeText: string): string {
  return description || (code === '' ? location || dateTime : codeText)
}

function toFacts({ location, dateTime, code }: TrackingEvent, codeText: string, language: string): string {
  return [location, formatWritten(dateTime, language), code === '' ? '' : codeText]
    .filter(Boolean)
    .join(' · ')
}

const eventsAtOnce = 100

function Timeline({ events }: { events: readonly TrackingEvent[] }) {
  const { t, i18n } = useTranslation()
  const [shown, setShown] = useState(eventsAtOnce)
  return (
    <Panel title={t('track.events')}>
      {events.length === 0 ? <p className="pb-soft">{t('track.noEvents')}</p> : null}
      <Box component="ol" mb={8}>
        {withKeys(events.slice(0, shown)).map(({ key, event }) => (
          <li key={key} className={styles.event}>
            <span className={styles.eventTime}>{formatWritten(event.dateTime, i18n.language)}</span>
            <span className={styles.eventText}>
              <strong>{event.description}</strong>
              <span className="pb-soft">
                {[event.location, event.code && t('track.statusCode', { code: event.code })]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </span>
          </li>
        ))}
      </Box>
      {events.length > shown ? (
        <Button variant="default" onClick={() => setShown(shown + eventsAtOnce)}>
          {t('track.showMoreEvents', { left: events.length - shown })}
        </Button>
      ) : null}
      <p className="pb-soft">{t('track.asWritten')}</p>
    </Panel>
  )
}

/** Events may be identical; a repeated one gets another key. */
function withKeys(events: readonly TrackingEvent[]): { key: string; event: TrackingEvent }[] {
  const used = new Map<string, number>()
  return events.map((event) => {
    const facts = `${event.itemNumber} ${event.code} ${event.dateTime} ${event.location}`
    const times = used.get(facts) ?? 0
    used.set(facts, times + 1)
    return { key: `${facts} ${times}`, event }
  })
}

/** The specification gives flight elements no structure: they are shown with the service's names. */
function Flights({ result }: { result: TrackedCode }) {
  const { t } = useTranslation()
  const { flights = [] } = result
  if (flights.length === 0) return null
  return (
    <Panel title={t('track.flights')}>
      <ul className={styles.flights}>
        {flights.map((fields) => (
          <li key={JSON.stringify(fields)}>
            {Object.entries(fields)
              .map(([name, text]) => (name === '' ? text : `${name}: ${text}`))
              .join(' · ')}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** Codes as buttons that look them up. */
function CodeList({
  codes,
  label,
  onLookUp,
}: {
  codes: readonly string[]
  label?: string
  onLookUp: (code: string) => void
}) {
  const { t } = useTranslation()
  return (
    <Flex component="ul" wrap="wrap" gap={8} aria-label={label}>
      {codes.map((code) => (
        <li key={code}>
          <Button
            variant="default"
            aria-label={t('track.lookUpCode', { code })}
            onClick={() => onLookUp(code)}
          >
            <span className={styles.otherCode}>{code}</span>
          </Button>
        </li>
      ))}
    </Flex>
  )
}

/** The shipment of a code in the station and its fleet, with its other parcels. */
export function Ours({ known: { ours, otherParcels } }: Pick<ResultProps, 'known'>) {
  const { t } = useTranslation()
  const lookUp = useNavigation((state) => state.lookUp)
  if (!ours) return null
  const { reference, station } = ours
  return (
    <Group gap={12} mt={8}>
      <span>{t(station === undefined ? 'track.ours' : 'track.oursElsewhere', { reference, station })}</span>
      <ParcelActions shipment={ours} />
      {otherParcels.length === 0 ? null : (
        <CodeList codes={otherParcels} label={t('track.otherParcels')} onLookUp={lookUp} />
      )}
      <ParcelActionErrors shipmentIds={[ours.id]} />
    </Group>
  )
}

/** Codes that the service returned besides the requested one. */
function OtherCodes({ codes }: { codes: readonly string[] }) {
  const { t } = useTranslation()
  const lookUp = useNavigation((state) => state.lookUp)
  if (codes.length === 0) return null
  return (
    <Panel title={t('track.others')}>
      <CodeList codes={codes} onLookUp={lookUp} />
    </Panel>
  )
}
