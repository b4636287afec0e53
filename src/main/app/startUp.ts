import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { app, crashReporter } from 'electron'
import { ok } from '../../shared/result'
import { createKeyring, type Keyring } from '../account/keyring'
import { readStationFile } from '../settings/stationFile'
import { createThread, type DatabaseThread } from '../storage/databaseThread'
import { placesIn } from '../storage/dataFolder'
import { declareAppScheme } from './appProtocol'
import { type BrowserFolder, findSystemSwitches, prepareBrowserFolder, setSwitches } from './browser'
import { findRefusedSwitch, parseCommandLine } from './commandLine'
import { writeCrashDumps } from './crashes'
import { findDefaultDataFolder } from './defaultDataFolder'
import helpText from './help.txt?raw'
import {
  acquireInstanceLock,
  findPassedVariables,
  type Handover,
  printAndExit,
  takeHiddenNote,
  takeWindowRequest,
  waitForPredecessor,
} from './process'
import type { FoundStationFile } from './provisioning'
import type { StandaloneCommand } from './standaloneCommands'

/** The action that the command line asks for. */
type Start =
  | { kind: 'print'; text: string }
  | { kind: 'refuse'; lines: string[]; exitCode: number }
  | StandaloneCommand
  | RunStart

/** Handles the request of this start, or of a later start with the same data folder. */
export type HandleStart = (asked: Handover) => Promise<void>

/** What `startApp` receives once this process holds the single-instance lock. */
export interface AppStart extends RunStart {
  home: BrowserFolder
  keyring: Keyring
  stationFile: FoundStationFile
  /** The environment variables that the provisioning and station files name; they were deleted from the environment. */
  secrets: Readonly<Record<string, string>>
  /** Whether the window stays hidden; a person who restarts the app from a hidden station's window sees it again. */
  opensHidden: boolean
  /** Has no database open yet. */
  databaseThread: DatabaseThread
}

/** A start that runs the app. */
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
 * Starts the program: reads the command line, finds the data folder, takes the single-instance lock, then calls `startApp`.
 * @param argv the arguments after the program's name
 */
export async function startUp(
  argv: readonly string[],
  startApp: (start: AppStart) => Promise<HandleStart>,
): Promise<void> {
  const refused = app.isPackaged ? findRefusedSwitch(argv) : undefined
  if (refused !== undefined) return printAndExit(2, process.stderr, [refused])
  const start = prepareStart(argv, process.cwd(), {
    version: app.getVersion(),
    findDefaultFolder: (mayMove) =>
      findDefaultDataFolder(
        { platform: process.platform, env: process.env, appData: app.getPath('appData') },
        mayMove,
      ),
  })
  if (start.kind === 'print') printAndExit(0, process.stdout, [start.text])
  else if (start.kind === 'refuse') printAndExit(start.exitCode, process.stderr, start.lines)
  else if (start.kind === 'run') await run(start, startApp)
  else {
    const { runStandaloneCommand } = await import('./standaloneCommands')
    await runStandaloneCommand(start, builtScript('databaseProcess'))
  }
}

