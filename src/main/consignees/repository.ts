import { hash } from 'node:crypto'
import { type Generated, sql } from 'kysely'
import { z } from 'zod'
import {
  type Consignee,
  consigneeSchema,
  type KnownConsignee,
  type KnownStreet,
  maxSuggestions,
  minSuggestionLetters,
} from '../../shared/consignees'
import { foldWords } from '../../shared/foldText'
import { recordedDraftSchema } from '../../shared/shipments'
import { countRows, type Database, jsonColumn, type OpenDatabase, type TableOf } from '../storage/database'
import type { TransactionOf } from '../storage/databaseThread'

const consigneeRow = z.object({
  /** Assigned again with each shipment, so that numbers sort by the last shipment. */
  number: z.int(),
  /** Equal for the same person at the same address. */
  key: z.string(),
  consignee: jsonColumn(consigneeSchema),
  /** See `toStreetKey`. */
  street: z.string(),
  lastShippedAt: z.string(),
})

const shippedRow = z.object({ id: z.string(), takenAt: z.string(), draft: jsonColumn(recordedDraftSchema) })

declare module '../storage/database' {
  interface DatabaseSchema {
    consignees: TableOf<typeof consigneeRow, 'number'>
    /** Full-text index of the consignees (FTS5, contentless); the rowid is the consignee's number. */
    consigneeWords: { rowid: Generated<number>; words: string }
  }
}

declare module '../storage/databaseThread' {
  interface Transactions {
    noteConsignees: TransactionOf<typeof noteConsignees>
  }
}

/** Stores the consignees of shipments, and finds them by prefixes of words. */
export class ConsigneeRepository {
  constructor(private readonly database: OpenDatabase) {}

  /** Stores the consignees of up to `limit` further shipments, oldest first; returns how many shipments it processed. */
  noteShipped(limit: number): Promise<number> {
    return this.database.runTransaction('noteConsignees', { limit })
  }

  /** Stores a consignee with the time of the shipment, replacing its earlier row. */
  remember(consignee: Consignee, at: Date): Promise<void> {
    return this.database
      .transaction()
      .execute((transaction) => remember(transaction, consignee, at.toISOString()))
  }

  /** Consignees whose words match all prefixes, most recently shipped first. */
  async suggest(text: string): Promise<KnownConsignee[]> {
    const prefixes = foldWords(text).slice(0, maxWords)
    if (prefixes.join('').length < minSuggestionLetters) return []
    const query = prefixes.map((word) => `"${word}"*`).join(' ')
    const rows = await this.database
      .selectFrom('consigneeWords')
      .innerJoin('consignees', 'consignees.number', 'consigneeWords.rowid')
      .selectAll('consignees')
      .where(sql<boolean>`consignee_words match ${query}`)
      .orderBy('consigneeWords.rowid', 'desc')
      .limit(maxSuggestions)
      .execute()
    return rows.map((row) => {
      const { key, consignee, lastShippedAt } = consigneeRow.decode(row)
      return { id: key, consignee, lastShippedAt }
    })
  }

  /**
   * The street of a postal code, from the last parcel there. Null if no parcel went there, if recent parcels had different
   * streets, or if postal codes of that country cover more than one street.
   */
  async findStreet(postalCode: string, country: string): Promise<KnownStreet | null> {
    const street = toStreetKey(postalCode, country)
    if (street === '') return null
    const rows = await this.database
      .selectFrom('consignees')
      .selectAll()
      .where('street', '=', street)
      .where(sql<boolean>`street <> ''`)
      .orderBy('number', 'desc')
      .limit(comparedStreets)
      .execute()
    const [latest, ...others] = rows.map((row) => consigneeRow.decode(row).consignee)
    if (latest === undefined || others.some((other) => !isSameStreet(other, latest))) return null
    return { street: latest.street, city: latest.city, country: latest.country }
  }

  count(): Promise<number> {
    return countRows(this.database.selectFrom('consignees'))
  }

  /** Removes the consignee with a key, also if it was stored again since it was suggested. */
  async forget(key: string): Promise<void> {
    const rows = await this.database
      .selectFrom('consignees')
      .select('number')
      .where('key', '=', key)
      .execute()
    await this.remove(rows.map((row) => row.number))
  }

  /** Removes all consignees, and marks all shipments as processed so that they are not stored again. */
  async forgetAll(): Promise<void> {
    await this.database.transaction().execute(async (transaction) => {
      await transaction.updateTable('shipments').set({ consigneeNoted: 1 }).where(isNotNoted).execute()
      await transaction.deleteFrom('consignees').execute()
      await sql`insert into consignee_words (consignee_words) values ('delete-all')`.execute(transaction)
    })
  }

