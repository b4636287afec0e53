import { Button, Group, Progress } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { UpdateStatus } from '../../../shared/updates'
import { useBridgeMutation, useBridgeQuery } from '../../bridge'
import { formatMoment } from '../../i18n/format'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { Panel } from '../../ui/Panel'
import styles from './settings.module.css'

/** The running version, the update server, and the way to a newer version. */
export function UpdatesPanel() {
  const { t, i18n } = useTranslation()
  const { data: status } = useBridgeQuery('getUpdateStatus', undefined)
  const look = useBridgeMutation('lookForUpdate')
  const restart = useBridgeMutation('restartToUpdate')
  if (status === undefined) return null
  const { version, settings, way, step, lookedAt, error } = status
  const canLook = settings !== null && way !== 'never'
  return (
    <Panel title={t('updates.group')}>
      <dl className={`pb-surface ${styles.facts}`}>
        <dt>{t('updates.version')}</dt>
        <dd>{version}</dd>
        {settings === null ? null : (
          <>
            <dt>{t('updates.server')}</dt>
            <dd>{t('updates.channel', settings)}</dd>
            <dt>{t('updates.looked')}</dt>
            <dd>{lookedAt === null ? t('updates.notLooked') : formatMoment(lookedAt, i18n.language)}</dd>
          </>
        )}
      </dl>
      <div role="status">
        <UpdateStep status={status} />
      </div>
      <ErrorCallout error={error} />
      {restart.error && restart.error.code !== error?.code ? <ErrorCallout error={restart.error} /> : null}
      {canLook ? (
        <Group align="stretch" gap={10}>
          {step === 'ready' ? (
            <Button
              disabled={status.hold !== null}
              loading={restart.isPending}
              onClick={() => restart.mutate(undefined)}
            >
              {t('updates.restart')}
            </Button>
          ) : null}
          <Button
            variant="default"
            disabled={step === 'looking' || step === 'downloading'}
            onClick={() => look.mutate(undefined)}
          >
            {t('updates.look')}
          </Button>
        </Group>
      ) : null}
    </Panel>
  )
}

function UpdateStep({
  status: { settings, way, step, offered, progress, hold, lookedAt, error },
}: {
  status: UpdateStatus
}) {
  const { t } = useTranslation()
  if (way === 'never') return <p>{t('updates.never')}</p>
  if (settings === null) return <p>{t('updates.off')}</p>
  if (step === 'looking') return <p>{t('updates.looking')}</p>
  if (step === 'downloading') {
    return (
      <>
        <p>{t('updates.downloading', { version: offered?.version ?? '' })}</p>
        <Progress value={progress * 100} size="lg" aria-label={t('updates.progress')} />
      </>
    )
  }
  if (step === 'ready') {
    return (
      <>
        <p>{t('updates.ready', { version: offered?.version ?? '' })}</p>
        {hold === null ? null : <Callout tone="attention">{t(`updates.hold.${hold}`)}</Callout>}
      </>
    )
  }
  if (offered !== null && way === 'by-hand') return <p>{t('updates.byHand', offered)}</p>
  return lookedAt === null || error !== null ? null : <p>{t('updates.upToDate')}</p>
}
