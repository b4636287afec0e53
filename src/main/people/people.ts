import { type HandlersOf, type MethodInput, type MethodName, methods } from '../../shared/bridge'
import type { Guard, GuardOf } from '../../shared/contract'
import { appError } from '../../shared/errors'
import type { PeopleStatus, peopleMethods } from '../../shared/people'
import { err, ok, type Result } from '../../shared/result'
import { toBareBadge } from '../../shared/scanner'
import type { EventBus } from '../lib/eventBus'
import type { JsonFile } from '../lib/jsonText'
import type { Log } from '../log/log'
import type { SettingsStore } from '../settings/settingsStore'
import type { Database } from '../storage/database'
import { createPin } from './pin'
import { createPinNote, type PinNote } from './repository'

const guardTable: { [Name in MethodName]: { guard: GuardOf<MethodInput<Name>> | 'none' } } = methods

interface PeopleDeps {
  settings: Pick<SettingsStore, 'current'>
  pinFile: JsonFile
  pinNote: PinNote
  bus: EventBus
  log: Log
  now: () => Date
}

/** The operator who is signed in, and the grant of the PIN. Neither outlives the app. */
export class People {
  private readonly pin
  private operator: string | null = null
  private grantedAt: Date | null = null
  private grantTimer: NodeJS.Timeout | undefined
  private readonly stopFollowing: () => void

  constructor(private readonly deps: PeopleDeps) {
    this.pin = createPin({ ...deps, file: deps.pinFile })
    this.stopFollowing = deps.bus.on('settingsChanged', ({ people }) => {
      const isKnown = people.operators.some(({ name }) => name === this.operator)
      if (this.operator !== null && !isKnown) this.signOut()
    })
  }

  status(): PeopleStatus {
    return {
      operator: this.operator,
      hasPin: this.pin.isSet(),
      isGranted: this.isGranted(),
      retryAt: this.pin.retryAt()?.toISOString() ?? null,
    }
  }

  /** The name of the operator who is signed in; null when nobody is. */
  current(): string | null {
    return this.operator
  }

  /** As `current`; `operator-required` if the settings require a sign-in and nobody is signed in. */
  checkOperator(): Result<string | null> {
    const { operators, isRequired } = this.deps.settings.current().people
    return isRequired && operators.length > 0 && this.operator === null
      ? err(appError('operator-required'))
      : ok(this.operator)
  }

  /** `operator-unknown` if no operator has this badge or name. */
  signIn(by: MethodInput<'signIn'>): Result<PeopleStatus> {
    const { people, scanner } = this.deps.settings.current()
    const scanned = 'badge' in by ? toBareBadge(by.badge, scanner) : undefined
    const found = people.operators.find(({ name, badge }) =>
      'badge' in by ? badge !== undefined && toBareBadge(badge, scanner) === scanned : name === by.name,
    )
    if (found === undefined) return err(appError('operator-unknown'))
    if (this.operator !== found.name) this.endGrant()
    this.operator = found.name
    return ok(this.publishStatus())
  }

  signOut(): PeopleStatus {
    this.operator = null
    return this.endGrant()
  }

  /** Permits guarded calls for the time in the settings; see `createPin` for errors. */
  async enterPin(typed: string): Promise<Result<PeopleStatus>> {
    const checked = await this.pin.check(typed)
    if (!checked.ok) {
      this.publishStatus()
      return checked
    }
    clearTimeout(this.grantTimer)
    this.grantedAt = this.deps.now()
    this.grantTimer = setTimeout(() => this.endGrant(), this.grantMs())
    this.grantTimer.unref()
    return ok(this.publishStatus())
  }

  endGrant(): PeopleStatus {
    clearTimeout(this.grantTimer)
    this.grantedAt = null
    return this.publishStatus()
  }

  /** See `createPin`. Checks no grant: `permit` does so for the bridge, and a provisioning file needs none. */
  async setPin(pin: string | null): Promise<Result<PeopleStatus>> {
    const set = await this.pin.set(pin)
    if (!set.ok) return set
    this.deps.log.info(pin === null ? 'the PIN was removed' : 'the PIN was set')
    return ok(this.publishStatus())
  }

  /** SECURITY: `pin-required` for a guarded call, unless the PIN was entered and its grant has not expired. */
  permit<Name extends MethodName>(method: Name, input: MethodInput<Name>): Result<undefined> {
    const stated = guardTable[method].guard
    const guard = typeof stated === 'function' ? stated(input) : stated
    return guard === 'none' ? ok(undefined) : this.permitAction(guard)
  }

  /** SECURITY: as `permit`, for a handler that finds out only from its own data whether a call is guarded. */
  permitAction(guard: Guard): Result<undefined> {
    return this.isGuarded(guard) && !this.isGranted() ? err(appError('pin-required')) : ok(undefined)
  }

  /** Whether the PIN guards these actions; also true after it was typed. */
  isGuarded(guard: Guard): boolean {
    const isOn = guard === 'people' || this.deps.settings.current().people.guards.includes(guard)
    return isOn && this.pin.isSet()
  }

  stop(): void {
    clearTimeout(this.grantTimer)
    this.stopFollowing()
  }

  /** Compares the clock, since timers stop while the computer sleeps. A clock that was set back ends the grant. */
  private isGranted(): boolean {
    if (this.grantedAt === null) return false
    const heldMs = this.deps.now().getTime() - this.grantedAt.getTime()
    return heldMs >= 0 && heldMs < this.grantMs()
  }

  private grantMs(): number {
    return this.deps.settings.current().people.grantMinutes * 60_000
  }

  private publishStatus(): PeopleStatus {
    const status = this.status()
    this.deps.bus.emit('peopleChanged', status)
    return status
  }
}

interface CreatePeopleDeps extends Omit<PeopleDeps, 'pinNote'> {
  database: Database
  /** Whether a PIN was set when the database was opened. */
  hadPin: boolean
}

export function createPeople(deps: CreatePeopleDeps) {
  const people = new People({ ...deps, pinNote: createPinNote(deps.database, deps.hadPin) })
  const handlers: HandlersOf<typeof peopleMethods> = {
    getPeople: () => ok(people.status()),
    signIn: (by) => people.signIn(by),
    signOut: () => ok(people.signOut()),
    enterPin: ({ pin }) => people.enterPin(pin),
    endGrant: () => ok(people.endGrant()),
    setPin: ({ pin }) => people.setPin(pin),
  }
  return { people, currentOperator: () => people.current(), handlers }
}
