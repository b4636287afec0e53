import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCloudCheck,
  IconCloudOff,
  IconCloudQuestion,
  IconDatabase,
  IconDatabaseOff,
  IconFlask,
  IconFolderCheck,
  IconFolderX,
  IconPackages,
  IconPrinter,
  IconPrinterOff,
  IconUser,
  IconUserOff,
} from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { AppStatus } from '../../shared/app'
import type { PrinterStatus } from '../../shared/printing'
import { useBridgeQuery, useSettings } from '../bridge'
import { useShowManifest } from '../features/manifests/queries'
import { errorText, noteText, reasonText } from '../i18n/texts'
import { useNavigation } from '../ui/navigation'
import styles from './app.module.css'
import { PeopleStatusItems } from './PeopleStatus'
import { StatusItem } from './StatusItem'
import { countOpenProblems, findAccountProblem, findPrinterToShow, hasOtherProblem } from './statusSummary'

/** The status bar: service, account, people, printers, batch, hot folder, fleet and open problems. */
export function StatusBar({ status }: { status: AppStatus }) {
  const { t } = useTranslation()
  return (
    <footer className={styles.status}>
      <h2 className="pb-unseen">{t('statusBar.label')}</h2>
      {status.demo ? (
        <span className={styles.demo} title={t('statusBar.demoHint', { url: status.simulatorUrl ?? '' })}>
          <IconFlask size={19} aria-hidden />
          {t('statusBar.demo')}
        </span>
      ) : null}
      <Service status={status} />
      <Account status={status} />
      <PeopleStatusItems />
      <Printers printers={status.printers} />
      <RunningBatch />
      <HotFolder folder={status.hotFolder} />
      <Fleet fleet={status.fleet} />
      <Problems status={status} />
    </footer>
  )
}

function Service({ status: { service } }: { status: AppStatus }) {
  const { t } = useTranslation()
  const looks = {
    reachable: { Icon: IconCloudCheck, text: t('statusBar.serviceReachable'), tone: styles.isGood },
    unreachable: { Icon: IconCloudOff, text: t('statusBar.serviceUnreachable'), tone: styles.isBad },
    'not-tried': { Icon: IconCloudQuestion, text: t('statusBar.serviceNotTried'), tone: '' },
  }
  const { Icon, text, tone } = looks[service.state]
  return (
    <StatusItem
      Icon={Icon}
      look={[styles.firm, tone]}
      title={service.error ? errorText(t, service.error) : undefined}
    >
      {text}
    </StatusItem>
  )
}

function Account({ status: { account } }: { status: AppStatus }) {
  const { t } = useTranslation()
  const goToSettings = useNavigation((state) => state.goToSettings)
  const problem = findAccountProblem(account)
  if (problem === undefined) {
    return (
      <StatusItem Icon={IconUser} look={[styles.yielding]} title={account.host ?? undefined}>
        {account.name ?? account.host}
      </StatusItem>
    )
  }
  const words = {
    none: t('statusBar.accountNone'),
    locked: t('statusBar.accountLocked'),
    'not-connected': t('statusBar.accountNotConnected'),
  }
  return (
    <StatusItem Icon={IconUserOff} look={[styles.isAttention]} onClick={() => goToSettings('account')}>
      {words[problem]}
    </StatusItem>
  )
}

function printerText(t: TFunction, { state, name }: PrinterStatus): string {
  switch (state) {
    case 'ready':
      return t('statusBar.printerReady', { printer: name })
    case 'busy':
      return t('statusBar.printerBusy', { printer: name })
    case 'error':
      return t('statusBar.printerError', { printer: name })
    case 'paused':
      return t('statusBar.printerPaused', { printer: name })
    case 'unknown':
      return t('statusBar.printerUnknown', { printer: name })
  }
}

function listMessages(t: TFunction, { note, error }: PrinterStatus): string[] {
  if (note) return [noteText(t, note)]
  if (!error) return []
  const reason = reasonText(t, error)
  return [errorText(t, error), ...(reason === undefined ? [] : [reason])]
}

function Printers({ printers }: { printers: readonly PrinterStatus[] }) {
  const { t } = useTranslation()
  const { go, goToSettings } = useNavigation((state) => state)
  const settings = useSettings()
  const printer = findPrinterToShow(printers, settings)
  if (!printer) {
    return (
      <StatusItem Icon={IconPrinterOff} look={[styles.isAttention]} onClick={() => goToSettings('printers')}>
        {t('statusBar.noPrinter')}
      </StatusItem>
    )
  }
  const waiting = printers.reduce((sum, each) => sum + each.waitingJobs, 0)
  const tones = {
    ready: styles.isGood,
    busy: '',
    error: styles.isBad,
    unknown: '',
    paused: styles.isAttention,
  }
  const all = printers.map((each) => [printerText(t, each), ...listMessages(t, each)].join(' — '))
  return (
    <StatusItem
      Icon={IconPrinter}
      look={[tones[printer.state]]}
      title={all.join('\n')}
      onClick={() => go('queue')}
    >
      {printerText(t, printer)}
      {printers.length > 1 ? ` ${t('statusBar.morePrinters', { count: printers.length - 1 })}` : ''}
      {waiting > 0 ? ` · ${t('statusBar.waiting', { count: waiting })}` : ''}
    </StatusItem>
  )
}

