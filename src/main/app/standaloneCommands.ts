import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { app } from 'electron'
import { locales } from '../../locales'
import { err, ok, type Result } from '../../shared/result'
import { defaultSettings } from '../../shared/settings'
import type { Target } from '../lib/desktop'
import { readSettings, readSettingsOrDefaults } from '../settings/settingsStore'
import {
  type ClosedOpenWork,
  countClosedOpenWork,
  type DatabaseProcess,
  isDatabaseEmpty,
} from '../storage/databaseChecks'
import { placesIn } from '../storage/dataFolder'
import { copyStation, findStationCopy, restoreStation, type StationCopy } from '../storage/stationCopy'
import { prepareBrowserFolder } from './browser'
import { isClockPlausible } from './clockRepository'
import { openConfigFile } from './configFile'
import { describeTargets } from './desktop'
import { writeDiagnostics } from './diagnostics'
import { createDatabaseProcess } from './forkDatabaseProcess'
import { acquireInstanceLock, describeRuntime, printAndExit } from './process'
import { findRestoredTargets } from './targetConsent'

/** A command that runs instead of the app. */
export type StandaloneCommand =
  | { kind: 'diagnostics'; dataFolder: string; file: string }
  | { kind: 'backup'; dataFolder: string; folder: string }
  | { kind: 'restore'; dataFolder: string; folder: string; isConfirmed: boolean; mayForget: boolean }

type Wanted<Kind> = Extract<StandaloneCommand, { kind: Kind }>

/**
 * Runs the command and ends the process.
 * @param script the built `databaseProcessEntry.ts`
 */
export async function runStandaloneCommand(work: StandaloneCommand, script: URL): Promise<void> {
  if (needsDisplay()) return startWithoutDisplay()
  const databaseProcess = createDatabaseProcess(script)
  if (work.kind === 'diagnostics') exportDiagnostics(work, databaseProcess)
  else if (work.kind === 'backup') backUpStation(work, databaseProcess)
  else restoreFrom(work, databaseProcess)
}

/**
 * Whether Electron would end this process if it finds no display, as over ssh and in cron. A display that is named may not answer,
 * and these commands need none.
 */
function needsDisplay(): boolean {
  const isPlatformGiven = process.argv.some((argument) => argument.startsWith('--ozone-platform='))
  return process.platform === 'linux' && !isPlatformGiven
}

