import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type TrackingOptions, trackingOptionsSchema } from '../../../shared/tracking'
import { useTrack } from './lookUp'
import styles from './track.module.css'

/** The four query parameters of a look-up, with the specification's values. */
export function TrackOptions() {
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
