import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { ManifestDetails, PreAlert } from '../../../shared/consignments'
import { formatDay, formatMoment, formatNumber } from '../../locales/format'
import { ErrorWords, ServiceWords } from '../../ui/Callout'
import styles from './manifests.module.css'
import { Submission } from './Submission'
import { usePreAlerts } from './stores'

/** What became of a pre-alert, and its figures beside those that are known here. */
export function PreAlertResult({ preAlert, page }: { preAlert: PreAlert; page: ManifestDetails }) {
  const { t, i18n } = useTranslation()
  const resolve = usePreAlerts((state) => state.resolve)
  const { resolvedAt } = preAlert
  const when = resolvedAt === null ? '' : formatMoment(resolvedAt, i18n.language)
  const words = {
    accepted: resolvedAt ? t('manifests.resolvedAccepted', { when }) : t('manifests.preAlertAccepted'),
    refused: resolvedAt ? t('manifests.resolvedRefused', { when }) : t('manifests.preAlertRefused'),
    unknown: t('manifests.preAlertUnknown'),
    sending: t('manifests.resultSending'),
  }
  const message = preAlert.answer?.message
  return (
    <Submission
      kind="pre-alert"
      state={preAlert.state}
      onResolve={(verdict) => resolve(page.id, preAlert.id, verdict)}
      words={
        <>
          <p>
            <strong>{words[preAlert.state]}</strong>
          </p>
          <p>
            {formatMoment(preAlert.sentAt, i18n.language)} · {preAlert.fileName} · {t('manifests.eta')}:{' '}
            {formatDay(preAlert.estimatedTimeOfArrival, i18n.language)}
          </p>
          {preAlert.error ? (
            <ErrorWords error={preAlert.error} />
          ) : message ? (
            <ServiceWords words={message} />
          ) : null}
        </>
      }
    >
      {preAlert.answer?.totalParcels === null || preAlert.answer === null ? null : (
        <Comparison preAlert={preAlert} page={page} />
      )}
    </Submission>
  )
}

interface Figure {
  name: string
  ours: string
  theirs: string
}

/** The figures of the upload that the service had when the pre-alert was sent, beside what it says. */
function figuresOf(preAlert: PreAlert, page: ManifestDetails) {
  const accepted = page.uploads.filter(
    ({ state, startedAt }) => state === 'accepted' && startedAt < preAlert.sentAt,
  )
  return accepted[0]
}

function Comparison({ preAlert, page }: { preAlert: PreAlert; page: ManifestDetails }) {
  const { t, i18n } = useTranslation()
  const { answer } = preAlert
  if (answer === null) return null
  const upload = figuresOf(preAlert, page)
  const number = (value: number | null | undefined) =>
    value === null || value === undefined ? t('common.none') : formatNumber(value, i18n.language)
  const flag = (value: boolean | null) =>
    value === null ? t('common.none') : value ? t('common.yes') : t('common.no')
  const text = (value: string | null) => value ?? t('common.none')
  const figures: Figure[] = [
    {
      name: t('manifests.newNumber'),
      ours: preAlert.airWaybillNumber,
      theirs: text(answer.airWaybillNumber),
    },
    {
      name: t('manifests.eta'),
      ours: preAlert.estimatedTimeOfArrival,
      theirs: text(answer.estimatedTimeOfArrival),
    },
    {
      name: t('manifests.grossWeight'),
      ours: number(preAlert.grossWeight),
      theirs: number(answer.submittedGrossWeight),
    },
    { name: t('manifests.boxes'), ours: number(upload?.packages), theirs: number(answer.boxes) },
    { name: t('manifests.parcels'), ours: number(upload?.parcels), theirs: number(answer.totalParcels) },
    {
      name: t('manifests.totalManifestWeight'),
      ours: number(upload?.parcelWeight),
      theirs: number(answer.totalManifestWeight),
    },
    {
      name: t('manifests.lockState'),
      ours:
        upload === undefined
          ? t('common.none')
          : flag(page.uploads.some((each) => each.lockAsked && each.state === 'accepted')),
      theirs: flag(answer.iossManifestLocked),
    },
    { name: t('manifests.carrier'), ours: t('common.none'), theirs: text(answer.carrierName) },
    {
      name: t('manifests.prefix'),
      ours: preAlert.airWaybillNumber.slice(0, 3),
      theirs: text(answer.awbPrefix),
    },
  ]
  return (
    <table className={styles.comparison}>
      <caption>{t('manifests.compare')}</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">{t('manifests.ours')}</th>
          <th scope="col">{t('manifests.serviceHas')}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {figures.map((figure) => (
          <FigureRow key={figure.name} figure={figure} none={t('common.none')} />
        ))}
      </tbody>
    </table>
  )
}

function FigureRow({ figure: { name, ours, theirs }, none }: { figure: Figure; none: string }) {
  const { t } = useTranslation()
  const differs = ours !== none && theirs !== none && ours !== theirs
  return (
    <tr data-differs={differs || undefined}>
      <th scope="row">{name}</th>
      <td>{ours}</td>
      <td>{theirs}</td>
      <td>
        {differs ? (
          <span className={styles.differs}>
            <IconAlertTriangle size={18} aria-hidden /> {t('manifests.differs')}
          </span>
        ) : null}
      </td>
    </tr>
  )
}
