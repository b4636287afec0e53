import { Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppStatus } from '../../../shared/appStatus'
import type { AppError } from '../../../shared/errors'
import { useStation } from '../../app/storesContext'
import { Callout, ErrorWords } from '../../components/Callout'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { fileOf } from '../../i18n/errorText'
import styles from './trouble.module.css'

function wayOnOf(trouble: AppError) {
  switch (trouble.code) {
    case 'settings-invalid':
      return 'settings'
    case 'database-newer':
    case 'database-damaged':
      return 'database'
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

/** The place in a file and what is wrong there. */
function reasonOf({ details }: AppError): string | undefined {
  return [details?.where, details?.problem].filter(Boolean).join(': ')
}

/** Shown when the app cannot start its work: what is wrong, with which file, and the ways on. */
export function TroubleScreen({ status, trouble }: { status: AppStatus; trouble: AppError }) {
  const { t } = useTranslation()
  const busy = useStation((state) => state.busy)
  const inVain = useStation((state) => state.triedInVain)
  const { retryStart, setAsideSettings, openDataFolder } = useStation((state) => state)
  const reason = reasonOf(trouble)
  useEffect(() => {
    document.title = `${t('trouble.title')} — ${t('common.appName')}`
  }, [t])
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <div className={styles.head}>
          <IconAlertTriangle size={44} aria-hidden />
          <h1 className={styles.title}>{t('trouble.title')}</h1>
        </div>
        <div className={styles.words} role="alert">
          <ErrorWords error={trouble} />
        </div>
        <dl className={styles.facts}>
          <dt>{t('trouble.concerns')}</dt>
          <dd className="pb-mono">{fileOf(trouble) ?? status.dataFolder}</dd>
          {reason ? (
            <>
              <dt>{t('common.reason')}</dt>
              <dd>{reason}</dd>
            </>
          ) : null}
          <dt>{t('trouble.wayOn')}</dt>
          <dd>
            {t(`trouble.wayOnByCode.${wayOnOf(trouble)}`)} {t('trouble.nothingChanged')}
          </dd>
        </dl>
        {inVain ? <Callout tone="attention">{t('trouble.stillThere')}</Callout> : null}
        <div className={styles.actions}>
          {trouble.code === 'history-missing' ? <MissingHistory /> : null}
          <Button
            size="xl"
            variant={trouble.code === 'history-missing' ? 'default' : 'filled'}
            loading={busy}
            onClick={() => void retryStart()}
          >
            {t('common.tryAgain')}
          </Button>
          <Button size="xl" variant="default" onClick={() => void openDataFolder()}>
            {t('trouble.openDataFolder')}
          </Button>
          {trouble.code === 'settings-invalid' ? (
            <Button variant="default" disabled={busy} onClick={() => void setAsideSettings()}>
              {t('trouble.setAside')}
            </Button>
          ) : null}
        </div>
      </div>
    </main>
  )
}

/** The ways on when the history misses shipments: rebuilding it is the safe one. */
function MissingHistory() {
  const { t } = useTranslation()
  const [asking, setAsking] = useState(false)
  const busy = useStation((state) => state.busy)
  const { rebuildHistory, continueUnguarded } = useStation((state) => state)
  return (
    <>
      <Button size="xl" loading={busy} onClick={() => void rebuildHistory()}>
        {t('trouble.rebuild')}
      </Button>
      <Button variant="default" disabled={busy} onClick={() => setAsking(true)}>
        {t('trouble.continueUnguarded')}
      </Button>
      <ConfirmDialog
        opened={asking}
        title={t('trouble.continueTitle')}
        confirm={t('trouble.continueUnguarded')}
        onConfirm={() => {
          setAsking(false)
          void continueUnguarded()
        }}
        onCancel={() => setAsking(false)}
      >
        <p>{t('trouble.continueQuestion')}</p>
      </ConfirmDialog>
    </>
  )
}
