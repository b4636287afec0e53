import { setImmediate } from 'node:timers/promises'
import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { customsPartySchema } from '../../shared/customs'
import type { Product } from '../../shared/customsBridge'
import type { ConsignmentSchema } from '../storage/consignmentTables'
import type { Database } from '../storage/database'
import type { CustomsStore } from './ports'

const productsInStatement = 500
const productsInTransaction = 5000

/** Keeps products, senders and invoice numbers. */
export function createCustomsRepository(database: Database): CustomsStore {
  return { ...products(database), ...profiles(database), ...invoices(database) }
}

function products(database: Database) {
  return {
    async search(text, limit, offset) {
      const wanted = text.trim().toLowerCase()
      const matching = database
        .selectFrom('products')
        .where(sql<boolean>`search_text like ${`%${escaped(wanted)}%`} escape '\\'`)
      const rows = await matching
        .selectAll()
        .orderBy(sql`case when lower(code) like ${`${escaped(wanted)}%`} escape '\\' then 0 else 1 end`)
        .orderBy('code')
        .limit(limit)
        .offset(offset)
        .execute()
      const count = await matching
        .select((builder) => builder.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return { products: rows.map(toProduct), total: count.total }
    },
    async find(code) {
      const row = await database
        .selectFrom('products')
        .selectAll()
        .where(sql`lower(code)`, '=', code.trim().toLowerCase())
        .executeTakeFirst()
      return row === undefined ? undefined : toProduct(row)
    },
    async put(wanted) {
      for (let start = 0; start < wanted.length; start += productsInTransaction) {
        await putTogether(database, wanted.slice(start, start + productsInTransaction))
        // A large catalogue keeps neither the journal of shipments nor the printers waiting.
        await setImmediate()
      }
    },
    async codes() {
      const rows = await database.selectFrom('products').select('code').execute()
      return rows.map((row) => row.code)
    },
    async removeProduct(code) {
      await database.deleteFrom('products').where('code', '=', code).execute()
    },
  } satisfies Partial<CustomsStore>
}

async function putTogether(database: Database, wanted: readonly Product[]): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    for (let start = 0; start < wanted.length; start += productsInStatement) {
      await transaction
        .replaceInto('products')
        .values(wanted.slice(start, start + productsInStatement).map(toRow))
        .execute()
    }
  })
}

function profiles(database: Database) {
  return {
    async profiles() {
      const rows = await database.selectFrom('sender_profiles').selectAll().orderBy('name').execute()
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        party: customsPartySchema.parse(JSON.parse(row.party)),
      }))
    },
    async saveProfile({ id, name, party }) {
      const values = { name, party: JSON.stringify(party) }
      await database
        .insertInto('sender_profiles')
        .values({ id, ...values })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
        .execute()
    },
    async removeProfile(id) {
      await database.deleteFrom('sender_profiles').where('id', '=', id).execute()
    },
  } satisfies Partial<CustomsStore>
}

function invoices(database: Database) {
  return {
    async lastInvoiceNumber(prefix) {
      const known = await database
        .selectFrom('invoice_series')
        .select('last')
        .where('prefix', '=', prefix)
        .executeTakeFirst()
      const used = await sql<{ number: string | null }>`
        select json_extract(draft, '$.customs.invoiceNumber') as number from shipments
        where state != 'refused' and json_extract(draft, '$.customs.invoiceNumber') like ${`${escaped(prefix)}%`} escape '\\'
      `.execute(database)
      const numbers = z.array(z.object({ number: z.string() })).parse(used.rows)
      const last = numbers.reduce(
        (highest, { number }) => Math.max(highest, numberIn(number, prefix)),
        known?.last ?? 0,
      )
      // Shipments are removed after a while; their numbers are not given out again.
      await database.replaceInto('invoice_series').values({ prefix, last }).execute()
      return last
    },
  } satisfies Partial<CustomsStore>
}

function numberIn(invoiceNumber: string, prefix: string): number {
  const digits = invoiceNumber.slice(prefix.length)
  return /^\d{1,12}$/.test(digits) ? Number(digits) : 0
}

function escaped(text: string): string {
  return text.replace(/[\\%_]/g, (mark) => `\\${mark}`)
}

function toRow(product: Product) {
  return {
    code: product.code,
    name: product.name,
    hs_code: product.hsCode,
    country_of_origin: product.countryOfOrigin,
    weight: product.weight,
    price: product.price,
    search_text: `${product.code} ${product.name}`.toLowerCase(),
  }
}

function toProduct(row: Selectable<ConsignmentSchema['products']>): Product {
  return {
    code: row.code,
    name: row.name,
    hsCode: row.hs_code,
    countryOfOrigin: row.country_of_origin,
    weight: row.weight,
    price: row.price,
  }
}
