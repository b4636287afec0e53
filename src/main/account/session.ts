import type { AccountStatus, ConnectAccount } from '../../shared/account'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { CarrierGateway } from '../carrier/gateway'
import { type CarrierConnection, parseBaseUrl } from '../carrier/service'
import type { EventBus } from '../lib/eventBus'
import type { SecretMemory } from '../lib/storedSecret'
import type { Log } from '../log/log'
import { isWeakSecret, type Redactor } from '../log/redactor'
import type { StoredAccount, Vault } from './vault'

interface SessionDeps {
  vault: Vault
  /** The account while it is not on disk. */
  memory: SecretMemory<StoredAccount>
  authenticate: CarrierGateway['authenticate']
  redactor: Pick<Redactor, 'add'>
  bus: Pick<EventBus, 'emit'>
  log: Log
}

/** The station's account: exchanges credentials for an API key and stores both. Exposes the key only in a connection. */
export class Session {
  private account: StoredAccount | null = null
  private error: AppError | null = null
  /** Whether the stored account can't be read, e.g. because the keyring is locked. A provisioned one may be used meanwhile. */
  private isLocked = false
  private storedIn: AccountStatus['storage'] = 'memory'
  private lastEmitted: AccountStatus
  private signingIn: { account: StoredAccount; done: Promise<Result<CarrierConnection>> } | undefined

  /** Loads the stored account, or the one that earlier services of this run kept in memory. Sends no request. */
  constructor(private readonly deps: SessionDeps) {
    const { held } = deps.memory
    this.loadAccount()
    if (held !== null) {
      this.account = held
      this.error = null
      this.noteStorage('memory')
    }
    this.moveAccount()
    this.lastEmitted = this.status()
  }

  /** The status for the screen, without secrets. */
  status(): AccountStatus {
    return toStatus({
      account: this.account,
      isLocked: this.isLocked,
      storage: this.account === null ? this.deps.vault.storage() : this.storedIn,
      isKeyringLocked: this.deps.vault.isLocked(),
      error: this.error,
    })
  }

  /** The service's address; null without an account. */
  baseUrl(): URL | null {
    return this.account === null ? null : new URL(this.account.baseUrl)
  }

  /** Whether the password may be an ordinary word or number, which the redactor can't tell from other text. */
  hasWeakPassword(): boolean {
    return this.account !== null && isWeakSecret(this.account.password)
  }

  /**
   * Signs in and stores the account, which replaces the previous one. When the service refuses the credentials or can't
   * be reached, the previous account stays.
   */
  async connect(input: ConnectAccount): Promise<Result<AccountStatus>> {
    // Servers drop blanks around a header's value: the service would see another user name or password.
    if ([input.user, input.password].some((text) => /^[ \t]|[ \t]$/.test(text))) {
      return err(appError('invalid-input', { case: 'not-sendable' }))
    }
    const account = this.newAccount(input)
    if (!account.ok) return account
    await this.followKeyring()
    const signedIn = await this.signIn(account.value)
    if (!signedIn.ok) return signedIn
    const status = this.replaceAccount(signedIn.value)
    this.deps.log.info('account connected', { storage: status.storage })
    return ok(status)
  }

  /**
   * Stores an account from a provisioning file without a request; the key is fetched when needed. While the keyring is locked,
   * the stored account is left as it is, and the provisioned one is used from memory.
   */
  provision(input: ConnectAccount): Result<AccountStatus> {
    const account = this.newAccount(input)
    if (!account.ok) return account
    if (this.account !== null && hasSameCredentials(this.account, account.value)) this.storageChanged()
    else if (this.isWaitingForKeyring()) this.storeAccount(account.value)
    else this.replaceAccount(account.value)
    return ok(this.status())
  }

  /** When the keyring is locked: asks for its password, then loads the stored account, or stores the one in memory. */
  async unlock(): Promise<void> {
    if (!this.deps.vault.isLocked()) return
    this.deps.log.info('the keyring is locked')
    if (!(await this.deps.vault.unlock())) return
    this.deps.log.info('the keyring was unlocked')
    this.storageChanged()
  }

