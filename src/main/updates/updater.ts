import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dispatcher } from 'undici'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { UpdateHold, UpdateSettings, UpdateStatus } from '../../shared/updates'
import type { JsonFile } from '../lib/jsonText'
import { readValid } from '../lib/readValid'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import {
  type ChannelRefusal,
  chooseFile,
  hasExpired,
  type Installation,
  maxChannelBytes,
  readChannel,
  type UpdateFile,
} from './channel'
import { type DownloadFailure, fetchFile, fetchText, hasContent } from './download'

/** How this installation is updated, and the key that signs its updates. */
export interface UpdateMethod extends Installation {
  /** Ed25519, as SPKI in base64; empty when the app was built without one. */
  publicKey: string
  /**
   * Installs a verified file and restarts the app; null where a person or the system's package manager does that. Asks again
   * before the last step if those before it take long, and returns the hold that prevented it.
   */
  replace: ((file: string, findHold: FindHold) => ReturnType<FindHold>) | null
}

/** Why the app must not be restarted now; null when it may be. */
export type FindHold = () => Promise<UpdateHold | null>

export interface UpdaterDeps {
  method: UpdateMethod
  settings(): UpdateSettings | null
  /** For downloads that are not installed yet. */
  folder: string
  /** Stores `signedAt` of the newest file of each channel. */
  channelsFile: Pick<JsonFile, 'read' | 'write'>
  /** Uses the station's proxy and certificates; the caller closes it. */
  dispatcher(timeoutMs: number): Promise<Dispatcher>
  findHold: FindHold
  onChange(): void
  log: Log
  now(): Date
}

/** `signedAt` by the channel's name. */
const seenSchema = z.record(z.string(), z.iso.datetime())

const connectTimeoutMs = 20_000
const channelTimeoutMs = 60_000
const fileTimeoutMs = 60 * 60_000
/** From the start to the first check, and from one check to the next. */
const looks = { firstMs: 60_000, everyMs: 6 * 60 * 60_000 }

/** Checks for updates, downloads them in the background, and installs one on request when no work is unfinished. */
export class Updater {
  private step: UpdateStatus['step'] = 'idle'
  private lookedAt: Date | null = null
  private error: AppError | null = null
  private offered: UpdateStatus['offered'] = null
  private progress = 0
  /** The downloaded and verified file, and when its channel expires. */
  private ready: { path: string; file: UpdateFile; version: string; expiresAt: string | undefined } | null =
    null
  private looking: Promise<void> | undefined
  private restarting: Promise<Result<undefined>> | undefined
  private timer: NodeJS.Timeout | undefined
  private stopping = new AbortController()
  /** The current update settings as JSON, to detect changes. */
  private known = ''

  constructor(private readonly deps: UpdaterDeps) {}

  /** Starts periodic checks. Deletes downloads of earlier runs: a version that is still offered is downloaded again. */
  async start(): Promise<void> {
    this.known = JSON.stringify(this.deps.settings())
    await this.clear()
    this.plan(looks.firstMs)
  }

  /** Aborts checks and downloads. Nothing is installed when the app exits. */
  async stop(): Promise<void> {
    clearTimeout(this.timer)
    this.stopping.abort()
    await this.looking
  }

  /** Applies changed settings: discards what the previous server offered. */
  async followSettings(): Promise<void> {
    const wanted = JSON.stringify(this.deps.settings())
    if (wanted === this.known) return
    this.known = wanted
    // Before the await: the discarded update must not be installed meanwhile.
    this.ready = null
    await this.end()
    this.offered = null
    this.ready = null
    this.error = null
    this.lookedAt = null
    this.progress = 0
    this.setStep('idle')
    if (this.deps.settings() !== null) this.plan(0)
  }

