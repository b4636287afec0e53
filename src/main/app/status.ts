import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AccountStatus } from '../../shared/account'
import type { AppStatus, Notice } from '../../shared/app'
import type { AppError } from '../../shared/errors'
import { countryCodeSchema } from '../../shared/fields'
import { defaultSettings } from '../../shared/settings'
import type { Session } from '../account/session'
import type { SettingsStore } from '../settings/settingsStore'
import type { Services } from './compose'

/** What the status is made of besides the services. */
export interface StatusFacts {
  version: string
  simulatorUrl: string | null
  systemCountry: string
  dataFolder: string
  notices: Notice[]
}

/** Unknown keys that one notice names. */
const keysShown = 5

const noAccount: AccountStatus = {
  state: 'none',
  host: null,
  name: null,
  customerId: null,
  accountId: null,
  storage: 'memory',
  error: null,
}

/** The status of a station that works. */
export async function workingStatus(facts: StatusFacts, services: Services): Promise<AppStatus> {
  const printers = await services.printing.listStatuses()
  const issues = await services.hotFolder.issues.countOpen()
  const fleet = await services.fleet.status()
  const open = await services.past.countOpen()
  // After the last wait: an account that came meanwhile must not be missing, which would open the set-up.
  const account = services.session.status()
  return {
    ...commonStatus(facts),
    language: services.settings.current().language,
    startError: null,
    account,
    service: services.health.current(),
    hotFolder: { ...services.hotFolder.status(), issues },
    ...{ printers, fleet, open },
    // The demo's credentials open nothing: where they are kept concerns nobody.
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

/** The status of a station that could not start its work. */
export function errorStatus(facts: StatusFacts, startError: AppError): AppStatus {
  return {
    ...commonStatus(facts),
    language: defaultSettings.language,
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
  return [
    {
      code: 'weak-password',
      message:
        'The account’s password is short or an ordinary word, which can not be told from other text: a message of the service that quotes it may show it. Choose a longer one of letters and digits at the service.',
    },
  ]
}

/** What the settings file holds that this version does not know, e.g. after a return to an older version. */
export function settingsNotices(settings: SettingsStore): Notice[] {
  const { unknownKeys, newerVersion } = settings.beyond()
  const notices: Notice[] = []
  if (newerVersion !== null) {
    const version = String(newerVersion)
    notices.push({
      code: 'settings-newer',
      message: `settings.json was written by a newer Packbench (settings version ${version}). It is used as far as this version knows it, and nothing of it is removed. Update Packbench.`,
      details: { version },
    })
  }
  if (unknownKeys.length > 0) {
    const more = unknownKeys.length > keysShown ? ', …' : ''
    const keys = `${unknownKeys.slice(0, keysShown).join(', ')}${more}`
    notices.push({
      code: 'settings-keys-unknown',
      message: `settings.json holds keys that this version does not know: ${keys}. They are kept and have no effect. Update Packbench, or correct their names.`,
      details: { keys },
    })
  }
  return notices
}

/** Gone as soon as the folder can be used again. */
function importNotices(failure: AppError | null): Notice[] {
  if (failure === null) return []
  return [{ code: 'order-import-stopped', message: failure.message, details: failure.details ?? {} }]
}

/** Gone as soon as the disk takes labels again. */
function diskNotices(startError: AppError | undefined): Notice[] {
  if (startError === undefined) return []
  const code = startError.code === 'labels-waiting' ? 'labels-waiting' : 'labels-not-writable'
  return [{ code, message: startError.message, details: startError.details ?? {} }]
}

function storageNotices(account: AccountStatus): Notice[] {
  // Without an account that can be read there are no credentials anywhere but in the vault.
  if (account.state === 'none' || account.state === 'locked') return []
  if (account.storage === 'memory') {
    return [
      {
        code: 'credentials-in-memory',
        message:
          'This machine has no keyring: the credentials are kept only until Packbench closes. An administrator can allow weaker storage in Settings.',
      },
    ]
  }
  if (account.storage === 'weak') {
    return [
      {
        code: 'weak-storage',
        message:
          'The credentials are stored without a keyring: whoever can read this user’s files can read them.',
      },
    ]
  }
  return []
}

/** The file that marks the closed-network runtime (docs/decisions/0001-runtime.md). */
const marker = 'UNOFFICIAL-BUILD.txt'

/**
 * What is to be said of the Electron that runs the app.
 * @param binary its absolute path
 */
export function runtimeNotices(binary: string): Notice[] {
  if (!existsSync(join(dirname(binary), marker))) return []
  return [
    {
      code: 'unofficial-runtime',
      message:
        'This is an unofficial build of Electron, for the demo and the tests only: never type real credentials here.',
    },
  ]
}
