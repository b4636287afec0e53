import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { AccountStatus, ConnectAccount } from '../../shared/settings'
import { parseBaseUrl } from '../carrier/baseUrl'
import type { CarrierClient } from '../carrier/carrierClient'
import type { CarrierConnection } from '../carrier/connection'
import type { Log } from '../log/log'
import type { Redactor } from '../log/redactor'
import { statusOf } from './accountStatus'
import type { StoredAccount, Vault } from './vault'

/** The station's account: turns credentials into an API key and keeps both. Nothing secret comes out but a connection. */
export interface Session {
  /** What the screen may know. */
  status(): AccountStatus
  /** Calls back after each change of the status; the function that comes back stops that. */
  onChange(listener: (status: AccountStatus) => void): () => void
  /**
   * Signs in and keeps the account in the place of the one before. When the service does not take the credentials, or
   * can't be asked, the account before is left untouched.
   */
  connect(input: ConnectAccount): Promise<Result<AccountStatus>>
  /** Keeps an account without asking the service, as a provisioning file wants it; the key is fetched when needed. */
  provide(input: ConnectAccount): Result<AccountStatus>
  /** Asks the service for a key again with the stored credentials. */
  test(): Promise<Result<AccountStatus>>
  /** Forgets credentials and key. */
  forget(): Result<AccountStatus>
  /** Address and key; fetches the key when there is none. Callers at the same time share one request. */
  key(): Promise<Result<CarrierConnection>>
  /**
   * Runs an operation with a key. When the service no longer takes the key, it is renewed once and the operation
   * repeated once: so never for the creation of a shipment.
   */
  call<Value>(operation: (connection: CarrierConnection) => Promise<Result<Value>>): Promise<Result<Value>>
  /** After a refused creation: renews the key, unless that was done already, so that the operator's next try works. */
  renewAfterRefusal(staleKey: string): Promise<void>
}

export interface SessionParts {
  vault: Vault
  client: Pick<CarrierClient, 'authenticate'>
  redactor: Pick<Redactor, 'add'>
  log: Log
}

/** Makes the session from what the vault holds. The service is not asked yet. */
export function createSession(parts: SessionParts): Session {
  return new VaultSession(parts)
}

class VaultSession implements Session {
  readonly #parts: SessionParts
  readonly #listeners = new Set<(status: AccountStatus) => void>()
  #account: StoredAccount | null = null
  #error: AppError | null = null
  #locked = false
  #signingIn: { account: StoredAccount; done: Promise<Result<CarrierConnection>> } | undefined

  constructor(parts: SessionParts) {
    this.#parts = parts
    const loaded = parts.vault.load()
    if (loaded.ok) {
      this.#account = loaded.value
      if (loaded.value !== null) this.#protect(loaded.value)
    } else {
      this.#locked = true
      this.#error = loaded.error
    }
  }

  status(): AccountStatus {
    return statusOf({
      account: this.#account,
      locked: this.#locked,
      storage: this.#parts.vault.storage(),
      error: this.#error,
    })
  }

