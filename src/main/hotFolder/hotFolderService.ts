import { isAbsolute, join, parse } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { HandlersOf } from '../../shared/bridge'
import { type AppError, appError } from '../../shared/errors'
import type { hotFolderMethods } from '../../shared/hotFolder'
import type { OrderIssue, OrderValues } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import type { HotFolderSettings } from '../../shared/settings'
import type { CustomsRepository } from '../customs/repository'
import type { Fleet } from '../fleet/fleet'
import { createMutex } from '../lib/async'
import type { EventBus } from '../lib/eventBus'
import { inTime } from '../lib/retry'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { HeldOrders } from '../orders/heldOrders'
import type { ReadOrderTable } from '../orders/orderImport'
import type { People } from '../people/people'
import type { SettingsStore } from '../settings/settingsStore'
import type { Database } from '../storage/database'
import type { DataFolder } from '../storage/dataFolder'
import { readStationId } from '../storage/stationId'
import { HotFolder, type HotFolderStatus } from './hotFolder'
import { OrderFileIssues } from './issues'
import { createOrderShipping, type OrderShipping, type OrderShippingDeps } from './lineOutcome'
import { OrderFileIssueRepository, type OrderFileIssueRow, OrderFileRepository } from './repository'

export interface HotFolderServiceDeps extends OrderShippingDeps {
  database: Database
  settings: Pick<SettingsStore, 'current'>
  heldOrders: Pick<HeldOrders, 'hold' | 'find' | 'whenChanged'>
  people: Pick<People, 'checkOperator' | 'permitAction'>
  /** Who is signed in; null when nobody is. */
  currentOperator(): string | null
  fleet: Pick<Fleet, 'findFleetId' | 'findRefusal' | 'isMember' | 'listOutcomes' | 'waitForAttempt'>
  tables: { readRows: ReadOrderTable }
  customs: Pick<CustomsRepository, 'listSendingCountries'>
  places: DataFolder
  bus: EventBus
  log: Log
  now(): Date
}

/** Runs the hot folder that the settings describe. */
export class HotFolderService {
  readonly issues: OrderFileIssues
  private readonly files: OrderFileRepository
  private readonly shipping: OrderShipping
  // One change at a time: two running hot folders would take each other's files.
  private readonly mutex = createMutex()
  private hotFolder: HotFolder | undefined
  /** By folder: resolves when its last hot folder has ended. */
  private readonly endings = new Map<string, Promise<void>>()
  private settings: HotFolderSettings | null = null
  private failure: AppError | null = null

  /** No folder is touched before `follow`. */
  constructor(private readonly deps: HotFolderServiceDeps) {
    this.files = new OrderFileRepository(deps.database)
    this.issues = new OrderFileIssues({
      ...deps,
      repository: new OrderFileIssueRepository(deps.database),
    })
    this.shipping = createOrderShipping(deps)
  }

  /** Starts, moves or ends the hot folder after the settings changed. Failures appear in the status. */
  follow(settings: HotFolderSettings | null): Promise<void> {
    return this.mutex(() => this.change(settings).catch((error: unknown) => this.giveUp(error)))
  }

  /** Retries waiting files after the account changed, unless the account has an error. */
  retry(): void {
    const { state, error } = this.deps.session.status()
    if (error === null || state === 'connected') this.hotFolder?.retry()
  }

  status(): HotFolderStatus {
    const { failure } = this
    if (failure !== null) return { state: 'error', message: failure.message, error: failure, waiting: 0 }
    return this.hotFolder?.status() ?? { state: 'off', message: null, error: null, waiting: 0 }
  }

  /**
   * Writes a corrected shipment to the folder and closes its issue; returns `issues` if it is still invalid.
   * `operator-required` if the settings require a sign-in, since an operator ships here, although through the folder;
   * `pin-required` as `permitChange`.
   */
  async sendAgain(
    issueId: string,
    values: OrderValues,
  ): Promise<Result<{ issues: OrderIssue[]; file: string | null }>> {
    const signedIn = this.deps.people.checkOperator()
    if (!signedIn.ok) return signedIn
    const found = await this.issues.find(issueId)
    if (!found.ok) return found
    const row = found.value
    const permitted = this.permitChange(row)
    if (!permitted.ok) return permitted
    const corrected = await this.issues.correct(row, values, this.settings?.mode === 'hold')
    if (!corrected.ok) return corrected
    if (!corrected.value.ok) return ok({ issues: corrected.value.error, file: null })
    const { hotFolder } = this
    if (hotFolder === undefined) {
      return err(appError('hot-folder-not-working', { reference: row.reference ?? row.file }))
    }
    // A crash before the issue is closed leaves it open; the duplicate guard then blocks a second shipment.
    const dropped = await hotFolder.drop(`${toStem(row.file)}.line-${row.line ?? 1}`, corrected.value.value)
    if (!dropped.ok) return dropped
    const closed = await this.issues.close(issueId, '', dropped.value)
    return closed.ok ? ok({ issues: [], file: dropped.value }) : closed
  }

