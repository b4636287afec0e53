import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { app, crashReporter } from 'electron'
import { err, ok, type Result } from '../../shared/result'
import { defaultSettings } from '../../shared/settings'
import { createKeyring, type Keyring } from '../account/keyring'
import { createSettingsStore } from '../settings/settingsStore'
import { readStationFile } from '../settings/stationFile'
import type { KeptBackup } from '../storage/backups'
import { startThread } from '../storage/database'
import {
  type ClosedOpenWork,
  countClosedOpenWork,
  type DatabaseProcess,
  isDatabaseEmpty,
} from '../storage/databaseChecks'
import { placesIn } from '../storage/dataFolder'
import { copyStation, findStationCopy, restoreStation } from '../storage/stationCopy'
import type { DatabaseThread } from '../storage/workerDialect'
import { declareAppScheme } from './appProtocol'
import { type BrowserHome, browserHome, setSwitches } from './browser'
import { findRefusedSwitch, parseCommandLine } from './commandLine'
import { openConfigFile } from './configFile'
import { writeCrashDumps } from './crashes'
import { writeDiagnostics } from './diagnostics'
import { createDatabaseProcess, databaseWorker } from './electronAdapters'
import helpText from './help.txt?raw'
import { claimInstance, describeRuntime, endWith, type Handover } from './process'
import { checkProvisioning, type FoundStationFile, namedVariables } from './provisioning'
import { findUsualFolder } from './usualFolder'

/** What a start is to do, decided from the command line alone. */
type Start =
  | { kind: 'print'; text: string }
  | { kind: 'refuse'; lines: string[]; exitCode: number }
  | { kind: 'diagnostics'; dataFolder: string; file: string }
  | { kind: 'backup'; dataFolder: string; folder: string }
  | { kind: 'restore'; dataFolder: string; folder: string; isConfirmed: boolean; mayForget: boolean }
  | RunStart

/** Does what a start, this one or a later one with the same data folder, asks of the app. */
export type TakeOver = (asked: Handover) => Promise<void>

/** What the app starts with once its turn has come. */
export interface AppStart extends RunStart {
  home: BrowserHome
  keyring: Keyring
  stationFile: FoundStationFile
  /** Has opened nothing yet. */
  databaseThread: DatabaseThread
}

/** A start that brings up the app. */
export interface RunStart {
  kind: 'run'
  /** Absolute path of this run's data folder. */
  dataFolder: string
  demo: boolean
  hidden: boolean
  /** Absolute path of a provisioning file; undefined without one. */
  provision: string | undefined
}

/**
 * Starts the program: what was asked for, where the data lie, whose turn it is, and the app.
 * @param argv the arguments behind the program
 */
export async function startUp(
  argv: readonly string[],
  startApp: (start: AppStart) => Promise<TakeOver>,
): Promise<void> {
  const refused = app.isPackaged ? findRefusedSwitch(argv) : undefined
  if (refused !== undefined) return endWith(2, process.stderr, [refused])
  const start = prepareStart(argv, process.cwd(), {
    version: app.getVersion(),
    usualFolder: (mayMove) =>
      findUsualFolder(
        { platform: process.platform, env: process.env, appData: app.getPath('appData') },
        mayMove,
      ),
  })
  if (start.kind === 'print') endWith(0, process.stdout, [start.text])
  else if (start.kind === 'refuse') endWith(start.exitCode, process.stderr, start.lines)
  else if (start.kind === 'diagnostics') exportDiagnostics(start)
  else if (start.kind === 'backup') backUpStation(start)
  else if (start.kind === 'restore') restoreFrom(start)
  else await run(start, startApp)
}

