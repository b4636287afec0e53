import { setImmediate } from 'node:timers/promises'
import { type Generated, sql } from 'kysely'
import { z } from 'zod'
import { type Product, productSchema, type SenderProfile, senderProfileSchema } from '../../shared/customs'
import { countRows, type Database, jsonColumn, type TableOf } from '../storage/database'

const productColumns = productSchema.keyof().options

const profileRow = senderProfileSchema.extend({ party: jsonColumn(senderProfileSchema.shape.party) })

declare module '../storage/database' {
  interface DatabaseSchema {
    /** `searchText` is code and name in lower case. */
    products: Product & { searchText: string }
    senderProfiles: TableOf<typeof profileRow> & { number: Generated<number> }
    /** The highest assigned number of each series of invoice numbers. */
    invoiceSeries: { prefix: string; last: number }
  }
}

const maxProductsPerStatement = 500
const maxProductsPerTransaction = 5000

/** Stores products, senders and invoice numbers. Every change is durable when its promise resolves. */
export class CustomsRepository {
  /** Cached, because every order of a batch needs it. */
  private sendingCountries: Promise<readonly string[]> | undefined

  /** @param reader a second connection, so that a look-up in the whole history does not delay writes */
  constructor(
    private readonly database: Database,
    private readonly reader: Database = database,
  ) {}

  /** Products whose code or name contains a text, those whose code starts with it first; and the total. */
  async searchProducts(
    text: string,
    limit: number,
    offset: number,
  ): Promise<{ products: Product[]; total: number }> {
    const wanted = escapeLike(text.trim().toLowerCase())
    const matching = this.database
      .selectFrom('products')
      .where(sql<boolean>`search_text like ${`%${wanted}%`} escape '\\'`)
    const products = await matching
      .select(productColumns)
      .orderBy(sql`case when search_text like ${`${wanted}%`} escape '\\' then 0 else 1 end`)
      .orderBy('code')
      .limit(limit)
      .offset(offset)
      .execute()
    return { products, total: await countRows(matching) }
  }

  /** The product with a code, ignoring case. */
  async findProduct(code: string): Promise<Product | undefined> {
    const wanted = code.trim().toLowerCase()
    // The search text begins with the code in lower case. SQLite's own `lower` changes no letter outside ASCII.
    const found = await this.database
      .selectFrom('products')
      .select(productColumns)
      .where(sql<boolean>`search_text like ${`${escapeLike(wanted)} %`} escape '\\'`)
      .execute()
    const matching = found.filter((product) => product.code.toLowerCase() === wanted)
    return matching.find((product) => product.code === code.trim()) ?? matching[0]
  }

  /**
   * Adds products, and replaces those with the same code. After a crash a part of them may be stored.
   * @param kept fields that keep their values if a product is replaced
   */
  async putProducts(products: readonly Product[], kept: readonly (keyof Product)[]): Promise<void> {
    for (let start = 0; start < products.length; start += maxProductsPerTransaction) {
      const part = products.slice(start, start + maxProductsPerTransaction)
      await this.database.transaction().execute((transaction) => putTogether(transaction, part, kept))
      // A large catalogue must delay neither creations nor printing.
      await setImmediate()
    }
  }

  async listProductCodes(): Promise<string[]> {
    const rows = await this.database.selectFrom('products').select('code').execute()
    return rows.map((row) => row.code)
  }

  async removeProduct(code: string): Promise<void> {
    await this.database.deleteFrom('products').where('code', '=', code).execute()
  }

  async listSenderProfiles(): Promise<SenderProfile[]> {
    const rows = await this.database
      .selectFrom('senderProfiles')
      .select(['id', 'name', 'party'])
      .orderBy('name')
      .execute()
    return rows.map((row) => profileRow.decode(row))
  }

  /**
   * The countries from which parcels may be sent: those of the senders on invoices, since a parcel that nobody reviews
   * names none. The same list until a sender changes.
   */
  listSendingCountries(): Promise<readonly string[]> {
    this.sendingCountries ??= this.readSendingCountries()
    return this.sendingCountries
  }

  async saveSenderProfile(profile: SenderProfile): Promise<void> {
    const { id, ...values } = profileRow.encode(profile)
    await this.database
      .insertInto('senderProfiles')
      .values({ id, ...values })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
      .execute()
    this.sendingCountries = undefined
  }

  async removeSenderProfile(id: string): Promise<void> {
    await this.database.deleteFrom('senderProfiles').where('id', '=', id).execute()
    this.sendingCountries = undefined
  }

  private async readSendingCountries(): Promise<readonly string[]> {
    try {
      const countries = new Set((await this.listSenderProfiles()).map(({ party }) => party.country))
      return [...countries]
    } catch (error) {
      this.sendingCountries = undefined
      throw error
    }
  }

  /**
   * The highest assigned number of a series; 0 if there is none. It stays known when its shipment is removed. A refused
   * shipment keeps its number, because it is sent again with it once it has been corrected.
   */
  async getLastInvoiceNumber(prefix: string): Promise<number> {
    const known = await this.database
      .selectFrom('invoiceSeries')
      .select('last')
      .where('prefix', '=', prefix)
      .executeTakeFirst()
    const used = await sql<{ number: string | null }>`
      select json_extract(draft, '$.customs.invoiceNumber') as number from shipments
      where json_extract(draft, '$.customs.invoiceNumber') like ${`${escapeLike(prefix)}%`} escape '\\'
    `.execute(this.reader)
    const numbers = z.array(z.object({ number: z.string() })).parse(used.rows)
    const last = numbers.reduce(
      (highest, { number }) => Math.max(highest, numberIn(number, prefix)),
      known?.last ?? 0,
    )
    await this.database.replaceInto('invoiceSeries').values({ prefix, last }).execute()
    return last
  }
}

async function putTogether(
  transaction: Database,
  products: readonly Product[],
  kept: readonly (keyof Product)[],
): Promise<void> {
  const source = (field: keyof Product) => (kept.includes(field) ? 'products' : 'excluded')
  for (let start = 0; start < products.length; start += maxProductsPerStatement) {
    const rows = products
      .slice(start, start + maxProductsPerStatement)
      .map((product) => ({ ...product, searchText: `${product.code} ${product.name}`.toLowerCase() }))
    await transaction
      .insertInto('products')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('code').doUpdateSet(({ ref }) => ({
          name: ref('excluded.name'),
          searchText: ref('excluded.searchText'),
          hsCode: ref(`${source('hsCode')}.hsCode`),
          countryOfOrigin: ref(`${source('countryOfOrigin')}.countryOfOrigin`),
          weight: ref(`${source('weight')}.weight`),
          price: ref(`${source('price')}.price`),
        })),
      )
      .execute()
  }
}

function numberIn(invoiceNumber: string, prefix: string): number {
  const digits = invoiceNumber.slice(prefix.length)
  return /^\d{1,12}$/.test(digits) ? Number(digits) : 0
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, (mark) => `\\${mark}`)
}
