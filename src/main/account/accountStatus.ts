import type { AccountStatus } from '../../shared/account'
import type { AppError } from '../../shared/errors'
import type { StoredAccount } from './vault'

/** What a session knows when it is asked for its status. */
export interface SessionFacts {
  account: StoredAccount | null
  /** There is a vault that can't be read here. */
  locked: boolean
  /** Where the account is kept; without one, where it would be. */
  storage: AccountStatus['storage']
  /** What went wrong last and still matters. */
  error: AppError | null
}

/** The status for the screen: name, ids and host; no user name, no password, no key. */
export function toStatus({ account, locked, storage, error }: SessionFacts): AccountStatus {
  const nobody = { host: null, name: null, customerId: null, accountId: null }
  if (locked) return { state: 'locked', ...nobody, storage, error }
  if (account === null) return { state: 'none', ...nobody, storage, error }
  // Credentials that could not be written work all the same, in memory.
  const notSaved = error?.code === 'settings-not-saved'
  const working = account.apiKey !== null && (error === null || notSaved)
  return {
    state: working ? 'connected' : 'not-connected',
    host: new URL(account.baseUrl).host,
    name: account.name,
    customerId: account.customerId,
    accountId: account.accountId,
    storage,
    error,
  }
}
