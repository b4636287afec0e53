import { Box, Button, Flex, Group } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { AppStatus } from '../../../shared/app'
import { type AppError, temporaryStartErrors } from '../../../shared/errors'
import { findFile } from '../../../shared/sentences'
import { applyStatus, useBridgeMutation, useBridgeQuery } from '../../bridge'
import { formatDay } from '../../i18n/format'
import { Callout, ErrorCallout, ErrorWords } from '../../ui/Callout'
import { ConfirmButton } from '../../ui/ConfirmButton'
import { useNavigation } from '../../ui/navigation'
import { RestoreStation } from '../../ui/RestoreStation'
import { SaveDiagnostics } from '../../ui/SaveDiagnostics'
import styles from './startError.module.css'

function getNextStep(startError: AppError) {
  switch (startError.code) {
    case 'settings-invalid':
      return 'settings'
    case 'database-newer':
      return 'database'
    case 'database-damaged':
    case 'database-missing':
      return 'damaged'
    case 'database-checking':
      return 'checking'
    case 'history-missing':
      return 'history'
    case 'disk-full':
      return 'disk'
    case 'folder-not-writable':
      return 'folder'
    default:
      return 'other'
  }
}

/** The place in a file and the problem there. */
function toReason({ details }: AppError): string | undefined {
  return [details?.where, details?.problem].filter(Boolean).join(': ')
}

/** The actions on a start error, one at a time, and the result of the last one. */
function useStartErrorActions() {
  const client = useQueryClient()
  const options = { onSuccess: (status: AppStatus) => applyStatus(client, status) }
  const startErrorActions = {
    retryStart: useBridgeMutation('retryStart', options),
    setAsideSettings: useBridgeMutation('setAsideSettings', options),
    restoreBackup: useBridgeMutation('restoreBackup', options),
    rebuildHistory: useBridgeMutation('rebuildHistory', options),
    continueUnguarded: useBridgeMutation('continueUnguarded', options),
  }
  const [last] = Object.values(startErrorActions).toSorted(
    (one, other) => other.submittedAt - one.submittedAt,
  )
  return {
    startErrorActions,
    busy: Object.values(startErrorActions).some(({ isPending }) => isPending),
    error: last?.error,
    isStillThere: last?.data !== undefined && last.data.startError !== null,
  }
}

/** Shown when the app can't start: the problem, the file, and the possible actions. */
export function StartErrorScreen({ status, startError }: { status: AppStatus; startError: AppError }) {
  const { t } = useTranslation()
  const { startErrorActions, busy, error, isStillThere } = useStartErrorActions()
  const showHelp = useNavigation((state) => state.showHelp)
  const openFolder = useBridgeMutation('openDataFolder')
  const reason = toReason(startError)
  useDocumentTitle(`${t('startError.title')} — ${t('common.appName')}`)
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <div className={styles.head}>
          <IconAlertTriangle size={44} aria-hidden />
          <Box component="h1" fz={30} lh={1.2}>
            {t('startError.title')}
          </Box>
        </div>
        <div className={styles.words} role="alert">
          <ErrorWords error={startError} />
        </div>
        <dl className={styles.facts}>
          <dt>{t('startError.concerns')}</dt>
          <dd className="pb-mono">{findFile(startError.details ?? {}) ?? status.dataFolder}</dd>
          {reason ? (
            <>
              <dt>{t('common.reason')}</dt>
              <dd>{reason}</dd>
            </>
          ) : null}
          <dt>{t('startError.wayOn')}</dt>
          <dd>
            {t(`startError.wayOnByCode.${getNextStep(startError)}`)}{' '}
            {temporaryStartErrors.includes(startError.code) ? t('startError.triesAgain') : null}{' '}
            {t('startError.nothingChanged')}
          </dd>
        </dl>
        {isHistoryLost(startError) || startError.details?.backup !== undefined ? (
          <Backups busy={busy} onRestore={(name) => startErrorActions.restoreBackup.mutate({ name })} />
        ) : null}
        <ErrorCallout error={error} />
        <ErrorCallout error={openFolder.error} />
        {isStillThere ? <Callout tone="attention">{t('startError.stillThere')}</Callout> : null}
        <Group gap={12}>
          {isHistoryLost(startError) ? (
            <LostHistory
              busy={busy}
              onRebuild={() => startErrorActions.rebuildHistory.mutate(undefined)}
              onContinue={
                startError.code === 'database-damaged'
                  ? undefined
                  : () => startErrorActions.continueUnguarded.mutate(undefined)
              }
            />
          ) : null}
          <Button
            size="xl"
            variant={isHistoryLost(startError) ? 'default' : 'filled'}
            loading={busy}
            onClick={() => startErrorActions.retryStart.mutate(undefined)}
          >
            {t('common.tryAgain')}
          </Button>
          <Button size="xl" variant="default" onClick={() => openFolder.mutate(undefined)}>
            {t('startError.openDataFolder')}
          </Button>
          {isHistoryLost(startError) ? <RestoreStation size="xl" /> : null}
          <SaveDiagnostics size="xl" />
          <Button size="xl" variant="default" aria-keyshortcuts="F1" onClick={() => showHelp(true)}>
            {t('nav.help')}
          </Button>
          {startError.code === 'settings-invalid' ? (
            <SetAside busy={busy} onSetAside={() => startErrorActions.setAsideSettings.mutate(undefined)} />
          ) : null}
        </Group>
      </div>
    </main>
  )
}

