import type { AppStatus, Backup } from '../../shared/app'
import type { Result } from '../../shared/result'
import type { Features } from '../app/compose'
import type { TargetConsent } from '../app/targetConsent'
import type { EventBus } from '../lib/eventBus'
import type { Rasterizer } from '../printing/raster/rasterizer'
import type { TrackingTables } from '../tracking/trackingTables'

/** What the handlers need besides the features. */
export interface HandlerDeps {
  /** The working features; the trouble while there are none. */
  features(): Result<Features>
  status(): Promise<AppStatus>
  retryStart(): Promise<AppStatus>
  setAsideSettings(): Promise<Result<unknown>>
  confirmClock(): Promise<Result<unknown>>
  backups(): Promise<Backup[]>
  restoreBackup(name: string): Promise<Result<unknown>>
  recoverHistory(way: 'rebuild' | 'continue'): Promise<unknown>
  rasterizer: Rasterizer
  openDataFolder(): Promise<void>
  openInBrowser(link: string): Promise<boolean>
  copyText(text: string): void
  chooseFolder(): Promise<string | null>
  /** Asks for a person's consent to new places that labels, orders or credentials go to. */
  targetConsent: TargetConsent
  /** Saves bytes at a place of the person's choice; null when they chose none. */
  saveFile(fileName: string, bytes: Uint8Array): Promise<Result<string | null>>
  tables: TrackingTables
  now(): Date
  platform: NodeJS.Platform
  dataFolder: string
  bus: EventBus
}
