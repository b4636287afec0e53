import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Upload } from '../../../shared/manifest'
import { useManifests } from '../../app/storesContext'
import { Callout, ErrorWords } from '../../components/Callout'
import { formatMoment, formatNumber } from '../../i18n/format'
import styles from './manifests.module.css'

const tones = { accepted: 'good', failed: 'bad', unknown: 'attention', sending: 'info' } as const

/** What became of an upload, and the service's answer as it came. */
export function UploadResult({ upload }: { upload: Upload }) {
  const { t, i18n } = useTranslation()
  const answer = useManifests((state) => state.answers[upload.id])
  const showAnswer = useManifests((state) => state.showAnswer)
  const { state, status, lines, parcels, packages, parcelWeight } = upload
  const words = {
    accepted: t('manifests.resultAccepted', { status }),
    failed: t('manifests.resultFailed'),
    unknown: t('manifests.resultUnknown'),
    sending: t('manifests.resultSending'),
  }
  const weight = formatNumber(parcelWeight, i18n.language)
  const facts = [
    formatMoment(upload.startedAt, i18n.language),
    t('manifests.uploadFacts', { lines, parcels, packages, weight }),
    upload.lockAsked ? t('manifests.lockAskedWord') : '',
  ].filter((text) => text !== '')
  return (
    <div data-testid="upload" data-state={state} className={styles.stack}>
      <Callout tone={tones[state]}>
        <p>
          <strong>{words[state]}</strong>
        </p>
        <p>{facts.join(' · ')}</p>
        {upload.error ? <ErrorWords error={upload.error} /> : null}
      </Callout>
      {upload.speaksOfErrors ? <Callout tone="attention">{t('manifests.speaksOfErrors')}</Callout> : null}
      {status === null ? null : answer === undefined ? (
        <div>
          <Button variant="default" onClick={() => void showAnswer(upload.id)}>
            {t('manifests.showAnswer')}
          </Button>
        </div>
      ) : (
        <Answer content={answer} />
      )}
    </div>
  )
}

function Answer({ content }: { content: string }) {
  const { t } = useTranslation()
  if (content === '') return <p>{t('manifests.answerNone')}</p>
  return (
    <section className={styles.answer} aria-label={t('manifests.answer')} tabIndex={0}>
      <pre>{content}</pre>
    </section>
  )
}
