import { closeSync, fsyncSync, openSync } from 'node:fs'
import { z } from 'zod'
import { toReason } from '../lib/toReason'
import { check, openForCheck, toVerdict } from './findDamage'
import { openWorkRow, openWorkSql } from './openWork'

/**
 * Checks, copies or counts the database in a process of its own: libsql ends the process that reads a text which is not valid
 * UTF-8, and a long check must not hold up the app. Says one line of JSON: see databaseChecks.ts.
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

/** What is open in a database, and how many of its shipments a copy lacks that would take its place. */
function countOpenWork(path: string, copy: string) {
  const connection = openForCheck(path)
  connection.exec(`attach '${copy.replaceAll("'", "''")}' as copy; pragma query_only = 1`)
  const counts = openWorkRow.parse(connection.prepare(openWorkSql).get())
  const lacking = connection.prepare(
    "select count(*) as total from main.shipments where state <> 'refused' and id not in (select id from copy.shipments)",
  )
  return { kind: 'counted', ...counts, lacking: countRow.parse(lacking.get()).total }
}

function run() {
  const path = readArgument('database')
  const target = readArgument('into')
  const copy = readArgument('instead')
  if (path === undefined) return { kind: 'not-checked', reason: 'no database was named' }
  try {
    if (copy !== undefined) return countOpenWork(path, copy)
    return target === undefined ? check(openForCheck(path)) : backUp(path, target)
  } catch (error) {
    return toVerdict(toReason(error))
  }
}

/** Whoever started it ends it as soon as the line is there: Electron drops what is left of an ended process's output. */
const maxWaitMs = 10_000

process.stdout.write(`${JSON.stringify(run())}\n`)
// Without closing the connection: that would write the log into a file that may be damaged.
setTimeout(() => process.exit(0), maxWaitMs)
