import { readFileSync } from 'node:fs'
import Papa from 'papaparse'
import { describe, expect, test } from 'vitest'
import { guessMapping } from '../../../src/main/orders/mapping'
import { readOrders } from '../../../src/main/orders/readOrders'

/**
 * Reads the orders of a web shop's export with the mapping that its headings suggest.
 * @param replaced cells of all rows by their heading, instead of those in the file
 */
function importExport(name: string, replaced: Readonly<Record<string, string>> = {}) {
  const text = readFileSync(new URL(`../../support/orderExports/${name}.csv`, import.meta.url), 'utf8')
  const [header = [], ...parsed] = Papa.parse<string[]>(text.trim()).data
  const rows = parsed.map((row) => row.map((cell, at) => replaced[header[at] ?? ''] ?? cell))
  const lineNumbers = rows.map((_, index) => index + 2)
  return readOrders(header, { rows, lineNumbers, numeric: null }, guessMapping(header, rows))
}

describe('an export of a web shop, read with the suggested mapping', () => {
  test('of Shopify gives one order for two product rows, to the delivery address', async () => {
    const orders = await importExport('shopify')
    expect(orders).toHaveLength(2)
    expect(orders[0]).toMatchObject({
      line: 2,
      orderDate: '2026-11-18',
      orderValue: '64.85',
      currency: 'EUR',
      values: {
        reference: '#1001',
        companyName: 'Berg Bouw BV',
        firstName: 'Pieter',
        lastName: 'van den Berg',
        street: 'Dorpsstraat',
        houseNumber: '7 2e verdieping',
        postalCode: '3511 AB',
        city: 'Utrecht',
        country: 'NL',
        phoneNumber: '+31687654321',
        email: 'anna@example.com',
      },
    })
    expect(orders[0]?.items).toEqual([
      expect.objectContaining({ sku: 'SHIRT-M', name: 'Linen shirt - M', quantity: '2', price: '24.95' }),
      expect.objectContaining({ sku: 'BELT-1', quantity: '1', price: '10.00' }),
    ])
    expect(orders[1]?.values).toMatchObject({
      reference: '#1002',
      firstName: 'Klaus',
      lastName: 'Müller',
      street: 'Hauptstraße',
      houseNumber: '5',
      postalCode: '50667',
      city: 'Köln',
      country: 'DE',
    })
  })

  test('of WooCommerce gives the contact data of the buyer and the delivery address', async () => {
    const orders = await importExport('woocommerce')
    expect(orders.map(({ values }) => values)).toEqual([
      {
        reference: '2051',
        firstName: 'Tom',
        lastName: 'Jansen',
        street: 'Nieuwe Gracht',
        houseNumber: '80-2',
        postalCode: '2011 NJ',
        city: 'Haarlem',
        country: 'NL',
        email: 'sophie@example.nl',
        phoneNumber: '0612345678',
      },
      {
        reference: '2052',
        firstName: 'Marc',
        lastName: 'Dubois',
        street: 'rue de la Paix',
        houseNumber: '12',
        postalCode: '75002',
        city: 'Paris',
        country: 'FR',
        email: 'marc@example.fr',
        phoneNumber: '+33123456789',
      },
    ])
    expect(orders[0]?.items).toEqual([
      expect.objectContaining({ sku: 'CAND-1', name: 'Candle', quantity: '2', price: '17.50' }),
    ])
    expect(orders[0]).toMatchObject({ orderDate: '2026-11-19', orderValue: '39.95' })
  })

  test('of Magento gives a whole address from one cell, without a country', async () => {
    const orders = await importExport('magento')
    expect(orders.map(({ values }) => values)).toEqual([
      {
        reference: '000000012',
        firstName: 'Els',
        lastName: 'Peeters',
        street: 'Meir',
        houseNumber: '24',
        postalCode: '2000',
        city: 'Antwerpen',
        email: 'els@example.be',
      },
      {
        reference: '000000013',
        firstName: 'Jan',
        lastName: 'Smit',
        street: 'Hoofdweg',
        houseNumber: '101a',
        postalCode: '9712 AB',
        city: 'Groningen',
        email: 'jan@example.nl',
      },
    ])
    expect(orders[0]).toMatchObject({ orderDate: '2026-11-20', orderValue: '45.00' })
  })

  test.each([
    ['Hoofdweg\n101a,Groningen,,9712 AB', 'Hoofdweg', '101a', '9712 AB', 'Groningen'],
    ['Meir 24\nbus 3,Antwerpen,Antwerpen,2000', 'Meir', '24 bus 3', '2000', 'Antwerpen'],
    ['Plein 1,2e verdieping,Utrecht,Utrecht,3511 AB', 'Plein', '1 2e verdieping', '3511 AB', 'Utrecht'],
    ['Gebouw A\nHoofdweg 7,Groningen,,9712 AB', 'Gebouw A Hoofdweg', '7', '9712 AB', 'Groningen'],
    ['Main Street\n5,Dublin,Leinster,', 'Main Street', '5', undefined, 'Dublin'],
  ])('of Magento gives street and city of %j', async (cell, street, houseNumber, postalCode, city) => {
    const [order] = await importExport('magento', { 'Shipping Address': cell })
    const { values } = order ?? {}
    expect([values?.street, values?.houseNumber, values?.postalCode, values?.city]).toEqual([
      ...[street, houseNumber, postalCode, city],
    ])
  })

  test('of Lightspeed gives house number and extension from two columns, and weights in grams by the heading', async () => {
    const orders = await importExport('lightspeed')
    expect(orders.map(({ values }) => values)).toEqual([
      {
        reference: 'ORD00451',
        firstName: 'Femke',
        lastName: 'Bos',
        street: 'Vondelstraat',
        houseNumber: '44 hs',
        postalCode: '1054 GE',
        city: 'Amsterdam',
        country: 'NL',
        email: 'femke@example.nl',
        phoneNumber: '0201234567',
        weight: '1.25',
      },
      {
        reference: 'ORD00452',
        companyName: 'Maes bvba',
        firstName: 'Luc',
        lastName: 'Maes',
        street: 'Industrieweg',
        houseNumber: '120',
        postalCode: '9032',
        city: 'Gent',
        country: 'BE',
        email: 'luc@example.be',
        weight: '0.35',
      },
    ])
    expect(orders[0]).toMatchObject({ orderDate: '2026-11-20', orderValue: '89.95' })
  })

  test('of bol.com gives one order for two product rows, with Dutch headings', async () => {
    const orders = await importExport('bol')
    expect(orders.map(({ values }) => values)).toEqual([
      {
        reference: '1042831430',
        firstName: 'Noor',
        lastName: 'El Amrani',
        street: 'Biltstraat',
        houseNumber: '160 B',
        postalCode: '3572BN',
        city: 'Utrecht',
        country: 'NL',
        email: 'noor@verkopen.bol.com',
        phoneNumber: '0612340000',
      },
      expect.objectContaining({
        reference: '1042831502',
        street: 'Bondgenotenlaan',
        houseNumber: '3',
        country: 'BE',
      }),
    ])
    expect(orders[0]?.items).toMatchObject([
      { sku: '8712345678906', name: 'Waterfles 1 L', quantity: '1', price: '19.99' },
      { name: 'Dop', quantity: '2', price: '4.50' },
    ])
  })

  test('of bol.com and Lightspeed keeps the second line of the address', async () => {
    expect((await importExport('bol', { adresverz_toevoeging: '3e etage' }))[0]?.values).toMatchObject({
      street: 'Biltstraat',
      houseNumber: '160 B 3e etage',
    })
    const [order] = await importExport('lightspeed', { 'Shipping Address 2': 'Appartement 3' })
    expect(order?.values).toMatchObject({ street: 'Vondelstraat', houseNumber: '44 hs Appartement 3' })
  })

  test.each(['0', '0,00', '0 kg'])('with the weight «%s» gives orders without a weight', async (weight) => {
    const orders = await importExport('lightspeed', { 'Total weight (g)': weight })
    expect(orders.map(({ values }) => values.weight)).toEqual([undefined, undefined])
  })
})
