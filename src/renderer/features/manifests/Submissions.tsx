import { Box, Button, Flex, Stack } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { ManifestDetails, PreAlert, Upload } from '../../../shared/consignments'
import { useBridgeMutation } from '../../bridge'
import { formatDay, formatMoment, formatNumber } from '../../i18n/format'
import { Callout, ErrorWords, ServiceWords } from '../../ui/Callout'
import styles from './manifests.module.css'
import { usePreAlerts, useStorePreAlertPage } from './preAlertStore'
import { pageCallOptions, useAnswer, useCallState, useReload, useStorePage } from './queries'

/** Everything that was sent for an air waybill, newest first. */
export function HistoryTab({ page }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const entries = [
    ...page.uploads.map((upload) => ({ sent: upload, upload, preAlert: null })),
    ...page.preAlerts.map((preAlert) => ({ sent: preAlert, upload: null, preAlert })),
  ].sort((one, other) => other.sent.sentNumber - one.sent.sentNumber)
  if (entries.length === 0) return <p>{t('manifests.historyEmpty')}</p>
  return (
    <Flex component="ol" direction="column" gap={12}>
      {entries.map(({ sent, upload, preAlert }) => (
        <li key={sent.id}>
          <Box component="h2" mb={8} fz={17} fw={650}>
            {upload ? t('manifests.upload') : t('manifests.tabPreAlert')}
          </Box>
          {upload ? <UploadResult upload={upload} page={page} /> : null}
          {preAlert ? <PreAlertResult preAlert={preAlert} page={page} /> : null}
        </li>
      ))}
    </Flex>
  )
}

type Verdict = 'accepted' | 'refused'

interface SubmissionProps {
  manifestId: string
  kind: 'upload' | 'pre-alert'
  state: 'sending' | 'unknown' | Verdict
  /** The answer reports success but mentions errors, so a person has to check it. */
  uncertain?: boolean
  /** The outcome. */
  words: ReactNode
  /** A person resolves an unknown outcome. */
  onResolve: (verdict: Verdict, onSettled: () => void) => void
  /** The service's answer. */
  children: ReactNode
}

const tones = { accepted: 'good', refused: 'bad', sending: 'info' } as const

/** An upload or pre-alert: its outcome, and for an unknown one the buttons that resolve it. */
function Submission({ manifestId, kind, state, uncertain, words, onResolve, children }: SubmissionProps) {
  const { t } = useTranslation()
  const root = useRef<HTMLDivElement>(null)
  const { busy } = useCallState(manifestId)
  // The buttons disappear, so the keyboard focus moves to the result.
  const focusResult = () => root.current?.focus()
  const verdictButton = (verdict: Verdict, text: string) => (
    <Button variant="default" disabled={busy} onClick={() => onResolve(verdict, focusResult)}>
      {text}
    </Button>
  )
  return (
    <Stack ref={root} tabIndex={-1} data-testid={kind} data-state={state} gap={12}>
      {state === 'unknown' ? (
        <Callout
          tone="attention"
          actions={
            <>
              {verdictButton('accepted', t('manifests.itWasAccepted'))}
              {verdictButton('refused', t('manifests.itWasNot'))}
            </>
          }
        >
          {words}
          <p>{t(`mayHaveArrived.${kind === 'upload' ? 'manifest' : 'pre-alert'}`)}</p>
        </Callout>
      ) : (
        <Callout tone={uncertain ? 'attention' : tones[state]}>{words}</Callout>
      )}
      {children}
    </Stack>
  )
}

