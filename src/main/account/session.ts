import type { AccountStatus, ConnectAccount } from '../../shared/account'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { CarrierGateway } from '../carrier/gateway'
import { type CarrierConnection, parseBaseUrl } from '../carrier/service'
import type { Log } from '../log/log'
import { isWeakSecret, type Redactor } from '../log/redactor'
import type { StoredAccount, Vault } from './vault'

interface SessionDeps {
  vault: Vault
  authenticate: CarrierGateway['authenticate']
  redactor: Pick<Redactor, 'add'>
  log: Log
}

/** The station's account: makes an API key of credentials and keeps both. Nothing secret comes out but a connection. */
export class Session {
  private readonly listeners = new Set<(status: AccountStatus) => void>()
  private account: StoredAccount | null = null
  private error: AppError | null = null
  private locked = false
  private keptIn: AccountStatus['storage'] = 'memory'
  private told: AccountStatus
  private signingIn: { account: StoredAccount; done: Promise<Result<CarrierConnection>> } | undefined

  /** Takes up what the vault holds. The service is not asked yet. */
  constructor(private readonly deps: SessionDeps) {
    this.load()
    this.moveAccount()
    this.told = this.status()
  }

  /** What the screen may know. */
  status(): AccountStatus {
    return toStatus({
      account: this.account,
      locked: this.locked,
      storage: this.account === null ? this.deps.vault.storage() : this.keptIn,
      error: this.error,
    })
  }

  /** The service's address; null without an account. */
  baseUrl(): URL | null {
    return this.account === null ? null : new URL(this.account.baseUrl)
  }

  /** Whether the password may well be an ordinary word or number, which can't be told from other text. */
  hasWeakPassword(): boolean {
    return this.account !== null && isWeakSecret(this.account.password)
  }

