import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { app, crashReporter } from 'electron'
import { ok } from '../../shared/result'
import { createKeyring, type Keyring } from '../account/keyring'
import { readStationFile } from '../settings/stationFile'
import { type DatabaseThread, startThread } from '../storage/databaseThread'
import { placesIn } from '../storage/dataFolder'
import type { ApartWork } from './apart'
import { declareAppScheme } from './appProtocol'
import { type BrowserHome, browserHome, findSwitches, setSwitches } from './browser'
import { findRefusedSwitch, parseCommandLine } from './commandLine'
import { writeCrashDumps } from './crashes'
import helpText from './help.txt?raw'
import { claimInstance, endWith, type Handover } from './process'
import type { FoundStationFile } from './provisioning'
import { findUsualFolder } from './usualFolder'

/** What a start is to do, decided from the command line alone. */
type Start =
  | { kind: 'print'; text: string }
  | { kind: 'refuse'; lines: string[]; exitCode: number }
  | ApartWork
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
  else if (start.kind === 'run') await run(start, startApp)
  else (await import('./apart')).workApart(start, builtScript('databaseProcess'))
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
  const provisionText = wanted.provision === undefined ? '' : readText(wanted.provision)
  const environment = namedVariables(provisionText, process.env)
  const stationFile = { file, environment: namedVariables(stationText ?? '', process.env) }
  const secrets = { ...stationFile.environment, ...environment }
  // SECURITY: Electron hands the environment to the window's process, and programs that the app starts inherit it.
  for (const name of Object.keys(secrets)) delete process.env[name]
  const keyring = createKeyring(process.env, process.platform)
  // The system answers while the code that checks the provisioning file is loaded.
  const switches = findSwitches(wanted.dataFolder, keyring)
  if (wanted.provision !== undefined) {
    const { checkProvisioning } = await import('./provisioning')
    const issues = await checkProvisioning(wanted, secrets, file.ok ? file.value : undefined)
    if (issues.length > 0) return endWith(2, process.stderr, issues)
  }
  const home = browserHome(wanted.dataFolder)
  app.setPath('userData', home.folder)
  app.setPath('sessionData', join(home.folder, 'browser'))
  if (!home.isMakeshift) writeCrashDumps(app, crashReporter, placesIn(wanted.dataFolder).crashes)
  const handover = { provision: wanted.provision ?? null, hidden: wanted.hidden, environment }
  const early: Handover[] = []
  let takeOver: TakeOver = async (later) => void early.push(later)
  if (!claimInstance(app, handover, (later) => void takeOver(later))) {
    return endWith(0, process.stdout, ['Packbench is running already; its window was brought to the front.'])
  }
  // It takes as long to start as Electron to become ready.
  const databaseThread = startThread(builtScript('databaseWorker'))
  declareAppScheme()
  setSwitches(app, wanted.dataFolder, await switches)
  app.whenReady().then(
    async () => {
      takeOver = await startApp({ ...wanted, home, keyring, stationFile, databaseThread })
      for (const next of [handover, ...early.splice(0)]) await takeOver(next)
    },
    (error: unknown) => endWith(1, process.stderr, [String(error)]),
  )
}

/**
 * The environment variables that a provisioning file takes credentials from. They are secrets: whoever asks for them
 * takes them out of the environment, which windows and child processes inherit.
 * @param text the file's
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

/** Empty when the file can't be read: its check says why. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** A script that is built beside the main file, which this is a part of. */
function builtScript(name: string): URL {
  return new URL(`./${name}.js`, import.meta.url)
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