/** The outcome of an upload, with the service's unchanged answer. */
export function UploadResult({ upload, page }: { upload: Upload; page: ManifestDetails }) {
  const { t, i18n } = useTranslation()
  const { data: answer, refetch: showAnswer } = useAnswer(upload.id)
  const { mutate: resolve } = useBridgeMutation('resolveSubmission', {
    ...pageCallOptions(page.id),
    onSuccess: useStorePage(),
  })
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
    lines > 0 ? t('manifests.uploadFacts', { lines, parcels, packages, weight }) : '',
    upload.lockAsked ? t('manifests.lockAskedWord') : '',
    upload.operator ?? '',
    upload.resolvedBy === null ? '' : t('job.resolvedBy', { name: upload.resolvedBy }),
  ].filter((text) => text !== '')
  return (
    <Submission
      manifestId={page.id}
      kind="upload"
      state={state}
      uncertain={speaksOfErrors}
      onResolve={(verdict, onSettled) =>
        resolve({ manifestId: page.id, submissionId: upload.id, verdict }, { onSettled })
      }
      words={
        <>
          <p>
            <strong>{words[state]}</strong>
          </p>
          <p>{facts.join(' · ')}</p>
          {state === 'accepted' && !resolvedAt ? (
            <p>{speaksOfErrors ? t('manifests.speaksOfErrors') : t('manifests.answerMeansNothing')}</p>
          ) : null}
          <ErrorWords error={upload.error} />
        </>
      }
    >
      {status === null ? null : answer === undefined ? (
        <div>
          <Button variant="default" onClick={() => void showAnswer()}>
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

/** The outcome of a pre-alert, with the service's figures compared with ours. */
export function PreAlertResult({ preAlert, page }: { preAlert: PreAlert; page: ManifestDetails }) {
  const { t, i18n } = useTranslation()
  const change = usePreAlerts((state) => state.change)
  const reload = useReload(page.id)
  const { mutate: resolve } = useBridgeMutation('resolveSubmission', {
    onSuccess: useStorePreAlertPage(),
    onError: (error) => {
      change(page.id, { error })
      return reload()
    },
  })
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
      manifestId={page.id}
      kind="pre-alert"
      state={preAlert.state}
      onResolve={(verdict, onSettled) =>
        resolve({ manifestId: page.id, submissionId: preAlert.id, verdict }, { onSettled })
      }
      words={
        <>
          <p>
            <strong>{words[preAlert.state]}</strong>
          </p>
          <p>
            {formatMoment(preAlert.sentAt, i18n.language)} · {preAlert.fileName} · {t('manifests.eta')}:{' '}
            {formatDay(preAlert.estimatedTimeOfArrival, i18n.language)}
            {preAlert.operator === null ? '' : ` · ${preAlert.operator}`}
            {preAlert.resolvedBy === null ? '' : ` · ${t('job.resolvedBy', { name: preAlert.resolvedBy })}`}
          </p>
          {preAlert.error ? (
            <ErrorWords error={preAlert.error} />
          ) : message ? (
            <ServiceWords words={message} />
          ) : null}
        </>
      }
    >
      {hasFigures(preAlert) ? <Comparison preAlert={preAlert} page={page} /> : null}
    </Submission>
  )
}

/** Whether the service's answer states anything to compare. */
function hasFigures({ answer }: PreAlert): boolean {
  const { message: _, ...figures } = answer ?? { message: null }
  return Object.values(figures).some((figure) => figure !== null)
}

interface Figure {
  name: string
  ours: string
  theirs: string
}

/** The accepted uploads before the pre-alert, newest first. */
function listUploadsBefore(preAlert: PreAlert, page: ManifestDetails) {
  return page.uploads.filter(
    ({ state, sentNumber }) => state === 'accepted' && sentNumber < preAlert.sentNumber,
  )
}

function Comparison({ preAlert, page }: { preAlert: PreAlert; page: ManifestDetails }) {
  const { t, i18n } = useTranslation()
  const { answer } = preAlert
  if (answer === null) return null
  const uploads = listUploadsBefore(preAlert, page)
  // Of an upload that a restored database does not know, the content is unknown.
  const upload = uploads.find(({ lines }) => lines > 0)
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
      ours: upload === undefined ? t('common.none') : flag(uploads.some(({ lockAsked }) => lockAsked)),
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
          <Flex
            component="span"
            align="center"
            display="inline-flex"
            gap={5}
            c="var(--pb-attention)"
            fw={650}
          >
            <IconAlertTriangle size={18} aria-hidden /> {t('manifests.differs')}
          </Flex>
        ) : null}
      </td>
    </tr>
  )
}