  /** Does the same when the keyring was unlocked elsewhere. Takes at most two seconds, and no time if it is not locked. */
  async followKeyring(): Promise<void> {
    const { vault } = this.deps
    if (vault.isLocked() && (await vault.checkUnlocked())) this.storageChanged()
  }

  /** Fetches a new key with the stored credentials. */
  async test(): Promise<Result<AccountStatus>> {
    const account = this.account
    if (account === null) return err(this.toNoAccountError())
    const signedIn = await this.signIn(account)
    if (this.account !== account) return ok(this.status())
    if (signedIn.ok) {
      this.storeAccount(signedIn.value)
      return ok(this.status())
    }
    // A connection failure does not invalidate a key that may still work.
    if (signedIn.error.code === 'account-refused' || account.apiKey === null) this.setError(signedIn.error)
    return signedIn
  }

  /** Forgets credentials and key, and deletes them from disk even when they can't be read. */
  forget(): Result<AccountStatus> {
    const cleared = this.deps.vault.clear()
    if (!cleared.ok) return cleared
    this.account = null
    this.noteStorage('memory')
    this.isLocked = false
    this.error = null
    this.emitChanged()
    this.deps.log.info('account forgotten')
    return ok(this.status())
  }

  /**
   * To be called when the available storage may have changed, as with the setting `allowWeakStorage`: moves the account
   * there at once. An account that could not be read before may be readable now.
   */
  storageChanged(): void {
    if (this.isLocked) this.loadLockedAccount()
    this.moveAccount()
    if (JSON.stringify(this.status()) !== JSON.stringify(this.lastEmitted)) this.emitChanged()
  }

  /** The service's address and an API key, which is fetched if necessary. Concurrent callers share one request. */
  async key(): Promise<Result<CarrierConnection>> {
    const following = this.followKeyring()
    // An account in memory does not wait until it can be stored.
    if (this.account === null) await following
    const account = this.account
    if (account === null) return err(this.toNoAccountError())
    if (account.apiKey !== null) return ok({ baseUrl: new URL(account.baseUrl), apiKey: account.apiKey })
    if (this.signingIn?.account === account) return this.signingIn.done
    const done = this.fetchKey(account)
    this.signingIn = { account, done }
    return done
  }

  /**
   * Runs an operation with a key. When the service refuses the key, renews the key and repeats the operation, once: never
   * use this for the creation of a shipment.
   */
  async call<Value>(
    operation: (connection: CarrierConnection) => Promise<Result<Value>>,
  ): Promise<Result<Value>> {
    const connection = await this.key()
    if (!connection.ok) return connection
    const result = await operation(connection.value)
    if (result.ok || result.error.code !== 'key-refused') return result
    const renewed = await this.renewAfterRefusal(connection.value.apiKey)
    return renewed.ok ? operation(renewed.value) : renewed
  }

  /** Renews a key that the service refused, unless that is already done. */
  renewAfterRefusal(staleKey: string): Promise<Result<CarrierConnection>> {
    const account = this.account
    if (account?.apiKey === staleKey) {
      this.deps.log.info('the service refused the API key: a new one is fetched')
      this.storeAccount({ ...account, apiKey: null })
    }
    return this.key()
  }

  private async fetchKey(account: StoredAccount): Promise<Result<CarrierConnection>> {
    const signedIn = await this.signIn(account)
    if (this.signingIn?.account === account) this.signingIn = undefined
    // The account was replaced or forgotten meanwhile: this key belongs to the previous one.
    if (this.account !== account) return this.key()
    if (!signedIn.ok) {
      this.setError(signedIn.error)
      return signedIn
    }
    this.storeAccount(signedIn.value)
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
    this.registerSecrets(account)
    return ok(account)
  }

  private loadAccount(): void {
    const loaded = this.deps.vault.load()
    this.isLocked = !loaded.ok
    this.error = loaded.ok ? null : loaded.error
    if (!loaded.ok || loaded.value === null) return
    this.account = loaded.value.account
    this.noteStorage(loaded.value.storage)
    this.registerSecrets(loaded.value.account)
  }

