import { Button, NativeSelect } from '@mantine/core'
import { IconRoute, IconSearch } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { type TrackingOptions, trackingOptionsSchema } from '../../../shared/tracking'
import { useTrack } from '../../app/storesContext'
import { ErrorCallout } from '../../components/Callout'
import { Empty } from '../../components/Panel'
import { TextField } from '../../components/TextField'
import { TrackResult } from './TrackResult'
import styles from './track.module.css'

/** Looks up one tracking code at the service. */
export function TrackScreen() {
  const { t } = useTranslation()
  const result = useTrack((state) => state.result)
  const error = useTrack((state) => state.error)
  const busy = useTrack((state) => state.busy)
  return (
    <div className={styles.screen}>
      <h1 className="pb-title">{t('track.title')}</h1>
      <LookUpForm />
      <div className={styles.result} aria-live="polite" aria-busy={busy}>
        {error ? <ErrorCallout error={error} /> : null}
        {result ? <TrackResult result={result} /> : null}
        {!result && !error ? (
          <Empty
            icon={<IconRoute size={56} stroke={1.3} aria-hidden />}
            title={busy ? t('track.lookingUp') : t('track.emptyTitle')}
            hint={busy ? '' : t('track.emptyHint')}
          />
        ) : null}
      </div>
    </div>
  )
}

function LookUpForm() {
  const { t } = useTranslation()
  const { code, codeMissing, busy, setCode, lookUp } = useTrack((state) => state)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    input.current?.focus()
    input.current?.select()
  }, [])
  return (
    <section className={styles.form} aria-label={t('track.form')}>
      <div className={styles.code}>
        <TextField
          ref={input}
          className={styles.codeField}
          label={t('track.code')}
          value={code}
          onChange={setCode}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            event.currentTarget.select()
            void lookUp()
          }}
          fault={codeMissing ? t('track.codeNeeded') : undefined}
          maxLength={10_000}
        />
        <Button
          className={styles.lookUp}
          loading={busy}
          leftSection={<IconSearch size={20} aria-hidden />}
          onClick={() => void lookUp()}
        >
          {t('track.lookUp')}
        </Button>
      </div>
      <Options />
    </section>
  )
}

function Options() {
  const { t } = useTranslation()
  return (
    <div className={styles.options}>
      <OptionSelect
        name="type"
        label={t('track.type')}
        words={{ barcode: t('track.typeBarcode'), waybill: t('track.typeWaybill'), box: t('track.typeBox') }}
      />
      <OptionSelect
        name="details"
        label={t('track.details')}
        words={{
          full: t('track.detailsFull'),
          lastStatus: t('track.detailsLastStatus'),
          minimal: t('track.detailsMinimal'),
        }}
      />
      <OptionSelect
        name="flightTracking"
        label={t('track.flight')}
        words={{
          include: t('track.flightInclude'),
          exclude: t('track.flightExclude'),
          only: t('track.flightOnly'),
        }}
      />
      <OptionSelect
        name="language"
        label={t('track.language')}
        words={{ en: t('track.languageEn'), nl: t('track.languageNl') }}
      />
    </div>
  )
}

interface OptionSelectProps<Name extends keyof TrackingOptions> {
  name: Name
  label: string
  words: Record<TrackingOptions[Name], string>
}

function OptionSelect<Name extends keyof TrackingOptions>({ name, label, words }: OptionSelectProps<Name>) {
  const value = useTrack((state) => state.options[name])
  const setOptions = useTrack((state) => state.setOptions)
  const entries: [string, string][] = Object.entries(words)
  return (
    <NativeSelect
      label={label}
      value={value}
      data={entries.map(([option, text]) => ({ value: option, label: text }))}
      onChange={(event) => {
        const change = trackingOptionsSchema.partial().safeParse({ [name]: event.currentTarget.value })
        if (change.success) setOptions(change.data)
      }}
    />
  )
}