async function run(wanted: RunStart, startApp: (start: AppStart) => Promise<HandleStart>): Promise<void> {
  // SECURITY: only this user can read the files written from here on, including those of Chromium.
  process.umask(0o077)
  const refusal = findUnsafeEnvironment(process.env)
  if (refusal !== undefined) return printAndExit(2, process.stderr, [refusal])
  app.setName('Packbench')
  // A station file configures a real station, never the demo.
  const file = wanted.demo
    ? ok(undefined)
    : await readStationFile({ platform: process.platform, env: process.env })
  const stationText = file.ok ? file.value?.text : undefined
  const provisionText = wanted.provision === undefined ? '' : readText(wanted.provision)
  const environment = namedVariables(provisionText, process.env)
  const stationFile = { file, environment: namedVariables(stationText ?? '', process.env) }
  const secrets = { ...stationFile.environment, ...environment }
  const isHidden = wanted.hidden && !takeWindowRequest()
  const passed = findPassedVariables()
  const predecessorEnd = waitForPredecessor()
  // SECURITY: Electron hands the environment to the window's process, and programs that the app starts inherit it. A provisioning
  // file that is gone no longer names what was passed for it.
  for (const name of [...Object.keys(secrets), ...(passed ?? [])]) delete process.env[name]
  const keyring = createKeyring(process.env, process.platform)
  // The system answers while the code that checks the provisioning file is loaded.
  const switches = findSystemSwitches(keyring)
  // An app that was started in place of another must not end: nobody reads its standard error, and the window reports the file.
  if (wanted.provision !== undefined && passed === undefined) {
    const { checkProvisioning } = await import('./checkProvisioning')
    const issues = await checkProvisioning(wanted, secrets, file.ok ? file.value : undefined)
    if (issues.length > 0) return printAndExit(2, process.stderr, issues)
  }
  await predecessorEnd
  const home = prepareBrowserFolder(wanted.dataFolder)
  app.setPath('userData', home.folder)
  app.setPath('sessionData', join(home.folder, 'browser'))
  if (!home.isTemporary) writeCrashDumps(app, crashReporter, placesIn(wanted.dataFolder).crashes)
  const handover = { provision: wanted.provision ?? null, hidden: isHidden, environment }
  const early: Handover[] = []
  let takeOver: HandleStart = async (later) => void early.push(later)
  if (!acquireInstanceLock(app, handover, (later) => void takeOver(later))) {
    return printAndExit(0, process.stdout, [
      isHidden
        ? 'Packbench is running already.'
        : 'Packbench is running already; its window was brought to the front.',
    ])
  }
  const hidden = takeHiddenNote(wanted.dataFolder) || wanted.hidden
  // Starting this thread takes as long as Electron needs to become ready.
  const databaseThread = createThread(builtScript('databaseWorker'))
  databaseThread.warmUp()
  declareAppScheme()
  setSwitches(app, wanted.dataFolder, await switches)
  app
    .whenReady()
    .then(() =>
      startApp({
        ...wanted,
        hidden,
        opensHidden: isHidden,
        home,
        keyring,
        stationFile,
        secrets,
        databaseThread,
      }),
    )
    .then(
      async (handleStart) => {
        takeOver = handleStart
        // A failure from here on is logged, and does not end a station that works.
        for (const next of [handover, ...early.splice(0)]) await takeOver(next)
      },
      (error: unknown) => printAndExit(1, process.stderr, [String(error)]),
    )
}

/**
 * Reads the environment variables that a provisioning file names for credentials. They are secrets: the caller deletes them
 * from the environment, which windows and child processes inherit.
 * @param text of the provisioning file
 */
function namedVariables(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const names = text.matchAll(/"(?:userEnv|passwordEnv|pinEnv)"\s*:\s*"([^"]+)"/g)
  const found = [...names].flatMap(([, name = '']) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(found)
}

/** Empty when the file can't be read: the check of the file reports why. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** The URL of a script that is built beside the main script, which contains this module. */
function builtScript(name: string): URL {
  return new URL(`./${name}.js`, import.meta.url)
}

/**
 * Refuses an environment in which Node accepts every certificate, because any server could receive the credentials.
 * Returns undefined when the app may run.
 */
function findUnsafeEnvironment(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return undefined
  return 'NODE_TLS_REJECT_UNAUTHORIZED=0 is set, which accepts every certificate: Packbench does not start. Remove it; your own authority belongs under Settings, Network, or in the provisioning file.'
}

/**
 * Decides what this start does.
 * @param argv the app's switches, possibly mixed with Chromium's
 * @param workingFolder base of relative paths
 * `findDefaultFolder` finds the user's default data folder and may move older data to it.
 */
function prepareStart(
  argv: readonly string[],
  workingFolder: string,
  { version, findDefaultFolder }: { version: string; findDefaultFolder: (mayMove: boolean) => string },
): Start {
  const line = parseCommandLine(argv, workingFolder)
  if (!line.ok) return { kind: 'refuse', lines: [line.error], exitCode: 2 }
  if (line.value.help) return { kind: 'print', text: helpText.trimEnd() }
  if (line.value.version) return { kind: 'print', text: `Packbench ${version}` }
  const { backup, restore, exportDiagnostics: file } = line.value
  const { restoreConfirmed: isConfirmed, forgetOpenWork: mayForget } = line.value
  const isBesideStation = file !== undefined || backup !== undefined || restore !== undefined
  const folder = line.value.userDataDir ?? findDefaultFolder(!isBesideStation && !line.value.demo)
  // Demo data never mix with those of a station, even when both are given the same folder.
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