  onChange(listener: (status: AccountStatus) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async connect(input: ConnectAccount): Promise<Result<AccountStatus>> {
    const account = this.#newAccount(input)
    if (!account.ok) return account
    const signedIn = await this.#signIn(account.value)
    if (!signedIn.ok) return signedIn
    this.#parts.log.info('account connected', { storage: this.#parts.vault.storage() })
    return ok(this.#adopt(signedIn.value))
  }

  provide(input: ConnectAccount): Result<AccountStatus> {
    const account = this.#newAccount(input)
    if (!account.ok) return account
    const current = this.#account
    return ok(
      current !== null && sameCredentials(current, account.value)
        ? this.status()
        : this.#adopt(account.value),
    )
  }

  async test(): Promise<Result<AccountStatus>> {
    const account = this.#account
    if (account === null) return err(this.#noAccount())
    const signedIn = await this.#signIn(account)
    if (this.#account !== account) return ok(this.status())
    if (signedIn.ok) {
      this.#keep(signedIn.value)
      return ok(this.status())
    }
    // A key that may still work is not given up because the line is down.
    if (signedIn.error.code === 'account-refused' || account.apiKey === null) this.#fail(signedIn.error)
    return signedIn
  }

  forget(): Result<AccountStatus> {
    const saved = this.#parts.vault.save(null, 'set-aside')
    if (!saved.ok) return saved
    this.#account = null
    this.#locked = false
    this.#error = null
    this.#changed()
    this.#parts.log.info('account forgotten')
    return ok(this.status())
  }

  async key(): Promise<Result<CarrierConnection>> {
    const account = this.#account
    if (account === null) return err(this.#noAccount())
    if (account.apiKey !== null) return connectionOf(account, account.apiKey)
    if (this.#signingIn?.account === account) return this.#signingIn.done
    const done = this.#fetchKey(account)
    this.#signingIn = { account, done }
    return done
  }

  async call<Value>(
    operation: (connection: CarrierConnection) => Promise<Result<Value>>,
  ): Promise<Result<Value>> {
    const connection = await this.key()
    if (!connection.ok) return connection
    const result = await operation(connection.value)
    if (result.ok || result.error.code !== 'key-refused') return result
    const renewed = await this.#renew(connection.value.apiKey)
    return renewed.ok ? operation(renewed.value) : renewed
  }

  async renewAfterRefusal(staleKey: string): Promise<void> {
    await this.#renew(staleKey)
  }

  #renew(staleKey: string): Promise<Result<CarrierConnection>> {
    const account = this.#account
    if (account?.apiKey === staleKey) {
      this.#parts.log.info('the service no longer takes the key')
      this.#keep({ ...account, apiKey: null })
    }
    return this.key()
  }

  async #fetchKey(account: StoredAccount): Promise<Result<CarrierConnection>> {
    const signedIn = await this.#signIn(account)
    if (this.#signingIn?.account === account) this.#signingIn = undefined
    // The account was replaced or forgotten meanwhile: what came belongs to the one before.
    if (this.#account !== account) return this.key()
    if (!signedIn.ok) {
      this.#fail(signedIn.error)
      return signedIn
    }
    this.#keep(signedIn.value)
    return this.key()
  }

  async #signIn(account: StoredAccount): Promise<Result<StoredAccount>> {
    const baseUrl = parseBaseUrl(account.baseUrl)
    if (!baseUrl.ok) return baseUrl
    const { user, password } = account
    const signedIn = await this.#parts.client.authenticate({ baseUrl: baseUrl.value, user, password })
    if (!signedIn.ok) return signedIn
    this.#parts.redactor.add(signedIn.value.apiKey)
    return ok({ ...account, ...signedIn.value })
  }

  #newAccount({ baseUrl, user, password }: ConnectAccount): Result<StoredAccount> {
    const url = parseBaseUrl(baseUrl)
    if (!url.ok) return url
    const nothingYet = { apiKey: null, customerId: null, accountId: null, name: null }
    const account: StoredAccount = { baseUrl: url.value.href, user, password, ...nothingYet }
    this.#protect(account)
    return ok(account)
  }

  /** Secrets are known to the redactor before their first use. */
  #protect({ user, password, apiKey }: StoredAccount): void {
    for (const secret of [user, password, apiKey]) {
      if (secret !== null) this.#parts.redactor.add(secret)
    }
  }

  /** Takes another account; an old vault that could not be read is set aside. */
  #adopt(account: StoredAccount): AccountStatus {
    this.#locked = false
    this.#keep(account, 'set-aside')
    return this.status()
  }

  /** Without room on the disk the account holds until the app closes, and the status says so. */
  #keep(account: StoredAccount, unreadable: 'set-aside' | 'leave' = 'leave'): void {
    this.#account = account
    const saved = this.#parts.vault.save(account, unreadable)
    this.#error = saved.ok ? null : saved.error
    this.#changed()
  }

  #fail(error: AppError): void {
    this.#error = error
    this.#changed()
  }

  #noAccount(): AppError {
    if (this.#locked && this.#error !== null) return this.#error
    return appError('no-account', 'No account is set up yet: connect one in the settings first.')
  }

  #changed(): void {
    const status = this.status()
    for (const listener of this.#listeners) listener(status)
  }
}

function connectionOf(account: StoredAccount, apiKey: string): Result<CarrierConnection> {
  const baseUrl = parseBaseUrl(account.baseUrl)
  return baseUrl.ok ? ok({ baseUrl: baseUrl.value, apiKey }) : baseUrl
}

function sameCredentials(one: StoredAccount, other: StoredAccount): boolean {
  return one.baseUrl === other.baseUrl && one.user === other.user && one.password === other.password
}
