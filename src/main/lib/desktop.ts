import type { AccountStatus } from '../../shared/account'
import type { Backup } from '../../shared/app'
import type { Language } from '../../shared/fields'
import type { FleetSettings } from '../../shared/fleet'
import type { Printer } from '../../shared/printing'
import type { Result } from '../../shared/result'
import type { Scale } from '../../shared/scale'
import type { Settings, SettingsChange } from '../../shared/settings'

/** Services of the operator's desktop: dialogs, chosen files, the clipboard, the browser. */
export interface Desktop {
  /** Lets the operator choose a folder; null when cancelled. */
  chooseFolder(): Promise<string | null>
  /** Lets the operator choose a CSV or XLSX file; returns its absolute path, null when cancelled. */
  chooseTableFile(): Promise<string | null>
  /**
   * Lets the operator choose where to save a file, and writes it there.
   * @returns its path, null when cancelled; 'file-not-saved' when it could not be written
   */
  saveFile(fileName: string, bytes: Uint8Array): Promise<Result<string | null>>
  /** Asks whether labels, orders and credentials may go to new destinations. */
  askConsent(language: Language, targets: readonly Target[]): Promise<boolean>
  /**
   * Shows the consequences of restoring a station's copy and asks for confirmation.
   * @param targets those that the settings of the copy bring
   */
  askRestore(language: Language, folder: string, copy: Backup, targets: readonly Target[]): Promise<boolean>
  /** Asks whether the app may end although labels in memory can be lost then. */
  askQuit(language: Language): Promise<boolean>
  /** Lets the operator choose a scale; returns its index, null when cancelled. */
  chooseScale(language: Language, scales: readonly Scale[]): Promise<number | null>
  copyText(text: string): void
  /** Opens a link in the browser; false when the link is not safe to open. */
  openInBrowser(link: string): Promise<boolean>
  openFolder(path: string): Promise<Result<undefined>>
}

/** A destination or source of labels, orders or credentials. */
export type Target =
  | { kind: 'printer'; printer: string; place: string }
  | { kind: 'printer-folder'; printer: string; place: string }
  | { kind: 'hot-folder'; place: string }
  | { kind: 'import-folder'; place: string }
  | { kind: 'label-host'; place: string }
  | { kind: 'printer-scan'; place: string }
  | { kind: 'service'; place: string }
  | { kind: 'scale'; place: string }
  | { kind: 'weak-storage'; place: string }
  | { kind: 'fleet'; place: string }
  | { kind: 'proxy'; place: string }
  | { kind: 'backup-folder'; place: string }
  | { kind: 'certificates'; place: string }
  | { kind: 'updates'; place: string }

/** The account before a change. */
export interface AccountBefore {
  state: AccountStatus['state']
  /** Null without an account, or when the account can't be read. */
  baseUrl: URL | null
}

/** Requires a person's consent to each new target, because a script in the page could name its own. */
export interface TargetConsent {
  /** Records a folder that a person chose in the system's dialog, which counts as consent, except for copies of the station. */
  noteChosenFolder(path: string): void
  /** Asks once about all new targets of a change; returns `change-not-confirmed` when the answer is no. */
  forChange(change: SettingsChange, settings: Settings): Promise<Result<undefined>>
  /** The same for a printer that is to be queried. */
  forPrinter(printer: Printer, settings: Settings): Promise<Result<undefined>>
  /** The same for addresses at which printers are looked for. */
  forScan(addresses: string): Promise<Result<undefined>>
  /**
   * The same for the service that credentials are sent to, when it changes. At set-up there is no earlier service, and the
   * one that the person types is accepted.
   */
  forAccount(baseUrl: string, before: AccountBefore): Promise<Result<undefined>>
  /** The same for the database that shipments, addresses and labels are shared through. */
  forFleet(wanted: FleetSettings, present: FleetSettings | null): Promise<Result<undefined>>
  /**
   * The same for a connection test: the proxy, the trusted authorities, and the host if it is not the account's. At set-up
   * the host that the person types is accepted.
   */
  forNetworkTest(
    origin: URL,
    wanted: Pick<SettingsChange, 'proxy' | 'certificates'>,
    present: Settings,
    before: AccountBefore,
  ): Promise<Result<undefined>>
  /** To be called when the account is removed. A script could do that to get back to set-up, so set-up stays over for this run. */
  noteForgotten(before: AccountBefore): void
}