/** Progress of the current batch; hidden once it has ended. */
function RunningBatch() {
  const { t } = useTranslation()
  const go = useNavigation((state) => state.go)
  const batch = useBridgeQuery('getBatch', undefined).data
  if (!batch || batch.state === 'ended') return null
  const { state, total, outcomes } = batch
  const finished = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  const words = {
    running: t('batch.statusRunning', { finished, total }),
    stopping: t('batch.statusRunning', { finished, total }),
    paused: t('batch.statusPaused', { finished, total }),
  }
  return (
    <StatusItem
      Icon={IconPackages}
      look={[styles.firm, state === 'paused' ? styles.isAttention : '']}
      onClick={() => go('orders')}
    >
      {words[state]}
    </StatusItem>
  )
}

/** State of the hot folder; a click opens its problems. */
function HotFolder({ folder }: { folder: AppStatus['hotFolder'] }) {
  const { t } = useTranslation()
  const go = useNavigation((state) => state.go)
  if (folder.state === 'off' && folder.issues === 0) return null
  const hasError = folder.state === 'error'
  const Icon = hasError || folder.issues > 0 ? IconFolderX : IconFolderCheck
  const words =
    folder.issues > 0 && !hasError ? t('statusBar.hotFolderIssues', { count: folder.issues }) : undefined
  const quiet = folder.issues > 0 ? styles.isAttention : styles.isGood
  return (
    <StatusItem
      Icon={Icon}
      look={[styles.firm, hasError ? styles.isBad : quiet]}
      title={folder.error === null ? t('statusBar.hotFolderHint') : errorText(t, folder.error)}
      label={words}
      onClick={() => go('hotFolder')}
    >
      {hasError ? t('statusBar.hotFolderError') : t('nav.hotFolder')}
      {folder.issues > 0 && hasError
        ? ` · ${t('statusBar.hotFolderProblems', { count: folder.issues })}`
        : ''}
      {folder.issues > 0 && !hasError ? `: ${folder.issues}` : ''}
      {folder.issues === 0 && folder.waiting > 0
        ? ` · ${t('statusBar.hotFolderFiles', { count: folder.waiting })}`
        : ''}
    </StatusItem>
  )
}

/** Whether references are shared with other stations; a click opens the fleet settings. */
function Fleet({ fleet }: { fleet: AppStatus['fleet'] }) {
  const { t } = useTranslation()
  const goToSettings = useNavigation((state) => state.goToSettings)
  const { state, error, shipsWhenAway, backlog, conflicts } = fleet
  if (state === 'off') return null
  const looks = {
    joined: { text: t('fleet.barJoined'), tone: styles.isGood },
    connecting: { text: t('fleet.barConnecting'), tone: '' },
    away: { text: t(shipsWhenAway ? 'fleet.barAwayShips' : 'fleet.barAwayHolds'), tone: styles.isBad },
    refused: { text: t('fleet.barRefused'), tone: styles.isBad },
  }
  const isWell = state === 'joined'
  const hasConflicts = isWell && conflicts > 0
  const { text, tone } = hasConflicts
    ? { text: t('fleet.barConflicts', { count: conflicts }), tone: styles.isAttention }
    : looks[state]
  const Icon = isWell ? IconDatabase : IconDatabaseOff
  return (
    <StatusItem
      Icon={Icon}
      look={[styles.firm, tone]}
      title={error === null ? undefined : errorText(t, error)}
      onClick={() => goToSettings('fleet')}
    >
      {text}
      {backlog > 0 ? ` · ${t('fleet.barBacklog', { count: backlog })}` : ''}
    </StatusItem>
  )
}

function Problems({ status }: { status: AppStatus }) {
  const { t } = useTranslation()
  const showProblems = useShowProblems()
  const { count, screen } = countOpenProblems(status.open)
  if (count === 0) {
    return hasOtherProblem(status) ? null : (
      <StatusItem Icon={IconCircleCheck} look={[styles.problems, styles.isGood]}>
        {t('statusBar.noProblems')}
      </StatusItem>
    )
  }
  return (
    <StatusItem
      Icon={IconAlertTriangle}
      look={[styles.problems, styles.isAttention]}
      title={t(`statusBar.problemsHint.${screen}`)}
      onClick={() => showProblems(screen)}
    >
      {t('statusBar.problems', { count })}
    </StatusItem>
  )
}

/** Opens what needs attention: History, or the list of manifests when History has none. */
function useShowProblems() {
  const { go, showProblems } = useNavigation((state) => state)
  const showManifest = useShowManifest()
  return (screen: 'history' | 'manifests') => {
    if (screen === 'history') {
      showProblems()
      return
    }
    showManifest(null)
    go('manifests')
  }
}
