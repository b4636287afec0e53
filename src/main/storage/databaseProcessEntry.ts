import { closeSync, fsyncSync, openSync } from 'node:fs'
import { z } from 'zod'
import { toReason } from '../lib/toReason'
import { check, openForCheck, toVerdict } from './findDamage'
import { openWorkRow, openWorkSql } from './openWork'

/**
 * Checks or copies a database, counts its unfinished work, or reads what a clock is compared with, in a separate process: libsql aborts the process that reads
 * invalid UTF-8, and a long check must not block the app. Writes one line of JSON: see databaseChecks.ts.
 */

const countRow = z.object({ total: z.int() })

function readArgument(name: string): string | undefined {
  const start = `--${name}=`
  return process.argv.find((text) => text.startsWith(start))?.slice(start.length)
}

function backUp(path: string, target: string) {
  openForCheck(path).exec(`vacuum into '${target.replaceAll("'", "''")}'`)
  const verdict = check(openForCheck(target))
  const file = openSync(target, 'r+')
  fsyncSync(file)
  closeSync(file)
  return verdict
}

/** Unfinished work in a database, and the number of its shipments that the copy does not have. */
function countOpenWork(path: string, copy: string) {
  const connection = openForCheck(path)
  connection.exec(`attach '${copy.replaceAll("'", "''")}' as copy; pragma query_only = 1`)
  const counts = openWorkRow.parse(connection.prepare(openWorkSql).get())
  const lacking = connection.prepare(
    "select count(*) as total from main.shipments where state <> 'refused' and id not in (select id from copy.shipments)",
  )
  return { kind: 'counted', ...counts, lacking: countRow.parse(lacking.get()).total }
}

/** The stored state of the clock, and the newest shipment. */
function readClock(path: string) {
  const connection = openForCheck(path)
  connection.exec('pragma query_only = 1')
  const newest = connection.prepare(
    'select number, taken_at as takenAt from shipments order by number desc limit 1',
  )
  return {
    kind: 'clock',
    clock: connection.prepare('select state from clock').get(),
    newest: newest.get(),
  }
}

function run() {
  const path = readArgument('database')
  const target = readArgument('into')
  const copy = readArgument('instead')
  if (path === undefined) return { kind: 'not-checked', reason: 'no database was named' }
  try {
    if (copy !== undefined) return countOpenWork(path, copy)
    if (readArgument('read') === 'clock') return readClock(path)
    return target === undefined ? check(openForCheck(path)) : backUp(path, target)
  } catch (error) {
    return toVerdict(toReason(error))
  }
}

/** The parent ends this process once it has the line; an exit right away could lose output under Electron. */
const maxWaitMs = 10_000

process.stdout.write(`${JSON.stringify(run())}\n`)
// The connection is not closed: that would checkpoint the WAL into a file that may be damaged.
setTimeout(() => process.exit(0), maxWaitMs)
