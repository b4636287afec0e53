import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Upload } from '../../../shared/consignments'
import { formatMoment, formatNumber } from '../../locales/format'
import { ErrorWords } from '../../ui/Callout'
import styles from './manifests.module.css'
import { Submission } from './Submission'
import { useManifests } from './stores'

/** What became of an upload, and the service's answer as it came. */
export function UploadResult({ upload }: { upload: Upload }) {
  const { t, i18n } = useTranslation()
  const answer = useManifests((state) => state.answers[upload.id])
  const { showAnswer, resolveUpload } = useManifests((state) => state)
  const { state, status, lines, parcels, packages, parcelWeight, resolvedAt, speaksOfErrors } = upload
  const when = resolvedAt === null ? '' : formatMoment(resolvedAt, i18n.language)
  const words = {
    accepted: resolvedAt
      ? t('manifests.resolvedAccepted', { when })
      : t('manifests.resultAccepted', { status }),
    refused: resolvedAt ? t('manifests.resolvedRefused', { when }) : t('manifests.resultRefused'),
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
    <Submission
      kind="upload"
      state={state}
      doubtful={speaksOfErrors}
      onResolve={(verdict) => resolveUpload(upload.id, verdict)}
      words={
        <>
          <p>
            <strong>{words[state]}</strong>
          </p>
          <p>{facts.join(' · ')}</p>
          {state === 'accepted' && !resolvedAt ? (
            <p>{speaksOfErrors ? t('manifests.speaksOfErrors') : t('manifests.answerMeansNothing')}</p>
          ) : null}
          {upload.error ? <ErrorWords error={upload.error} /> : null}
        </>
      }
    >
      {status === null ? null : answer === undefined ? (
        <div>
          <Button variant="default" onClick={() => void showAnswer(upload.id)}>
            {t('manifests.showAnswer')}
          </Button>
        </div>
      ) : (
        <Answer content={answer} />
      )}
    </Submission>
  )
}

function Answer({ content }: { content: string }) {
  const { t } = useTranslation()
  if (content === '') return <p>{t('manifests.answerNone')}</p>
  return (
    <section className={styles.answer} aria-label={t('manifests.answer')}>
      <pre>{content}</pre>
    </section>
  )
}