/** Writes the diagnostics of a data folder, whether or not a station is at work there. */
function exportDiagnostics({ dataFolder, file }: { dataFolder: string; file: string }): void {
  runApart(async (databaseProcess) => {
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

/** Copies a station, whether or not it is at work. */
function backUpStation({ dataFolder, folder }: { dataFolder: string; folder: string }): void {
  runApart(async (databaseProcess) => {
    const deps = { places: placesIn(dataFolder), databaseProcess, now: () => new Date() }
    const { retentionDays, backup } = settingsIn(dataFolder)
    const options = { keep: backup.keep, labelDays: retentionDays, signal: AbortSignal.timeout(maxCopyMs) }
    const copied = await copyStation(deps, folder, options)
    return copied.ok
      ? ok([`The station was copied to ${folder}: ${copied.value} shipment(s).`])
      : err([copied.error.message])
  })
}

/** Says what restoring means, and does it when that was confirmed. The lock keeps a station from working meanwhile. */
function restoreFrom({
  dataFolder,
  folder,
  isConfirmed,
  mayForget,
}: Extract<Start, { kind: 'restore' }>): void {
  process.umask(0o077)
  const home = browserHome(dataFolder)
  app.setPath('userData', home.folder)
  app.setPath('sessionData', join(home.folder, 'browser'))
  if (home.isMakeshift || !app.requestSingleInstanceLock()) {
    endWith(1, process.stderr, [
      `A Packbench works on ${dataFolder}, or the folder can't be written: nothing was changed. End it, then restore.`,
    ])
    return
  }
  app.whenReady().then(
    async () => {
      const deps = {
        places: placesIn(dataFolder),
        databaseProcess: createDatabaseProcess(new URL('./databaseProcess.js', import.meta.url)),
        now: () => new Date(),
      }
      const found = await findStationCopy(deps, folder, AbortSignal.timeout(maxCopyMs))
      if (!found.ok) return endWith(1, process.stderr, [found.error.message])
      const { database } = deps.places
      const open = isDatabaseEmpty(database)
        ? undefined
        : await countClosedOpenWork(
            deps.databaseProcess,
            database,
            join(folder, found.value.name),
            AbortSignal.timeout(maxCopyMs),
          )
      const said = [...describeRestore(found.value, folder, dataFolder), ...describeOpenWork(open)]
      const needed = [
        ...(isConfirmed ? [] : ['--restore-confirmed']),
        ...(isOpen(open) && !mayForget ? ['--forget-open-work'] : []),
      ]
      if (needed.length > 0) {
        return endWith(2, process.stdout, [
          ...said,
          `Nothing was changed. To restore it, add ${needed.join(' ')}.`,
        ])
      }
      const restored = await restoreStation(deps, folder, found.value)
      if (!restored.ok) return endWith(1, process.stderr, [restored.error.message])
      endWith(0, process.stdout, [...said, 'It was restored.'])
    },
    (error: unknown) => endWith(1, process.stderr, [String(error)]),
  )
}

/** What restoring a copy means, in lines of its own. */
function describeRestore({ day, shipments }: KeptBackup, folder: string, dataFolder: string): string[] {
  return [
    `The copy of ${day} in ${folder} holds ${shipments} shipment(s). Restored to ${dataFolder}, it means:`,
    '- Its database and settings take the place of those that are there, which are kept under other names. Labels are added. User names and passwords are in no copy: connect the account again.',
    '- Duplicate guard: what was shipped after the copy is guarded only where its label lies in the labels folder of this data folder. On another machine it is NOT guarded: ship no order again that was worked on after the copy.',
    '- The station that the copy is of must not ship any more: two stations with one history know nothing of each other’s shipments. In a fleet the restored station creates nothing until it has left the fleet and joined again (docs/fleet.md).',
  ]
}

/** Whether the window would not restore either: something is open in the database that is there, or may be. */
function isOpen(open: ClosedOpenWork | undefined): boolean {
  if (open === undefined) return false
  return open.kind === 'not-counted' || open.creating + open.printing + open.unknown > 0
}

/** What restoring would forget, in lines of its own. */
function describeOpenWork(open: ClosedOpenWork | undefined): string[] {
  if (open === undefined) return []
  if (open.kind === 'not-counted') {
    return [
      `- The database that is there could not be read (${open.reason}): what is open in it is not known, and would be forgotten.`,
    ]
  }
  const { creating, printing, unknown, lacking } = open
  return [
    ...(lacking > 0 ? [`- ${lacking} shipment(s) of the database that is there are not in the copy.`] : []),
    ...(isOpen(open)
      ? [
          `- OPEN in the database that is there: ${creating} shipment(s) being created, ${printing} label(s) on their way to a printer, ${unknown} unknown outcome(s). The copy may know nothing of them: start Packbench and resolve them first. Restored all the same, they are forgotten, and their orders could be shipped again.`,
        ]
      : []),
  ]
}

/** A copy of a large station to a slow share takes its time. */
const maxCopyMs = 6 * 60 * 60 * 1000

function settingsIn(dataFolder: string) {
  const opened = createSettingsStore(openConfigFile(dataFolder, 'settings')).open()
  return opened.ok ? opened.value.current() : defaultSettings
}

/** Does something beside a station that may be at work: Chromium's own files lie in a folder of their own meanwhile. */
function runApart(work: (databaseProcess: DatabaseProcess) => Promise<Result<string[], string[]>>): void {
  process.umask(0o077)
  const browserFolder = mkdtempSync(join(tmpdir(), 'packbench-apart-'))
  app.setPath('userData', browserFolder)
  app.setPath('sessionData', browserFolder)
  // Electron is not ready before its first module has been run to the end.
  app.whenReady().then(
    async () => {
      const done = await work(createDatabaseProcess(new URL('./databaseProcess.js', import.meta.url)))
      rmSync(browserFolder, { recursive: true, force: true })
      if (done.ok) endWith(0, process.stdout, done.value)
      else endWith(1, process.stderr, done.error)
    },
    (error: unknown) => endWith(1, process.stderr, [String(error)]),
  )
}

async function run(wanted: RunStart, startApp: (start: AppStart) => Promise<TakeOver>): Promise<void> {
  // SECURITY: whatever is written from here on, by Chromium too, is for this user only.
  process.umask(0o077)
  const refusal = findRefusal(process.env)
  if (refusal !== undefined) return endWith(2, process.stderr, [refusal])
  app.setName('Packbench')
  // The demo is nobody's station.
  const file = wanted.demo
    ? ok(undefined)
    : await readStationFile({ platform: process.platform, env: process.env })
  const stationText = file.ok ? file.value?.text : undefined
  const issues = await checkProvisioning(wanted, process.env, file.ok ? file.value : undefined)
  if (issues.length > 0) return endWith(2, process.stderr, issues)
  const home = browserHome(wanted.dataFolder)
  app.setPath('userData', home.folder)
  app.setPath('sessionData', join(home.folder, 'browser'))
  if (!home.isMakeshift) writeCrashDumps(app, crashReporter, placesIn(wanted.dataFolder).crashes)
  const provisionText = wanted.provision === undefined ? '' : readFileSync(wanted.provision, 'utf8')
  const environment = namedVariables(provisionText, process.env)
  const stationFile = { file, environment: namedVariables(stationText ?? '', process.env) }
  // SECURITY: Electron hands the environment to the window's process, and programs that print inherit it.
  for (const name of Object.keys({ ...environment, ...stationFile.environment })) delete process.env[name]
  const handover = { provision: wanted.provision ?? null, hidden: wanted.hidden, environment }
  const keyring = createKeyring(process.env, process.platform)
  const early: Handover[] = []
  let takeOver: TakeOver = async (later) => void early.push(later)
  if (!claimInstance(app, handover, (later) => void takeOver(later))) {
    return endWith(0, process.stdout, ['Packbench is running already; its window was brought to the front.'])
  }
  // It takes as long to start as Electron to become ready.
  const databaseThread = startThread(databaseWorker)
  declareAppScheme()
  await setSwitches(app, wanted.dataFolder, keyring)
  app.whenReady().then(
    async () => {
      takeOver = await startApp({ ...wanted, home, keyring, stationFile, databaseThread })
      for (const next of [handover, ...early.splice(0)]) await takeOver(next)
    },
    (error: unknown) => endWith(1, process.stderr, [String(error)]),
  )
}

/**
 * Why the app must not run in this environment; undefined when it may. Node would take every certificate then, and the
 * credentials would go to whoever answers.
 */
function findRefusal(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return undefined
  return 'NODE_TLS_REJECT_UNAUTHORIZED=0 is set, which accepts every certificate: Packbench does not start. Remove it; your own authority belongs under Settings, Network, or in the provisioning file.'
}

/**
 * Decides what a start is to do.
 * @param argv the switches, possibly among others
 * @param workingFolder what relative paths are relative to
 * @param own the app's version and the user's usual data folder, to which older data may be moved for a run
 */
function prepareStart(
  argv: readonly string[],
  workingFolder: string,
  { version, usualFolder }: { version: string; usualFolder: (mayMove: boolean) => string },
): Start {
  const line = parseCommandLine(argv, workingFolder)
  if (!line.ok) return { kind: 'refuse', lines: [line.error], exitCode: 2 }
  if (line.value.help) return { kind: 'print', text: helpText.trimEnd() }
  if (line.value.version) return { kind: 'print', text: `Packbench ${version}` }
  const { backup, restore, exportDiagnostics: file } = line.value
  const { restoreConfirmed: isConfirmed, forgetOpenWork: mayForget } = line.value
  const isBesideStation = file !== undefined || backup !== undefined || restore !== undefined
  const folder = line.value.userDataDir ?? usualFolder(!isBesideStation && !line.value.demo)
  // Demo data never mix with a station's own, even when both are told the same folder.
  const dataFolder = line.value.demo ? join(folder, 'demo') : folder
  if (file !== undefined) return { kind: 'diagnostics', dataFolder, file }
  if (backup !== undefined) return { kind: 'backup', dataFolder, folder: backup }
  if (restore !== undefined) return { kind: 'restore', dataFolder, folder: restore, isConfirmed, mayForget }
  return {
    kind: 'run',
    dataFolder,
    demo: line.value.demo,
    hidden: line.value.hidden,
    provision: line.value.provision,
  }
}