/** Starting without the settings, which a person has to enter again. */
function SetAside({ busy, onSetAside }: { busy: boolean; onSetAside: () => void }) {
  const { t } = useTranslation()
  return (
    <ConfirmButton
      open={t('startError.setAside')}
      disabled={busy}
      title={t('startError.setAsideTitle')}
      confirm={t('startError.setAsideConfirm')}
      onConfirm={onSetAside}
    >
      <p>{t('startError.setAsideQuestion')}</p>
    </ConfirmButton>
  )
}

/** Whether the journal is unusable and must be restored from a backup or rebuilt from the labels folder. */
function isHistoryLost({ code }: AppError): boolean {
  return code === 'history-missing' || code === 'database-damaged' || code === 'database-missing'
}

/** The backups of the database, each with a restore button. The file tells two of one day apart. */
function Backups({ busy, onRestore }: { busy: boolean; onRestore: (name: string) => void }) {
  const { t, i18n } = useTranslation()
  const { data, isPending } = useBridgeQuery('listBackups', undefined)
  if (isPending) return null
  const backups = data ?? []
  return (
    <section aria-label={t('startError.backups')}>
      <Box component="h2" fz={18}>
        {t('startError.backups')}
      </Box>
      {backups.length === 0 ? <p>{t('startError.noBackups')}</p> : null}
      <Flex component="ul" direction="column" gap={8} m="8px 0 0">
        {backups.map(({ name, day, shipments }) => (
          <li key={name} className={styles.backup}>
            <span>{formatDay(day, i18n.language)}</span>
            <span>
              <span>{t('startError.backupShipments', { count: shipments })}</span>{' '}
              <span id={name} className={`${styles.backupFile} pb-mono pb-soft`}>
                {name}
              </span>
            </span>
            <Button
              variant="default"
              disabled={busy}
              aria-describedby={name}
              aria-label={t('startError.restoreOf', { day: formatDay(day, i18n.language) })}
              onClick={() => onRestore(name)}
            >
              {t('startError.restore')}
            </Button>
          </li>
        ))}
      </Flex>
    </section>
  )
}

interface LostHistoryProps {
  busy: boolean
  onRebuild: () => void
  /** Undefined if the app can't run without the history. */
  onContinue: (() => void) | undefined
}

/** Rebuilding the history, which is the safe choice, and continuing without it. */
function LostHistory({ busy, onRebuild, onContinue }: LostHistoryProps) {
  const { t } = useTranslation()
  return (
    <>
      <Button size="xl" loading={busy} onClick={onRebuild}>
        {t('startError.rebuild')}
      </Button>
      {onContinue ? (
        <ConfirmButton
          open={t('startError.continueUnguarded')}
          disabled={busy}
          title={t('startError.continueTitle')}
          confirm={t('startError.continueUnguarded')}
          onConfirm={onContinue}
        >
          <p>{t('startError.continueQuestion')}</p>
        </ConfirmButton>
      ) : null}
    </>
  )
}