  /** Loads the stored account. One that was provisioned meanwhile replaces it, unless it is the same without a key. */
  private loadLockedAccount(): void {
    const provided = this.account
    if (provided !== null && this.isWaitingForKeyring()) return
    this.loadAccount()
    if (provided === null) return
    const isSame = this.account !== null && hasSameCredentials(this.account, provided)
    if (this.isLocked || !isSame || provided.apiKey !== null) this.replaceAccount(provided)
  }

  /** Whether there is a stored account that only waits for the keyring's password. */
  private isWaitingForKeyring(): boolean {
    if (!this.isLocked) return false
    const loaded = this.deps.vault.load()
    return !loaded.ok && loaded.error.code === 'vault-locked'
  }

  /** Saves the account again when it is stored elsewhere than it would be stored now. */
  private moveAccount(): void {
    const { vault } = this.deps
    if (this.account === null || this.storedIn === vault.storage()) return
    const saved = vault.save(this.account, 'leave')
    if (saved.ok) this.noteStorage(saved.value)
    // An error that the service reported for the account stays.
    if (this.error === null || this.error.code === 'settings-not-saved') {
      this.error = saved.ok ? null : saved.error
    }
  }

  /** SECURITY: the redactor has to know secrets before their first use. */
  private registerSecrets({ user, password, apiKey }: StoredAccount): void {
    for (const secret of [user, password, apiKey]) {
      if (secret !== null) this.deps.redactor.add(secret)
    }
  }

  /** Replaces the account; an old vault file that can't be read is set aside. */
  private replaceAccount(account: StoredAccount): AccountStatus {
    this.isLocked = false
    this.storeAccount(account, 'set-aside')
    return this.status()
  }

  /** When the disk refuses the account, it stays in memory until the app closes, and the status reports that. */
  private storeAccount(account: StoredAccount, unreadable: 'set-aside' | 'leave' = 'leave'): void {
    this.account = account
    const saved = this.deps.vault.save(account, unreadable)
    this.noteStorage(saved.ok ? saved.value : 'memory')
    this.error = saved.ok ? null : saved.error
    this.emitChanged()
  }

  /** An account that is not on disk is held for the services that replace these. */
  private noteStorage(storage: AccountStatus['storage']): void {
    this.storedIn = storage
    this.deps.memory.held = storage === 'memory' ? this.account : null
  }

  private setError(error: AppError): void {
    this.error = error
    this.emitChanged()
  }

  private toNoAccountError(): AppError {
    if (this.isLocked && this.error !== null) return this.error
    return appError('no-account')
  }

  private emitChanged(): void {
    const status = this.status()
    this.lastEmitted = status
    this.deps.bus.emit('accountChanged', status)
  }
}

function hasSameCredentials(one: StoredAccount, other: StoredAccount): boolean {
  return one.baseUrl === other.baseUrl && one.user === other.user && one.password === other.password
}

/** What the account's status is derived from. */
interface SessionFacts {
  account: StoredAccount | null
  /** The stored account can't be read, e.g. because the keyring is locked. */
  isLocked: boolean
  /** Where the account is stored, or would be stored. */
  storage: AccountStatus['storage']
  isKeyringLocked: boolean
  /** The last error that still applies. */
  error: AppError | null
}

/** SECURITY: the status contains name, ids and host, but no user name, password or key. */
function toStatus({ account, isLocked, storage, isKeyringLocked, error }: SessionFacts): AccountStatus {
  const nobody = { host: null, name: null, customerId: null, accountId: null }
  if (account === null) {
    return { state: isLocked ? 'locked' : 'none', ...nobody, storage, isKeyringLocked, error }
  }
  // Credentials that could not be saved still work, from memory.
  const notSaved = error?.code === 'settings-not-saved'
  const working = account.apiKey !== null && (error === null || notSaved)
  return {
    state: working ? 'connected' : 'not-connected',
    host: new URL(account.baseUrl).host,
    name: account.name,
    customerId: account.customerId,
    accountId: account.accountId,
    storage,
    isKeyringLocked,
    error,
  }
}
