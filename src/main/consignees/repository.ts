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
import { toSha256 } from '../lib/hash'
import { type Database, jsonColumn, type OpenDatabase, type TableOf } from '../storage/database'
import type { TransactionOf } from '../storage/databaseThread'

const consigneeRow = z.object({
  /** Grows with each shipment, so that the order of the numbers is that of the last shipments. */
  number: z.int(),
  /** Who it is: the same person at the same address has the same key. */
  key: z.string(),
  consignee: jsonColumn(consigneeSchema),
  /** Country and postal code without blanks; empty where a postal code names no single street. */
  street: z.string(),
  lastShippedAt: z.string(),
})

const shippedRow = z.object({ id: z.string(), takenAt: z.string(), draft: jsonColumn(recordedDraftSchema) })

declare module '../storage/database' {
  interface DatabaseSchema {
    consignees: TableOf<typeof consigneeRow, 'number'>
    /** Words of each consignee, by its number: an index, from which nothing but the number can be read. */
    consigneeWords: { rowid: Generated<number>; words: string }
  }
}

declare module '../storage/databaseThread' {
  interface Transactions {
    noteConsignees: TransactionOf<typeof noteConsignees>
  }
}

/** Keeps the consignees that were shipped to, and finds them by the beginnings of words. */
export class ConsigneeRepository {
  constructor(private readonly database: OpenDatabase) {}

  /**
   * Notes the consignees of created shipments that were not noted yet, oldest first; gives how many there were, with those
   * that can't be read.
   */
  noteShipped(limit: number): Promise<number> {
    return this.database.runTransaction('noteConsignees', { limit })
  }

  /** Notes that a consignee was shipped to. What was kept of the same one before is replaced. */
  remember(consignee: Consignee, at: Date): Promise<void> {
    return this.database
      .transaction()
      .execute((transaction) => remember(transaction, consignee, at.toISOString()))
  }

  /** Consignees that have words with all these beginnings, the last one shipped to first. */
  async suggest(text: string): Promise<KnownConsignee[]> {
    const beginnings = foldWords(text).slice(0, maxWords)
    if (beginnings.join('').length < minSuggestionLetters) return []
    const wanted = beginnings.map((word) => `"${word}"*`).join(' ')
    const rows = await this.database
      .selectFrom('consigneeWords')
      .innerJoin('consignees', 'consignees.number', 'consigneeWords.rowid')
      .selectAll('consignees')
      .where(sql<boolean>`consignee_words match ${wanted}`)
      .orderBy('consigneeWords.rowid', 'desc')
      .limit(maxSuggestions)
      .execute()
    return rows.map((row) => {
      const { number, consignee, lastShippedAt } = consigneeRow.decode(row)
      return { id: number, consignee, lastShippedAt }
    })
  }

  /**
   * The street that a postal code names, as the last parcel there had it; null when no parcel went there, when parcels there
   * had another one, or when a postal code of that country names more than a street.
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
    // A code that two streets share names neither.
    if (latest === undefined || others.some((other) => !isSameStreet(other, latest))) return null
    return { street: latest.street, city: latest.city, country: latest.country }
  }

  async count(): Promise<number> {
    const { total } = await this.database
      .selectFrom('consignees')
      .select((builder) => builder.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return total
  }

  async forget(number: number): Promise<void> {
    await this.remove([number])
  }

  /** Removes every consignee, and does not note those of the shipments until now again. */
  async forgetAll(): Promise<void> {
    await this.database.transaction().execute(async (transaction) => {
      await transaction.updateTable('shipments').set({ consigneeNoted: 1 }).where(isNotNoted).execute()
      await transaction.deleteFrom('consignees').execute()
      await sql`insert into consignee_words (consignee_words) values ('delete-all')`.execute(transaction)
    })
  }

  /** Removes some of those who were not shipped to since; gives how many there were. */
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

/** In words of its index: values that are bound would keep the database from using it. */
const isNotNoted = sql<boolean>`state = 'created' and consignee_noted = 0`

/** See `ConsigneeRepository.noteShipped`; in the database's thread. */
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

/** Undefined for one that can't be read, which keeps no other from being remembered. */
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

/** «1015 CN» is also «1015cn», and a phone number is one word as well: both are often typed so. */
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
  return toSha256(JSON.stringify(who.map((text) => foldWords(text).join(''))))
}

/**
 * Whole postal codes of the countries in which one belongs to one street, or to less: rural codes of Canada and the codes of
 * whole towns in Brazil do not.
 */
const streetCodes: Record<string, RegExp> = {
  NL: /^\d{4}[a-z]{2}$/,
  GB: /^[a-z]{1,2}\d[a-z\d]?\d[a-z]{2}$/,
  IE: /^[a-z]\d[\dw][a-z\d]{4}$/,
  CA: /^[a-z][1-9][a-z]\d[a-z]\d$/,
  SG: /^\d{6}$/,
  PT: /^\d{7}$/,
  BR: /^\d{5}(?!000)\d{3}$/,
}
/** Codes of digits alone are another country's as well: they count where the country is known. */
const digitsOnly = /^\d+$/
/** Parcels to one postal code whose streets are compared. */
const comparedStreets = 20

function isSameStreet(one: Consignee, other: Consignee): boolean {
  return foldWords(one.street).join(' ') === foldWords(other.street).join(' ')
}

/** What a street is found by; empty where a postal code does not name one, as in Germany. Codes tell their country apart. */
function toStreetKey(postalCode: string, country: string): string {
  const code = foldWords(postalCode).join('')
  const found = Object.entries(streetCodes).find(
    ([each, pattern]) =>
      (country === each || (country === '' && !digitsOnly.test(code))) && pattern.test(code),
  )
  return found === undefined ? '' : `${found[0]} ${code}`
}