  /** Removes up to `limit` consignees without a shipment since a moment; returns how many. */
  async forgetBefore(at: Date, limit: number): Promise<number> {
    const rows = await this.database
      .selectFrom('consignees')
      .select('number')
      .where('lastShippedAt', '<', at.toISOString())
      .limit(limit)
      .execute()
    await this.remove(rows.map((row) => row.number))
    return rows.length
  }

  private async remove(numbers: readonly number[]): Promise<void> {
    if (numbers.length === 0) return
    await this.database.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('consignees').where('number', 'in', numbers).execute()
      await transaction.deleteFrom('consigneeWords').where('rowid', 'in', numbers).execute()
    })
  }
}

const maxWords = 12

/** Written as in the partial index: SQLite does not use that index for bound values. */
const isNotNoted = sql<boolean>`state = 'created' and consignee_noted = 0`

/** See `ConsigneeRepository.noteShipped`. Runs in the database's thread. */
export async function noteConsignees(transaction: Database, { limit }: { limit: number }): Promise<number> {
  const rows = await transaction
    .selectFrom('shipments')
    .select(['id', 'takenAt', 'draft'])
    .where(isNotNoted)
    .orderBy('number')
    .limit(limit)
    .execute()
  for (const row of rows) {
    const consignee = readConsignee(row)
    if (consignee !== undefined) await remember(transaction, consignee, row.takenAt)
    await transaction.updateTable('shipments').set({ consigneeNoted: 1 }).where('id', '=', row.id).execute()
  }
  return rows.length
}

/** Undefined if the draft can't be read, so that other shipments are processed. */
function readConsignee(row: z.input<typeof shippedRow>): Consignee | undefined {
  try {
    return consigneeSchema.parse(shippedRow.decode(row).draft)
  } catch {
    return undefined
  }
}

async function remember(transaction: Database, consignee: Consignee, at: string): Promise<void> {
  const key = toKey(consignee)
  const known = await transaction
    .selectFrom('consignees')
    .select(['number', 'lastShippedAt'])
    .where('key', '=', key)
    .executeTakeFirst()
  if (known !== undefined) {
    if (known.lastShippedAt > at) return
    await transaction.deleteFrom('consignees').where('number', '=', known.number).execute()
    await transaction.deleteFrom('consigneeWords').where('rowid', '=', known.number).execute()
  }
  const { number } = await transaction
    .insertInto('consignees')
    .values({
      key,
      consignee: JSON.stringify(consignee),
      street: consignee.street === '' ? '' : toStreetKey(consignee.postalCode, consignee.country),
      lastShippedAt: at,
    })
    .returning('number')
    .executeTakeFirstOrThrow()
  await transaction
    .insertInto('consigneeWords')
    .values({ rowid: number, words: toWords(consignee) })
    .execute()
}

/** Contains postal code and phone number also without spaces, as they are often typed. */
function toWords(consignee: Consignee): string {
  const { companyName, firstName, lastName, street, houseNumber, postalCode, city, email, phoneNumber } =
    consignee
  const joined = [postalCode, phoneNumber].map((text) => foldWords(text).join(''))
  const texts = [companyName, firstName, lastName, street, houseNumber, postalCode, city, email, phoneNumber]
  return [...texts.flatMap(foldWords), ...joined].join(' ')
}

function toKey(consignee: Consignee): string {
  const { companyName, firstName, lastName, street, houseNumber, postalCode, country } = consignee
  const who = [companyName, firstName, lastName, street, houseNumber, postalCode, country]
  return hash('sha256', JSON.stringify(who.map((text) => foldWords(text).join(''))))
}

/** Patterns of postal codes that cover at most one street, which excludes rural codes of Canada and town codes of Brazil. */
const streetCodes: Record<string, RegExp> = {
  NL: /^\d{4}[a-z]{2}$/,
  GB: /^[a-z]{1,2}\d[a-z\d]?\d[a-z]{2}$/,
  IE: /^[a-z]\d[\dw][a-z\d]{4}$/,
  CA: /^[a-z][1-9][a-z]\d[a-z]\d$/,
  SG: /^\d{6}$/,
  PT: /^\d{7}$/,
  BR: /^\d{5}(?!000)\d{3}$/,
}
/** Several countries have codes of digits only, so the country must be known. */
const digitsOnly = /^\d+$/
/** Recent consignees of one postal code whose streets are compared. */
const comparedStreets = 20

function isSameStreet(one: Consignee, other: Consignee): boolean {
  return foldWords(one.street).join(' ') === foldWords(other.street).join(' ')
}

/** Country and postal code without spaces; empty if the code may cover several streets. Derives a missing country. */
function toStreetKey(postalCode: string, country: string): string {
  const code = foldWords(postalCode).join('')
  const found = Object.entries(streetCodes).find(
    ([each, pattern]) =>
      (country === each || (country === '' && !digitsOnly.test(code))) && pattern.test(code),
  )
  return found === undefined ? '' : `${found[0]} ${code}`
}
