import { readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { freemem, totalmem } from 'node:os'
import { join } from 'node:path'
import { Zip, ZipDeflate } from 'fflate'
import { z } from 'zod'
import type { AppStatus } from '../../shared/app'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { settingsSchema } from '../../shared/settings'
import { createPacer } from '../lib/async'
import { toDay } from '../lib/localDay'
import { readValid } from '../lib/readValid'
import { toReason } from '../lib/toReason'
import { getValueAt, pathText } from '../settings/issues'
import { toKeyPath, withoutUnknownKeys } from '../settings/settingsFile'
import { checkDatabase, type DatabaseProcess, isDatabaseEmpty } from '../storage/databaseChecks'
import type { DataFolder } from '../storage/dataFolder'
import { listCrashDumps } from './crashes'

/** Time limit of the database check, in milliseconds: on a slow disk the diagnostics are written without its result. */
const checkLimitMs = 60_000

/** How many of the latest warnings and errors problems.json lists. */
const maxProblems = 200

/** Compressing this much takes a few milliseconds. */
const pieceBytes = 64 * 1024

interface TextFile {
  name: string
  text: string
}

const logLine = z.looseObject({ level: z.enum(['debug', 'info', 'warn', 'error']) })
const settingsContent = z.record(z.string(), z.unknown())

export interface DiagnosticsDeps {
  places: DataFolder
  /** The versions of the app and its runtime, as logged. */
  runtime: Readonly<Record<string, string | undefined>>
  /** The status that the window shows; undefined when this process does not run the station. */
  status: AppStatus | undefined
  databaseProcess: DatabaseProcess
  now: () => Date
}

/**
 * Collects what remote support needs: the log, the settings, the status, the database check. Only reads files, so that it
 * works beside a running station and after a start error.
 *
 * SECURITY: the log is redacted when it is written, the settings contain no secrets, and data about people (operators and
 * their badges, saved searches, texts of the default shipment) are left out. The history, labels and orders are not read.
 * @returns the bytes of a ZIP archive
 */
export async function collectDiagnostics(deps: DiagnosticsDeps): Promise<Uint8Array> {
  const { places } = deps
  const logs = await readLogs(places.logs)
  const parts: Record<string, unknown> = {
    'about.json': await describeMachine(deps),
    'settings.json': await readSettings(places.root),
    'problems.json': await listProblems(logs),
    'database.json': await describeDatabase(deps),
    ...(deps.status === undefined ? {} : { 'status.json': withoutNames(deps.status) }),
  }
  return zipFiles([
    ...Object.entries(parts).map(([name, part]) => ({ name, text: JSON.stringify(part, null, 2) })),
    ...logs.map(({ name, text }) => ({ name: `logs/${name}`, text })),
  ])
}

/**
 * Collects diagnostics and writes them to a file, for its owner only.
 * @param file absolute path; an earlier file is replaced
 * @returns 'file-not-saved' when it could not be written
 */
export async function writeDiagnostics(file: string, deps: DiagnosticsDeps): Promise<Result<undefined>> {
  try {
    // A file that exists would keep its own permissions.
    await rm(file, { force: true })
    await writeFile(file, await collectDiagnostics(deps), { mode: 0o600 })
    return ok(undefined)
  } catch (error) {
    return err(appError('file-not-saved', { path: file, reason: toReason(error) }))
  }
}

/** The suggested file name, e.g. `packbench-diagnostics-2026-11-22.zip`. */
export function toDiagnosticsName(now: Date): string {
  return `packbench-diagnostics-${toDay(now)}.zip`
}

async function describeMachine({ places, runtime, now }: DiagnosticsDeps) {
  const disk = await statfs(places.root).catch(() => undefined)
  return {
    ...runtime,
    at: now().toISOString(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    memory: { totalBytes: totalmem(), freeBytes: freemem() },
    dataFolder: { freeBytes: disk === undefined ? null : disk.bavail * disk.bsize },
    // Only the names: a dump may contain anything that was in memory.
    crashes: await listCrashDumps(places.crashes),
  }
}

async function describeDatabase({ places, databaseProcess }: DiagnosticsDeps) {
  const backups = await readdir(places.backups).catch(() => [])
  // Opening an empty database would delete its WAL, which may hold the only remains of the history.
  const check = isDatabaseEmpty(places.database)
    ? { kind: 'not-checked', reason: 'the database is missing or empty' }
    : await checkDatabase(databaseProcess, places.database, AbortSignal.timeout(checkLimitMs))
  return { check, backups: backups.filter((name) => name.endsWith('.db')) }
}

/**
 * The settings without data about people, or the reason why they can't be read. Of keys that this version does not know, and of
 * invalid parts, only the paths: somebody may have typed a password into one.
 */
async function readSettings(root: string): Promise<unknown> {
  try {
    const content = settingsContent.parse(JSON.parse(await readFile(join(root, 'settings.json'), 'utf8')))
    const { known, unknown } = withoutUnknownKeys(content, settingsSchema)
    const invalid = listInvalidParts(known)
    for (const path of invalid) {
      const holder = getValueAt(known, path.slice(0, -1))
      // JSON leaves out undefined keys, and keeps the positions in a list.
      if (typeof holder === 'object' && holder !== null) Reflect.set(holder, path.at(-1) ?? '', undefined)
    }
    const { people, historyViews, shipmentDefaults, ...others } = known
    const kept = settingsContent.safeParse(people)
    const { operators, ...guards } = kept.success ? kept.data : {}
    return {
      ...others,
      shipmentDefaults: withoutTexts(shipmentDefaults),
      unknownParts: unknown.map(toKeyPath),
      invalidParts: invalid.map(pathText),
      people: { ...guards, operators: countItems(operators) },
      historyViews: countItems(historyViews),
    }
  } catch (error) {
    // The message of a parse error quotes the content.
    const isContent = error instanceof SyntaxError || error instanceof z.ZodError
    return { unreadable: isContent ? 'not a valid JSON object' : toReason(error) }
  }
}

/** The paths of invalid values. A value whose kind is not known is invalid as a whole. */
function listInvalidParts(settings: Record<string, unknown>): PropertyKey[][] {
  const issues = settingsSchema.safeParse(settings).error?.issues ?? []
  return issues
    .map((issue) => {
      const isOfKind = issue.code === 'invalid_union' && issue.discriminator !== undefined
      return isOfKind ? issue.path.slice(0, -1) : issue.path
    })
    .filter((path) => path.length > 0 && getValueAt(settings, path) !== undefined)
}

/** A sender's name or address may be among them; that a text is set is enough to know. */
function withoutTexts(part: unknown): Record<string, unknown> {
  const fields = Object.entries(settingsContent.safeParse(part).data ?? {})
  return Object.fromEntries(fields.map(([key, value]) => [key, typeof value === 'string' ? true : value]))
}

function countItems(list: unknown): number {
  return Array.isArray(list) ? list.length : 0
}

/** Removes the account's name, which names a customer, and error messages, which may name orders; keeps error codes. */
function withoutNames(status: AppStatus) {
  const { account, startError, service, hotFolder, fleet, printers, notices, ...rest } = status
  const toCode = (error: AppError | null) => error && { code: error.code }
  return {
    ...rest,
    startError: toCode(startError),
    account: { ...account, name: null, error: toCode(account.error) },
    service: { ...service, error: toCode(service.error) },
    hotFolder: { ...hotFolder, message: null, error: toCode(hotFolder.error) },
    fleet: { ...fleet, error: toCode(fleet.error) },
    printers: printers.map((printer) => ({ ...printer, note: null, error: toCode(printer.error) })),
    notices: notices.map(({ code }) => code),
  }
}

/** The log files, newest first. */
async function readLogs(folder: string): Promise<TextFile[]> {
  const names = await readdir(folder).catch(() => [])
  const numbered = names
    .flatMap((name) => {
      const found = /^packbench(?:\.(\d+))?\.log$/.exec(name)
      return found === null ? [] : [{ name, number: Number(found[1] ?? 0) }]
    })
    .sort((one, other) => one.number - other.number)
  return Promise.all(
    numbered.map(async ({ name }) => ({
      name,
      text: await readFile(join(folder, name), 'utf8').catch(() => ''),
    })),
  )
}

/** The latest warnings and errors of the log with their fields, newest first. */
async function listProblems(logs: readonly TextFile[]): Promise<unknown[]> {
  const problems: unknown[] = []
  const pace = createPacer()
  for (const { text } of logs) {
    await pace()
    for (const line of text.split('\n').toReversed()) {
      // Parsing the other lines as well takes most of a second in a full log.
      if (!/"level":"(?:warn|error)"/.test(line)) continue
      const parsed = readValid(logLine, () => JSON.parse(line))
      if (parsed === undefined || (parsed.level !== 'warn' && parsed.level !== 'error')) continue
      problems.push(parsed)
      if (problems.length === maxProblems) return problems
    }
  }
  return problems
}

/** Packs files with pauses: compressing a full log at once would block main for most of a second. */
async function zipFiles(files: readonly TextFile[]): Promise<Uint8Array> {
  const packed: Uint8Array[] = []
  const zip = new Zip((error, piece) => {
    if (error !== null) throw error
    packed.push(piece)
  })
  const pace = createPacer()
  for (const { name, text } of files) {
    const file = new ZipDeflate(name)
    zip.add(file)
    const bytes = new TextEncoder().encode(text)
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      file.push(bytes.subarray(start, start + pieceBytes))
      await pace()
    }
    file.push(new Uint8Array(), true)
  }
  zip.end()
  return Buffer.concat(packed)
}