  /** Closes an issue with a person's note; `order-issue-not-open` if it is closed, `pin-required` as `permitChange`. */
  async closeIssue(issueId: string, note: string): Promise<Result<undefined>> {
    const found = await this.issues.find(issueId)
    if (!found.ok) return found
    const permitted = this.permitChange(found.value)
    return permitted.ok ? this.issues.close(issueId, note) : permitted
  }

  /** SECURITY: `pin-required` for an unknown outcome while the PIN guards resolving: its shipment may exist at the carrier. */
  private permitChange({ kind }: OrderFileIssueRow): Result<undefined> {
    return kind === 'unknown' ? this.deps.people.permitAction('resolve') : ok(undefined)
  }

  /** The folder that contains the file of an issue. */
  async findFolder(issueId: string): Promise<Result<string>> {
    const found = await this.issues.find(issueId)
    if (!found.ok) return found
    const { kind, reference, file } = found.value
    const folders = this.hotFolder?.folders
    if (folders === undefined)
      return err(appError('hot-folder-not-working', { reference: reference ?? file }))
    return ok(kind === 'ignored' ? folders.in : folders.failed)
  }

  /** Never rejects, so that the rest of the app is closed too. Resolves within 2 s, also if the share does not answer. */
  stop(): Promise<void> {
    return this.mutex(() => this.end(false))
  }

  private async change(settings: HotFolderSettings | null): Promise<void> {
    const { settings: before, files, shipping } = this
    const isSame = isDeepStrictEqual(settings, before)
    if (this.failure === null && isSame) return
    this.settings = settings
    this.failure = null
    const isMoved = settings?.path !== before?.path
    await this.end(isMoved)
    // The first listing of another folder finds the ignored files there. A folder that still runs could add its own again.
    if (before !== null && isMoved) await this.issues.noteIgnored([])
    if (settings === null) return
    const { places, bus, log, now, fleet, heldOrders, tables, customs } = this.deps
    const sharing = settings.shared === true && {
      station: await readStationId(places.root),
      findFleetId: () => fleet.findFleetId(),
    }
    const folder = isAbsolute(settings.path) ? settings.path : join(places.root, settings.path)
    const next = new HotFolder({
      ...(sharing && { sharing }),
      folder,
      dataFolder: places.root,
      previousEnded: this.endings.get(folder),
      print: settings.print,
      holdsOrders: settings.mode === 'hold',
      ...{ shipping, files, issues: this.issues, heldOrders, bus, log, now },
      tables: {
        settings: this.deps.settings,
        readTable: tables.readRows,
        sendingCountries: () => customs.listSendingCountries(),
      },
    })
    this.hotFolder = next
    // Not awaited: a share that does not answer would keep the station from starting.
    void next.start()
    bus.emit('statusOutdated')
  }

  private async giveUp(error: unknown): Promise<void> {
    const reason = toReason(error)
    this.failure = appError('hot-folder-not-started', { reason })
    this.deps.log.error('the hot folder could not be started with the new settings; it is off', { reason })
    await this.end(false)
  }

  /** @param handOver whether to release the folder to other stations */
  private async end(handOver: boolean): Promise<void> {
    const ending = this.hotFolder
    this.hotFolder = undefined
    if (ending === undefined) return
    const ended = ending
      .stop()
      .then(() => (handOver ? ending.handOver() : undefined))
      .catch((error: unknown) =>
        this.deps.log.error(
          'the hot folder could not be stopped cleanly; the next start repeats what is unfinished',
          { reason: toReason(error) },
        ),
      )
    this.endings.set(ending.folders.root, ended)
    await inTime(ended, maxStopMs)
  }
}

/** Handlers for the issues of the hot folder. */
export function createHotFolderHandlers(
  hotFolder: HotFolderService,
  openFolder: (path: string) => Promise<Result<undefined>>,
): HandlersOf<typeof hotFolderMethods> {
  return {
    listOrderFileIssues: async ({ closed }) => ok(await hotFolder.issues.list(closed)),
    closeOrderFileIssue: ({ issueId, note }) => hotFolder.closeIssue(issueId, note),
    sendOrderAgain: ({ issueId, values }) => hotFolder.sendAgain(issueId, values),
    openOrderFolder: async ({ issueId }) => {
      const folder = await hotFolder.findFolder(issueId)
      return folder.ok ? openFolder(folder.value) : folder
    },
  }
}

/** A share that does not answer must not keep the station from closing or from using another folder. */
const maxStopMs = 2000

/** The start of the name of a file that is made from another one. */
function toStem(file: string): string {
  // Half a character would become another name on the disk than the hot folder finds there.
  return parse(file)
    .name.slice(0, maxStem)
    .replace(/[\uD800-\uDBFF]$/, '')
}

/** Leaves room in the file name for the line, a number and `.result.json`. */
const maxStem = 50
