import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AccountStatus } from '../../shared/account'
import type { AppStatus, Notice } from '../../shared/app'
import type { AppError } from '../../shared/errors'
import { countryCodeSchema, type Language } from '../../shared/fields'
import type { Session } from '../account/session'
import type { SettingsStore } from '../settings/settingsStore'
import type { Services } from './compose'
import { createNotice } from './notices'

/** The parts of the status that do not depend on the services. */
export interface StatusFacts {
  version: string
  simulatorUrl: string | null
  systemCountry: string
  dataFolder: string
  notices: Notice[]
}

/** How many unknown keys a notice lists. */
const keysShown = 5

const noAccount: AccountStatus = {
  state: 'none',
  host: null,
  name: null,
  customerId: null,
  accountId: null,
  storage: 'memory',
  isKeyringLocked: false,
  error: null,
}

/** The status while the services run. */
export async function workingStatus(facts: StatusFacts, services: Services): Promise<AppStatus> {
  const printers = await services.printing.listStatuses()
  const issues = await services.hotFolder.issues.countOpen()
  const fleet = await services.fleet.status()
  const open = await services.historyRepository.countOpen()
  // Read after the last await: if an account added meanwhile were missing, the window would open the set-up.
  const account = services.session.status()
  return {
    ...commonStatus(facts),
    language: services.settings.current().language,
    startError: null,
    account,
    service: services.health.current(),
    hotFolder: { ...services.hotFolder.status(), issues },
    ...{ printers, fleet, open },
    // The demo's credentials are worthless, so their storage needs no notice.
    notices: [
      ...facts.notices,
      ...(facts.simulatorUrl === null
        ? [...storageNotices(account), ...passwordNotices(services.session)]
        : []),
      ...settingsNotices(services.settings),
      ...importNotices(services.importFolder.currentFailure()),
      ...diskNotices(services.shipping.diskError()),
    ],
  }
}

/** The status after a start error. */
export function errorStatus(facts: StatusFacts, startError: AppError, language: Language): AppStatus {
  return {
    ...commonStatus(facts),
    language,
    startError,
    account: noAccount,
    service: { state: 'not-tried', at: null, error: null },
    printers: [],
    hotFolder: { state: 'off', message: null, error: null, waiting: 0, issues: 0 },
    fleet: { state: 'off', error: null, shipsWhenAway: false, backlog: 0, conflicts: 0 },
    open: {
      unknownShipments: 0,
      labelProblems: 0,
      failedJobs: 0,
      unconfirmedJobs: 0,
      unknownSubmissions: 0,
    },
    notices: facts.notices,
  }
}

function commonStatus(facts: StatusFacts) {
  return {
    version: facts.version,
    demo: facts.simulatorUrl !== null,
    simulatorUrl: facts.simulatorUrl,
    systemCountry: countryCodeSchema.nullable().catch(null).parse(facts.systemCountry),
    dataFolder: facts.dataFolder,
  }
}

function passwordNotices(session: Session): Notice[] {
  if (!session.hasWeakPassword()) return []
  return [createNotice('weak-password')]
}

/** Notices about content of the settings file that this version does not know, e.g. after a downgrade. */
export function settingsNotices(settings: SettingsStore): Notice[] {
  const { unknownKeys, newerVersion } = settings.getUnknownContent()
  const notices: Notice[] = []
  if (newerVersion !== null) {
    notices.push(createNotice('settings-newer', { version: String(newerVersion) }))
  }
  if (unknownKeys.length > 0) {
    const more = unknownKeys.length > keysShown ? ', …' : ''
    const keys = `${unknownKeys.slice(0, keysShown).join(', ')}${more}`
    notices.push(createNotice('settings-keys-unknown', { keys }))
  }
  return notices
}

/** Disappears as soon as the folder can be used again. */
function importNotices(failure: AppError | null): Notice[] {
  if (failure === null) return []
  return [{ code: 'order-import-stopped', message: failure.message, details: failure.details ?? {} }]
}

/** Disappears as soon as labels can be written again. */
function diskNotices(startError: AppError | undefined): Notice[] {
  if (startError === undefined) return []
  const code = startError.code === 'labels-waiting' ? 'labels-waiting' : 'labels-not-writable'
  return [{ code, message: startError.message, details: startError.details ?? {} }]
}

function storageNotices(account: AccountStatus): Notice[] {
  // Without a readable account the credentials are only in the vault.
  if (account.state === 'none' || account.state === 'locked') return []
  if (account.storage === 'memory') {
    return [createNotice(account.isKeyringLocked ? 'credentials-not-stored' : 'credentials-in-memory')]
  }
  return account.storage === 'weak' ? [createNotice('weak-storage')] : []
}

/** The file that marks the closed-network runtime (docs/decisions/0001-runtime.md). */
const marker = 'UNOFFICIAL-BUILD.txt'

/**
 * Warns when the app runs on an unofficial Electron.
 * @param binary absolute path of Electron
 */
export function runtimeNotices(binary: string): Notice[] {
  if (!existsSync(join(dirname(binary), marker))) return []
  return [createNotice('unofficial-runtime')]
}
