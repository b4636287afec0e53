import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { app } from 'electron'
import { createKeyring, type Keyring } from '../account/keyring'
import { placesIn } from '../storage/dataFolder'
import { declareAppScheme } from './appProtocol'
import { type BrowserHome, browserHome, setSwitches } from './browser'
import { findRefusedSwitch, parseCommandLine } from './commandLine'
import { writeDiagnostics } from './diagnostics'
import { createDatabaseProcess } from './electronAdapters'
import helpText from './help.txt?raw'
import { claimInstance, describeRuntime, endWith, type Handover } from './process'
import { checkProvisioning, namedVariables } from './provisioning'

/** What a start is to do, decided from the command line alone. */
type Start =
  | { kind: 'print'; text: string }
  | { kind: 'refuse'; lines: string[]; exitCode: number }
  | { kind: 'diagnostics'; dataFolder: string; file: string }
  | RunStart

/** Does what a start, this one or a later one with the same data folder, asks of the app. */
export type TakeOver = (asked: Handover) => Promise<void>

/** What the app starts with once its turn has come. */
export interface AppStart extends RunStart {
  home: BrowserHome
  keyring: Keyring
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
    usualFolder: join(app.getPath('appData'), 'Packbench'),
  })
  if (start.kind === 'print') endWith(0, process.stdout, [start.text])
  else if (start.kind === 'refuse') endWith(start.exitCode, process.stderr, start.lines)
  else if (start.kind === 'diagnostics') exportDiagnostics(start)
  else await run(start, startApp)
}

/**
 * Writes the diagnostics of a data folder, whether or not a station is at work there. Chromium's own files lie in a
 * folder of their own meanwhile: two processes must not share them.
 */
function exportDiagnostics({ dataFolder, file }: { dataFolder: string; file: string }): void {
  process.umask(0o077)
  const browserFolder = mkdtempSync(join(tmpdir(), 'packbench-diagnostics-'))
  app.setPath('userData', browserFolder)
  app.setPath('sessionData', browserFolder)
  // Electron is not ready before its first module has been run to the end.
  app.whenReady().then(
    async () => {
      const written = await writeDiagnostics(file, {
        places: placesIn(dataFolder),
        runtime: describeRuntime(),
        status: undefined,
        databaseProcess: createDatabaseProcess(new URL('./databaseProcess.js', import.meta.url)),
        now: () => new Date(),
      })
      rmSync(browserFolder, { recursive: true, force: true })
      if (written.ok) endWith(0, process.stdout, [`Diagnostics were written to ${file}.`])
      else endWith(1, process.stderr, [written.error.message])
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
  const issues = await checkProvisioning(wanted, process.env)
  if (issues.length > 0) return endWith(2, process.stderr, issues)
  const home = browserHome(wanted.dataFolder)
  app.setPath('userData', home.folder)
  app.setPath('sessionData', join(home.folder, 'browser'))
  const environment = namedVariables(wanted.provision, process.env)
  // SECURITY: Electron hands the environment to the window's process, and programs that print inherit it.
  for (const name of Object.keys(environment)) delete process.env[name]
  const handover = { provision: wanted.provision ?? null, hidden: wanted.hidden, environment }
  const keyring = createKeyring(process.env, process.platform)
  const early: Handover[] = []
  let takeOver: TakeOver = async (later) => void early.push(later)
  if (!claimInstance(app, handover, (later) => void takeOver(later))) {
    return endWith(0, process.stdout, ['Packbench is running already; its window was brought to the front.'])
  }
  declareAppScheme()
  await setSwitches(app, wanted.dataFolder, keyring)
  app.whenReady().then(
    async () => {
      takeOver = await startApp({ ...wanted, home, keyring })
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
  return 'NODE_TLS_REJECT_UNAUTHORIZED=0 is set, which accepts every certificate: Packbench does not start. Remove it, and give your own authority in NODE_EXTRA_CA_CERTS if the service needs one.'
}

/**
 * Decides what a start is to do.
 * @param argv the switches, possibly among others
 * @param workingFolder what relative paths are relative to
 * @param own the app's version and the platform's usual data folder
 */
function prepareStart(
  argv: readonly string[],
  workingFolder: string,
  { version, usualFolder }: { version: string; usualFolder: string },
): Start {
  const line = parseCommandLine(argv, workingFolder)
  if (!line.ok) return { kind: 'refuse', lines: [line.error], exitCode: 2 }
  if (line.value.help) return { kind: 'print', text: helpText.trimEnd() }
  if (line.value.version) return { kind: 'print', text: `Packbench ${version}` }
  const folder = line.value.userDataDir ?? usualFolder
  // Demo data never mix with a station's own, even when both are told the same folder.
  const dataFolder = line.value.demo ? join(folder, 'demo') : folder
  const file = line.value.exportDiagnostics
  if (file !== undefined) return { kind: 'diagnostics', dataFolder, file }
  return {
    kind: 'run',
    dataFolder,
    demo: line.value.demo,
    hidden: line.value.hidden,
    provision: line.value.provision,
  }
}
