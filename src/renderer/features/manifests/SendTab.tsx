import { Checkbox, Progress, Stack } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ManifestDetails, UploadProgress } from '../../../shared/consignments'
import { formatMoment, formatNumber } from '../../i18n/format'
import { BusyButton } from '../../ui/BusyButton'
import { Callout } from '../../ui/Callout'
import { Panel } from '../../ui/Panel'
import { TextField } from '../../ui/TextField'
import { CancelledParcels, UnsentLines } from './LinesAdvice'
import { useOpenManifest } from './openManifestStore'
import { useCallState, useUpload } from './queries'
import { UploadResult } from './Submissions'

interface SendTabProps {
  page: ManifestDetails
  lockAgreed: boolean
}

/** Uploads the whole manifest, and shows the result. */
export function SendTab({ page, lockAgreed }: SendTabProps) {
  const { t } = useTranslation()
  const [known, setKnown] = useState(false)
  const [lock, setLock] = useState(false)
  const [lockNumber, setLockNumber] = useState('')
  const result = useRef<HTMLDivElement>(null)
  const { mutate: upload } = useUpload(page.id)
  const { busy } = useCallState(page.id)
  const progress = useOpenManifest((state) => state.progress)
  // The service already has all lines, so sending again needs a confirmation.
  const again = findAccepted(page) !== undefined
  const shown = page.uploads.find(({ state }) => state === 'unknown') ?? page.uploads[0]
  const { errors, lines } = page.summary
  const numberFits = lockNumber.trim() === page.airWaybillNumber
  const open = page.lock !== 'locked' && !page.unknownUpload
  const possible = errors === 0 && lines > 0 && open && (!again || known) && (!lock || numberFits)
  const clear = () => {
    setKnown(false)
    setLock(false)
    setLockNumber('')
    result.current?.focus()
  }
  const send = () =>
    upload(
      { manifestId: page.id, again: known, ...(lock && { lockNumber: lockNumber.trim() }) },
      { onSettled: clear },
    )
  return (
    <Stack gap={12}>
      <Panel title={t('manifests.send')}>
        <Stack gap={12}>
          <p>{t('manifests.sendText')}</p>
          <CancelledParcels page={page} />
          <UnsentLines page={page} />
          <Blockers page={page} />
          {again && open ? (
            <Checkbox
              label={t('manifests.knowAccepted')}
              checked={known}
              onChange={(event) => setKnown(event.currentTarget.checked)}
            />
          ) : null}
          {lockAgreed ? (
            <Checkbox
              label={t('manifests.lock')}
              description={t('manifests.lockHint')}
              checked={lock}
              onChange={(event) => setLock(event.currentTarget.checked)}
            />
          ) : (
            <p className="pb-soft">{t('manifests.lockNotAgreed')}</p>
          )}
          {lock ? (
            <TextField label={t('manifests.lockNumber')} value={lockNumber} onChange={setLockNumber} />
          ) : null}
          {progress === null ? null : <SendProgress progress={progress} lines={lines} />}
          <div>
            <BusyButton
              size="xl"
              disabled={!possible}
              busy={busy || progress !== null}
              leftSection={<IconSend size={24} aria-hidden />}
              onClick={send}
            >
              {t('manifests.send')}
            </BusyButton>
          </div>
        </Stack>
      </Panel>
      <div ref={result} role="status" tabIndex={-1}>
        {shown === undefined ? null : <UploadResult key={shown.id} upload={shown} page={page} />}
      </div>
    </Stack>
  )
}

function Blockers({ page }: { page: ManifestDetails }) {
  const { t, i18n } = useTranslation()
  const { errors, lines } = page.summary
  const accepted = findAccepted(page)
  if (page.lock === 'locked') return <Callout tone="info">{t('manifests.readOnly')}</Callout>
  if (page.unknownUpload) return <Callout tone="attention">{t('manifests.sendUnknown')}</Callout>
  if (lines === 0) return <Callout tone="attention">{t('manifests.sendEmpty')}</Callout>
  if (errors > 0) return <Callout tone="bad">{t('manifests.sendBlocked')}</Callout>
  if (accepted === undefined) return null
  const when = formatMoment(accepted.startedAt, i18n.language)
  return <Callout tone="info">{t('manifests.sendAgain', { when })}</Callout>
}

/** The newest accepted upload; a later one may have been refused. */
function findAccepted({ uploads }: ManifestDetails) {
  return uploads.find(({ state }) => state === 'accepted')
}

function SendProgress({ progress, lines }: { progress: UploadProgress; lines: number }) {
  const { t, i18n } = useTranslation()
  const { phase, sentBytes, totalBytes } = progress
  const megabytes = (bytes: number) => formatNumber(Math.round(bytes / 100_000) / 10, i18n.language)
  const words = {
    preparing: t('manifests.phasePreparing', { count: lines }),
    sending: t('manifests.phaseSending', { sent: megabytes(sentBytes), total: megabytes(totalBytes) }),
    waiting: t('manifests.phaseWaiting'),
    done: '',
  }
  return (
    <div role="status">
      <p>{words[phase]}</p>
      <Progress value={totalBytes === 0 ? 0 : (sentBytes / totalBytes) * 100} aria-label={words[phase]} />
    </div>
  )
}