  async status(): Promise<UpdateStatus> {
    const { method, settings, findHold } = this.deps
    const found = this.step === 'ready' ? await findHold() : null
    // Read after the await, so that the status is current.
    return {
      version: method.version,
      way: method.publicKey === '' ? 'never' : method.replace === null ? 'by-hand' : 'replaces',
      settings: settings(),
      lookedAt: this.lookedAt?.toISOString() ?? null,
      error: this.error,
      step: this.step,
      offered: this.offered,
      progress: this.progress,
      hold: this.step === 'ready' ? found : null,
    }
  }

  /** Checks now and downloads an offered file; a concurrent call waits for the first. */
  look(): Promise<void> {
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = undefined
    })
    return this.looking
  }

  /**
   * Installs the update and restarts the app; a concurrent call waits for the first.
   * @returns `update-not-now` while work is unfinished or once the update's channel has expired; nothing is changed then.
   * `update-refused` if the file was changed after its download; it is downloaded again
   */
  restart(): Promise<Result<undefined>> {
    this.restarting ??= this.restartOnce().finally(() => {
      this.restarting = undefined
    })
    return this.restarting
  }

  private async restartOnce(): Promise<Result<undefined>> {
    const { method, findHold, log } = this.deps
    const { ready } = this
    if (ready === null || method.replace === null) return err(appError('update-not-now', { case: 'none' }))
    const hold = await findHold()
    if (hold !== null) return err(appError('update-not-now', { case: hold }))
    const isUnchanged = await hasContent(ready.path, ready.file)
    // Discarded with the settings of the previous server, or expired while the server could not be asked.
    if (this.ready !== ready || hasExpired(ready, this.deps.now())) {
      return err(appError('update-not-now', { case: 'none' }))
    }
    if (!isUnchanged) return this.refuseDownload(ready.path)
    log.info('an update is being installed', { version: ready.version, before: method.version })
    try {
      const begun = await method.replace(ready.path, findHold)
      return begun === null ? ok(undefined) : err(appError('update-not-now', { case: begun }))
    } catch (error) {
      this.error = appError('update-not-placed', { version: ready.version, reason: toReason(error) })
      this.deps.onChange()
      return err(this.error)
    }
  }

  /** Deletes a file that was changed after its download, and downloads it again. */
  private async refuseDownload(path: string): Promise<Result<undefined>> {
    this.ready = null
    await rm(path, { force: true }).catch(() => undefined)
    this.error = appError('update-refused', { case: 'content', file: path })
    this.deps.log.warn(this.error.message)
    this.setStep('idle')
    this.plan(0)
    return err(this.error)
  }

  private async lookOnce(): Promise<void> {
    const settings = this.deps.settings()
    if (settings === null || this.deps.method.publicKey === '') return
    clearTimeout(this.timer)
    const { signal } = this.stopping
    this.setStep(this.ready === null ? 'looking' : 'ready')
    try {
      const dispatcher = await this.deps.dispatcher(connectTimeoutMs)
      try {
        this.error = (await this.offer(settings, dispatcher, signal)) ?? null
      } finally {
        await dispatcher.destroy()
      }
    } catch (error) {
      // E.g. a damaged key of the build. The next check must follow, and a change of the settings waits for this one.
      this.deps.log.error('the check for updates failed unexpectedly', { reason: toReason(error) })
      this.error = refused('unreadable', toUrl(settings, `${settings.channel}.json`))
    }
    if (signal.aborted) return
    this.lookedAt = this.deps.now()
    if (this.error !== null) {
      this.deps.log.warn('the check for updates failed: it is repeated later', {
        code: this.error.code,
        reason: this.error.message,
      })
    }
    this.setStep(this.ready === null ? 'idle' : 'ready')
    this.plan(looks.everyMs)
  }

  private async offer(
    settings: UpdateSettings,
    dispatcher: Dispatcher,
    signal: AbortSignal,
  ): Promise<AppError | undefined> {
    const { method } = this.deps
    const { channel: name } = settings
    const url = toUrl(settings, `${name}.json`)
    const within = (ms: number) => AbortSignal.any([signal, AbortSignal.timeout(ms)])
    const text = await fetchText({ dispatcher, url, signal: within(channelTimeoutMs) }, maxChannelBytes)
    if (!text.ok) return failed(text.error, url)
    const seen = this.readSeen()
    const wanted = { publicKey: method.publicKey, channel: name, newest: seen[name], now: this.deps.now() }
    const channel = readChannel(text.value, wanted)
    if (!channel.ok) {
      if (channel.error === 'expired') await this.withdraw()
      return refused(channel.error, url)
    }
    const { signedAt, expiresAt, version } = channel.value
    if (signedAt !== seen[name]) this.noteSeen({ ...seen, [name]: signedAt })
    const file = chooseFile(channel.value, method)
    if (file === undefined) {
      await this.withdraw()
      return undefined
    }
    const fileUrl = toUrl(settings, file.name)
    this.offered = { version, file: fileUrl.href }
    if (method.replace === null) return undefined
    if (this.ready?.file.sha512 === file.sha512) {
      this.ready.expiresAt = expiresAt
      return undefined
    }
    this.ready = null
    const path = join(this.deps.folder, file.name)
    try {
      await this.clear()
      await mkdir(this.deps.folder, { recursive: true })
    } catch (error) {
      return appError('update-not-placed', { version, reason: toReason(error) })
    }
    this.progress = 0
    this.setStep('downloading')
    const get = { dispatcher, url: fileUrl, signal: within(fileTimeoutMs) }
    const fetched = await fetchFile(get, file, path, (share) => this.setProgress(share))
    if (!fetched.ok) return failed(fetched.error, fileUrl)
    this.ready = { path, file, version, expiresAt }
    return undefined
  }

  /** Drops what the channel no longer offers. */
  private async withdraw(): Promise<void> {
    this.offered = null
    this.ready = null
    await this.clear()
  }

  /** Reports whole percents only. */
  private setProgress(share: number): void {
    if (Math.floor(share * 100) === Math.floor(this.progress * 100)) return
    this.progress = share
    this.deps.onChange()
  }

  private setStep(step: UpdateStatus['step']): void {
    this.step = step
    this.deps.onChange()
  }

  private plan(afterMs: number): void {
    clearTimeout(this.timer)
    if (this.stopping.signal.aborted || this.deps.method.publicKey === '') return
    this.timer = setTimeout(() => void this.look(), afterMs)
    this.timer.unref()
  }

  private async end(): Promise<void> {
    clearTimeout(this.timer)
    this.stopping.abort()
    await this.looking
    this.stopping = new AbortController()
  }

  /** An unreadable file only disables the check for older files; signatures are still verified. */
  private readSeen(): Record<string, string> {
    return readValid(seenSchema, () => this.deps.channelsFile.read()) ?? {}
  }

  private noteSeen(seen: Record<string, string>): void {
    try {
      this.deps.channelsFile.write(seen)
    } catch (error) {
      this.deps.log.warn('the signing time of the update channel could not be saved', {
        reason: toReason(error),
      })
    }
  }

  /** Deletes downloads of earlier checks, after a running installation has ended. */
  private async clear(): Promise<void> {
    const { folder } = this.deps
    await Promise.allSettled([this.restarting])
    const files = await readdir(folder).catch(() => [])
    for (const file of files)
      await rm(join(folder, file), { recursive: true, force: true }).catch(() => undefined)
  }
}

function toUrl({ url }: UpdateSettings, name: string): URL {
  return new URL(name, url.endsWith('/') ? url : `${url}/`)
}

/** An unreadable file is reported by the general case of the error. */
function refused(why: ChannelRefusal, { href }: URL): AppError {
  return appError('update-refused', { case: why === 'unreadable' ? 'other' : why, file: href })
}

function failed({ kind, reason }: DownloadFailure, { href }: URL): AppError {
  switch (kind) {
    case 'differs':
      return appError('update-refused', { case: 'content', file: href })
    case 'disk':
      return appError('update-not-placed', { reason, version: '' })
    case 'status':
    case 'unreachable':
      return appError('update-unreachable', { file: href, reason })
  }
}