  /** Calls back after each change of the status; the function that comes back stops that. */
  onChange(listener: (status: AccountStatus) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /**
   * Signs in and keeps the account in the place of the one before. When the service does not take the credentials, or
   * can't be asked, the account before is left untouched.
   */
  async connect(input: ConnectAccount): Promise<Result<AccountStatus>> {
    const account = this.newAccount(input)
    if (!account.ok) return account
    const signedIn = await this.signIn(account.value)
    if (!signedIn.ok) return signedIn
    const status = this.adopt(signedIn.value)
    this.deps.log.info('account connected', { storage: status.storage })
    return ok(status)
  }

  /** Keeps an account without asking the service, as a provisioning file wants it; the key is fetched when needed. */
  provide(input: ConnectAccount): Result<AccountStatus> {
    const account = this.newAccount(input)
    if (!account.ok) return account
    const current = this.account
    if (current === null || !sameCredentials(current, account.value)) return ok(this.adopt(account.value))
    this.storageChanged()
    return ok(this.status())
  }

  /** Waits until a locked keyring lets the account be read; nothing otherwise. */
  async unlock(): Promise<void> {
    if (this.error?.code !== 'vault-locked') return
    this.deps.log.info('the keyring is locked')
    if (!(await this.deps.vault.unlock())) return
    this.deps.log.info('the keyring was unlocked')
    this.storageChanged()
  }

  /** Asks the service for a key again with the stored credentials, after unlocking them if need be. */
  async test(): Promise<Result<AccountStatus>> {
    await this.unlock()
    const account = this.account
    if (account === null) return err(this.noAccount())
    const signedIn = await this.signIn(account)
    if (this.account !== account) return ok(this.status())
    if (signedIn.ok) {
      this.keep(signedIn.value)
      return ok(this.status())
    }
    // A key that may still work is not given up because the line is down.
    if (signedIn.error.code === 'account-refused' || account.apiKey === null) this.fail(signedIn.error)
    return signedIn
  }

  /** Forgets credentials and key, and takes them off the disk even where they can't be read. */
  forget(): Result<AccountStatus> {
    const cleared = this.deps.vault.clear()
    if (!cleared.ok) return cleared
    this.account = null
    this.locked = false
    this.error = null
    this.changed()
    this.deps.log.info('account forgotten')
    return ok(this.status())
  }

  /**
   * To be called when it may have changed where an account can be kept, as with the setting `allowWeakStorage`: the
   * account is moved there at once. One that could not be read before may be readable now.
   */
  storageChanged(): void {
    if (this.locked) this.load()
    this.moveAccount()
    if (JSON.stringify(this.status()) !== JSON.stringify(this.told)) this.changed()
  }

  /** Address and key; fetches the key when there is none. Callers at the same time share one request. */
  async key(): Promise<Result<CarrierConnection>> {
    const account = this.account
    if (account === null) return err(this.noAccount())
    if (account.apiKey !== null) return ok({ baseUrl: new URL(account.baseUrl), apiKey: account.apiKey })
    if (this.signingIn?.account === account) return this.signingIn.done
    const done = this.fetchKey(account)
    this.signingIn = { account, done }
    return done
  }

  /**
   * Runs an operation with a key. When the service no longer takes the key, it is renewed once and the operation
   * repeated once: so never for the creation of a shipment.
   */
  async call<Value>(
    operation: (connection: CarrierConnection) => Promise<Result<Value>>,
  ): Promise<Result<Value>> {
    const connection = await this.key()
    if (!connection.ok) return connection
    const result = await operation(connection.value)
    if (result.ok || result.error.code !== 'key-refused') return result
    const renewed = await this.renew(connection.value.apiKey)
    return renewed.ok ? operation(renewed.value) : renewed
  }

  /** After a refused creation: renews the key, unless that was done already, so that the operator's next try works. */
  async renewAfterRefusal(staleKey: string): Promise<void> {
    await this.renew(staleKey)
  }

  private renew(staleKey: string): Promise<Result<CarrierConnection>> {
    const account = this.account
    if (account?.apiKey === staleKey) {
      this.deps.log.info('the service no longer takes the key')
      this.keep({ ...account, apiKey: null })
    }
    return this.key()
  }

  private async fetchKey(account: StoredAccount): Promise<Result<CarrierConnection>> {
    const signedIn = await this.signIn(account)
    if (this.signingIn?.account === account) this.signingIn = undefined
    // The account was replaced or forgotten meanwhile: what came belongs to the one before.
    if (this.account !== account) return this.key()
    if (!signedIn.ok) {
      this.fail(signedIn.error)
      return signedIn
    }
    this.keep(signedIn.value)
    return this.key()
  }

  private async signIn(account: StoredAccount): Promise<Result<StoredAccount>> {
    const { baseUrl, user, password } = account
    const signedIn = await this.deps.authenticate({ baseUrl: new URL(baseUrl), user, password })
    if (!signedIn.ok) return signedIn
    this.deps.redactor.add(signedIn.value.apiKey)
    return ok({ ...account, ...signedIn.value })
  }

  private newAccount({ baseUrl, user, password }: ConnectAccount): Result<StoredAccount> {
    const url = parseBaseUrl(baseUrl)
    if (!url.ok) return url
    const nothingYet = { apiKey: null, customerId: null, accountId: null, name: null }
    const account: StoredAccount = { baseUrl: url.value.href, user, password, ...nothingYet }
    this.protect(account)
    return ok(account)
  }

  private load(): void {
    const loaded = this.deps.vault.load()
    this.locked = !loaded.ok
    this.error = loaded.ok ? null : loaded.error
    if (!loaded.ok || loaded.value === null) return
    this.account = loaded.value.account
    this.keptIn = loaded.value.storage
    this.protect(loaded.value.account)
  }

  /** Saves the account again when it is kept in another place than it would be now. */
  private moveAccount(): void {
    const { vault } = this.deps
    if (this.account === null || this.keptIn === vault.storage()) return
    const saved = vault.save(this.account, 'leave')
    if (saved.ok) this.keptIn = saved.value
    // What the service said of the account still holds.
    if (this.error === null || this.error.code === 'settings-not-saved') {
      this.error = saved.ok ? null : saved.error
    }
  }

  /** Secrets are known to the redactor before their first use. */
  private protect({ user, password, apiKey }: StoredAccount): void {
    for (const secret of [user, password, apiKey]) {
      if (secret !== null) this.deps.redactor.add(secret)
    }
  }

  /** Takes another account; an old vault that could not be read is set aside. */
  private adopt(account: StoredAccount): AccountStatus {
    this.locked = false
    this.keep(account, 'set-aside')
    return this.status()
  }

  /** Without room on the disk the account holds until the app closes, and the status says so. */
  private keep(account: StoredAccount, unreadable: 'set-aside' | 'leave' = 'leave'): void {
    this.account = account
    const saved = this.deps.vault.save(account, unreadable)
    this.keptIn = saved.ok ? saved.value : 'memory'
    this.error = saved.ok ? null : saved.error
    this.changed()
  }

  private fail(error: AppError): void {
    this.error = error
    this.changed()
  }

  private noAccount(): AppError {
    if (this.locked && this.error !== null) return this.error
    return appError('no-account')
  }

  private changed(): void {
    const status = this.status()
    this.told = status
    for (const listener of this.listeners) listener(status)
  }
}

function sameCredentials(one: StoredAccount, other: StoredAccount): boolean {
  return one.baseUrl === other.baseUrl && one.user === other.user && one.password === other.password
}

/** What a session knows when it is asked for its status. */
interface SessionFacts {
  account: StoredAccount | null
  /** There is a vault that can't be read here. */
  locked: boolean
  /** Where the account is kept; without one, where it would be. */
  storage: AccountStatus['storage']
  /** What went wrong last and still matters. */
  error: AppError | null
}

/** The status for the screen: name, ids and host; no user name, no password, no key. */
function toStatus({ account, locked, storage, error }: SessionFacts): AccountStatus {
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