/** Starts the command once more without a display, which Chromium decides before this program runs, and ends with its exit code. */
async function startWithoutDisplay(): Promise<void> {
  // First, because Chromium reads no switch behind «--». Without a graphics card it would report many errors.
  const entry = app.isPackaged ? 1 : 2
  const switches = ['--ozone-platform=headless', '--disable-gpu']
  const args = [...process.argv.slice(1, entry), ...switches, ...process.argv.slice(entry)]
  const again = spawn(process.execPath, args, { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => again.kill(signal))
  const code = await new Promise<number>((resolve) => {
    again.once('error', (error) => {
      process.stderr.write(`${String(error)}\n`)
      resolve(1)
    })
    again.once('exit', (ended) => resolve(ended ?? 1))
  })
  app.exit(code)
}

/** Writes the diagnostics of a data folder, also while a station runs on it. */
function exportDiagnostics(
  { dataFolder, file }: Wanted<'diagnostics'>,
  databaseProcess: DatabaseProcess,
): void {
  runBesideStation(async () => {
    const written = await writeDiagnostics(file, {
      places: placesIn(dataFolder),
      runtime: describeRuntime(),
      status: undefined,
      databaseProcess,
      now: () => new Date(),
    })
    return written.ok ? ok([`Diagnostics were written to ${file}.`]) : err([written.error.message])
  })
}

/** Copies a station's data, also while the station runs. */
function backUpStation({ dataFolder, folder }: Wanted<'backup'>, databaseProcess: DatabaseProcess): void {
  runBesideStation(async () => {
    const deps = { places: placesIn(dataFolder), databaseProcess, now: () => new Date() }
    const opened = readSettings(openConfigFile(dataFolder, 'settings'))
    const { retentionDays, backup } = opened.ok ? opened.value.settings : defaultSettings
    const signal = AbortSignal.timeout(maxCopyMs)
    const isPlausible = await isClockPlausible(databaseProcess, deps.places.database, deps.now(), signal)
    const mayRemove = isPlausible && opened.ok && opened.value.wereSaved
    const options = { keep: backup.keep, labelDays: retentionDays, mayRemove, signal }
    const missingReason = 'Nothing old was removed there: the station has no settings.json.'
    const copied = await copyStation(deps, folder, options)
    if (!copied.ok) return err([copied.error.message])
    const clockReason =
      'Nothing old was removed there: this computer’s clock is more than a day from the last time that the station’s database knows, or that time could not be read. If the station was closed for that long, this ends after it has run for eight hours, or when a person confirms the clock in its window; otherwise check the clock.'
    return ok([
      `The station was copied to ${folder}: ${copied.value} shipment(s).`,
      ...(isPlausible ? [] : [clockReason]),
      ...(opened.ok && !opened.value.wereSaved ? [missingReason] : []),
      ...(opened.ok
        ? []
        : [
            `Nothing old was removed there, because it is not known how much to keep. ${opened.error.message}`,
          ]),
    ])
  })
}

/** Prints the consequences of restoring, and restores when they were confirmed. The lock keeps a station from starting meanwhile. */
function restoreFrom(
  { dataFolder, folder, isConfirmed, mayForget }: Wanted<'restore'>,
  databaseProcess: DatabaseProcess,
): void {
  process.umask(0o077)
  const home = prepareBrowserFolder(dataFolder)
  app.setPath('userData', home.folder)
  app.setPath('sessionData', join(home.folder, 'browser'))
  // A running station only learns of a start that asks for nothing: its window stays as it is.
  const handover = { provision: null, environment: {}, hidden: true }
  if (home.isTemporary || !acquireInstanceLock(app, handover, reportLaterStart)) {
    printAndExit(1, process.stderr, [
      `Packbench is running on ${dataFolder}, or the folder can't be written. Nothing was changed. Quit Packbench, then restore.`,
    ])
    return
  }
  app
    .whenReady()
    .then(async () => {
      const deps = {
        places: placesIn(dataFolder),
        databaseProcess,
        now: () => new Date(),
      }
      const found = await findStationCopy(deps, folder, AbortSignal.timeout(maxCopyMs))
      if (!found.ok) return printAndExit(1, process.stderr, [found.error.message])
      const { database } = deps.places
      const open = isDatabaseEmpty(database)
        ? undefined
        : await countClosedOpenWork(
            deps.databaseProcess,
            database,
            join(folder, found.value.name),
            AbortSignal.timeout(maxCopyMs),
          )
      const present = readSettingsOrDefaults(openConfigFile(dataFolder, 'settings'))
      const said = [
        ...describeRestore(found.value, folder, dataFolder),
        ...describeNewPlaces(await findRestoredTargets(found.value, present, dataFolder)),
        ...describeOpenWork(open),
      ]
      const needed = [
        ...(isConfirmed ? [] : ['--restore-confirmed']),
        ...(isOpen(open) && !mayForget ? ['--forget-open-work'] : []),
      ]
      if (needed.length > 0) {
        return printAndExit(2, process.stdout, [
          ...said,
          `Nothing was changed. To restore it, add ${needed.join(' ')}.`,
        ])
      }
      const restored = await restoreStation(deps, folder, found.value)
      if (!restored.ok) return printAndExit(1, process.stderr, [restored.error.message])
      printAndExit(0, process.stdout, [...said, 'The copy was restored.'])
    })
    .catch((error: unknown) => printAndExit(1, process.stderr, [String(error)]))
}

/** A start that comes meanwhile ends without starting a station, and what it handed over is lost. */
function reportLaterStart(): void {
  process.stderr.write(
    'Packbench was started on this data folder meanwhile. --restore is under way, so no station was started and no provisioning file was applied: start Packbench again afterwards.\n',
  )
}

/** The consequences of restoring a copy, one per line. */
function describeRestore({ day, shipments }: StationCopy, folder: string, dataFolder: string): string[] {
  return [
    `The copy of ${day} in ${folder} holds ${shipments} shipment(s). Restoring it to ${dataFolder} means:`,
    '- Its database and settings replace those in the folder, which are kept under other names. Labels are added. A copy holds no user names, no passwords and no PIN: connect the account again.',
    '- PIN: if the station had one, what it guards stays closed on another machine, the account too, until a provisioning file sets or removes the PIN (docs/people.md).',
    '- Duplicate guard: a shipment made after the copy is guarded only if its label is in the labels folder of this data folder. On another machine it is NOT guarded: do not ship an order again that was worked on after the copy.',
    '- The station that was copied must not ship any more: two stations with one history do not see each other’s shipments. In a fleet the restored station creates no shipments until it has joined as a new station (docs/fleet.md).',
  ]
}

/** The places that the settings of the copy bring, one per line. */
function describeNewPlaces(targets: readonly Target[]): string[] {
  if (targets.length === 0) return []
  return [`- ${locales.en.restore.newPlaces}`, ...describeTargets('en', targets)]
}

/** Whether work is open in the current database, or may be; the window refuses to restore then. */
function isOpen(open: ClosedOpenWork | undefined): boolean {
  if (open === undefined) return false
  return open.kind === 'not-counted' || open.creating + open.printing + open.unknown > 0
}

/** The open work that restoring would discard, one per line. */
function describeOpenWork(open: ClosedOpenWork | undefined): string[] {
  if (open === undefined) return []
  if (open.kind === 'not-counted') {
    return [
      `- The current database could not be read (${open.reason}): whether work is open in it is unknown, and that work would be discarded.`,
    ]
  }
  const { creating, printing, unknown, lacking } = open
  return [
    ...(lacking > 0 ? [`- ${lacking} shipment(s) of the current database are not in the copy.`] : []),
    ...(isOpen(open)
      ? [
          `- OPEN in the current database: ${creating} shipment(s) being created, ${printing} label(s) on their way to a printer, ${unknown} unknown outcome(s). The copy may not contain them: start Packbench and resolve them first. If you restore anyway, they are discarded and their orders could be shipped twice.`,
        ]
      : []),
  ]
}

/** Long enough to copy a large station to a slow share. */
const maxCopyMs = 6 * 60 * 60 * 1000

const browserFolderPrefix = 'packbench-apart-'

/**
 * Chromium makes the folder again, empty, after the last code of this program has run: a later command removes it. A younger one may
 * belong to a command that is starting.
 */
function removeEmptyBrowserFolders(): void {
  const oldest = Date.now() - 60_000
  try {
    for (const name of readdirSync(tmpdir())) {
      if (name.startsWith(browserFolderPrefix)) removeIfEmpty(join(tmpdir(), name), oldest)
    }
  } catch {
    // The temporary folder can't be listed, only used.
  }
}

function removeIfEmpty(folder: string, changedBefore: number): void {
  try {
    if (statSync(folder).mtimeMs < changedBefore) rmdirSync(folder)
  } catch {
    // A command that is running uses it, or it belongs to another user.
  }
}

/** Runs a command while a station may be running: Chromium's files go to a temporary folder. */
function runBesideStation(work: () => Promise<Result<string[], string[]>>): void {
  process.umask(0o077)
  removeEmptyBrowserFolders()
  const browserFolder = mkdtempSync(join(tmpdir(), browserFolderPrefix))
  app.setPath('userData', browserFolder)
  app.setPath('sessionData', browserFolder)
  process.once('exit', () => rmSync(browserFolder, { recursive: true, force: true }))
  // Electron becomes ready only after its entry module has finished.
  app
    .whenReady()
    .then(async () => {
      const done = await work()
      if (done.ok) printAndExit(0, process.stdout, done.value)
      else printAndExit(1, process.stderr, done.error)
    })
    .catch((error: unknown) => printAndExit(1, process.stderr, [String(error)]))
}
