import { useTranslation } from 'react-i18next'
import { ChoiceSelect } from '../../ui/ChoiceSelect'
import { toChoices } from '../../ui/FormField'
import styles from './track.module.css'
import { useTrack } from './trackStore'

/** The four query parameters of a look-up, with the specification's values. */
export function TrackOptions() {
  const { t } = useTranslation()
  const options = useTrack((state) => state.options)
  const setOptions = useTrack((state) => state.setOptions)
  return (
    <div className={styles.options}>
      <ChoiceSelect
        label={t('track.type')}
        value={options.type}
        choices={toChoices({
          barcode: t('track.typeBarcode'),
          waybill: t('track.typeWaybill'),
          box: t('track.typeBox'),
        })}
        onChange={(type) => setOptions({ type })}
      />
      <ChoiceSelect
        label={t('track.details')}
        value={options.details}
        choices={toChoices({
          full: t('track.detailsFull'),
          lastStatus: t('track.detailsLastStatus'),
          minimal: t('track.detailsMinimal'),
        })}
        onChange={(details) => setOptions({ details })}
      />
      <ChoiceSelect
        label={t('track.flight')}
        value={options.flightTracking}
        choices={toChoices({
          include: t('track.flightInclude'),
          exclude: t('track.flightExclude'),
          only: t('track.flightOnly'),
        })}
        onChange={(flightTracking) => setOptions({ flightTracking })}
      />
      <ChoiceSelect
        label={t('track.language')}
        value={options.language}
        choices={toChoices({ en: t('track.languageEn'), nl: t('track.languageNl') })}
        onChange={(language) => setOptions({ language })}
      />
    </div>
  )
}
