import { describe, expect, it } from 'vitest'
import { splitAddress, splitName, splitStreet, toCountryCode } from '../../../src/main/orders/address'
import { guessMapping, toColumnLetters } from '../../../src/main/orders/mapping'
import { readOrders } from '../../../src/main/orders/readOrders'
import { type ImportField, importFieldSchema, type WeightUnit } from '../../../src/shared/orders'

/** The field that each column fills, in the order of the columns; null for a column without a field. */
function guess(
  headings: readonly string[],
  rows: readonly (readonly string[])[] = [],
): (ImportField | null)[] {
  const { fields } = guessMapping(headings, rows)
  const filled = Object.entries(fields).flatMap(([field, source]) =>
    source !== undefined && 'columns' in source ? source.columns.map((column) => ({ field, column })) : [],
  )
  return headings.map((heading) => {
    const found = filled.find(({ column }) => column === heading)
    return found === undefined ? null : importFieldSchema.parse(found.field)
  })
}

const addressFields = ['fullName', 'street', 'houseNumber', 'postalCode', 'city', 'country'] as const

describe('the headings of a file', () => {
  it.each([
    [
      'Lieferadresse Name',
      'Lieferadresse Straße',
      'Lieferadresse Hausnr.',
      'Lieferadresse PLZ',
      'Lieferadresse Ort',
      'Lieferadresse Land',
    ],
    [
      'Name (Lieferanschrift)',
      'Straße (Lieferanschrift)',
      'Haus-Nr. (Lieferanschrift)',
      'PLZ (Lieferanschrift)',
      'Ort (Lieferanschrift)',
      'Land (Lieferanschrift)',
    ],
    ['Liefername', 'Lieferstrasse', 'Lieferhausnummer', 'Liefer-PLZ', 'Lieferort', 'Lieferland'],
    [
      'Versand_Name',
      'Versand_Strasse',
      'Versand_Nr',
      'Versand_Postleitzahl',
      'Versand_Stadt',
      'Versand_Ländercode',
    ],
    [
      'Versandadresse: Name',
      'Versandadresse: Straße',
      'Versandadresse: Hausnummer',
      'Versandadresse: PLZ',
      'Versandadresse: Ort',
      'Versandadresse: Land (ISO)',
    ],
    [
      'Empfänger',
      'Empfänger Straße',
      'Empfänger Hausnummer',
      'Empfänger PLZ',
      'Empfänger Ort',
      'Empfänger Länderkürzel',
    ],
    [
      'Afleveradres naam',
      'Afleveradres straat',
      'Afleveradres huisnr.',
      'Afleveradres postcode',
      'Afleveradres plaats',
      'Afleveradres land',
    ],
    [
      'Bezorgadres - Naam',
      'Bezorgadres - Straatnaam',
      'Bezorgadres - Huisnummer',
      'Bezorgadres - Postcode',
      'Bezorgadres - Woonplaats',
      'Bezorgadres - Landcode',
    ],
    [
      'Leveringsadres naam',
      'Leveringsadres straat',
      'Leveringsadres nummer',
      'Leveringsadres postcode',
      'Leveringsadres gemeente',
      'Leveringsadres land',
    ],
    [
      'Naam ontvanger',
      'Straat ontvanger',
      'Huisnummer ontvanger',
      'Postcode ontvanger',
      'Plaatsnaam ontvanger',
      'Land ontvanger',
    ],
    [
      'Ship-to name',
      'Ship-to street name',
      'Ship-to house no.',
      'Ship-to ZIP',
      'Ship-to town/city',
      'Ship-to country code',
    ],
    [
      'SHIPTO_NAME',
      'SHIPTO_STREETNAME',
      'SHIPTO_HOUSE_NUMBER',
      'SHIPTO_ZIP/POSTAL CODE',
      'SHIPTO_CITY',
      'SHIPTO_COUNTRY',
    ],
    [
      'ShipToContactName',
      'ShipToStreetName',
      'ShipToHouseNumber',
      'ShipToPostalCode',
      'ShipToCity',
      'ShipToCountryCode',
    ],
    [
      'Delivery Address Name',
      'Delivery Address Street Name',
      'Delivery Address House Number',
      'Delivery Address Postcode',
      'Delivery Address Town',
      'Delivery Address Country',
    ],
    [
      'Recipient',
      'Recipient street name',
      'Recipient house number',
      'Recipient post code',
      'Recipient city',
      'Recipient country',
    ],
    ['Kundenname', 'Kunde Straße', 'Kunde Hausnummer', 'Kunden-PLZ', 'Kunde Ort', 'Kunde Land'],
    ['Vor- und Nachname', 'Str.', 'Nr.', 'PLZ', 'Ort', 'Land'],
  ])('map columns to the delivery address, not to those of invoice and sender: %s, …', (...headings) => {
    expect(guess(headings)).toEqual(addressFields)
    // Columns of invoice and sender are ignored, whether they come before or after.
    const invoice = [
      'Rechnungsadresse Name',
      'Rechnungsadresse Straße',
      'Rechnungsadresse PLZ',
      'Rechnungsadresse Ort',
      'Factuuradres land',
    ]
    const sender = ['Absender Name', 'Afzender postcode', 'Return address city', 'Lieferanten-PLZ']
    const others = [...invoice, ...sender]
    const before = guess([...others, ...headings])
    expect(before).toEqual([...others.map(() => null), ...addressFields])
    const after = guess([...headings, ...others])
    expect(after).toEqual([...addressFields, ...others.map(() => null)])
  })

  it.each<[string, ImportField]>([
    ['Telefon-Nr.', 'phoneNumber'],
    ['Tel.-Nr.', 'phoneNumber'],
    ['Mobilnummer', 'phoneNumber'],
    ['Telefoonnr.', 'phoneNumber'],
    ['GSM-nummer', 'phoneNumber'],
    ['Telephone no.', 'phoneNumber'],
    ['Customer phone number', 'phoneNumber'],
    ['Lieferadresse Telefon', 'phoneNumber'],
    ['E-Mail-Adresse', 'email'],
    ['Kunden-E-Mail', 'email'],
    ['E-mailadres klant', 'email'],
    ['Contact e-mail', 'email'],
    ['Firmenname', 'companyName'],
    ['Lieferadresse Firma', 'companyName'],
    ['Afleveradres bedrijfsnaam', 'companyName'],
    ['Empfänger Vorname', 'firstName'],
    ['Nachname des Empfängers', 'lastName'],
    ['T.a.v.', 'fullName'],
    ['Bestell-Nr.', 'reference'],
    ['Auftragsnr.', 'reference'],
    ['Order #', 'reference'],
    ['Order-ID', 'reference'],
    ['Belegnummer', 'reference'],
    ['Lieferschein-Nr.', 'reference'],
    ['Bestelnummer', 'reference'],
    ['Nr.', 'reference'],
    ['Kundenreferenz', 'reference2'],
    ['Gewicht in kg', 'weight'],
    ['Versandgewicht [g]', 'weight'],
    ['Total weight lbs', 'weight'],
    ['Anzahl Pakete', 'numberOfPackages'],
    ['No. of packages', 'numberOfPackages'],
    ['Aantal colli', 'numberOfPackages'],
    ['Länge (cm)', 'length'],
    ['Breedte in cm', 'width'],
    ['Bestelldatum', 'orderDate'],
    ['Rechnungsbetrag', 'orderValue'],
    ['Artikel-Nr.', 'sku'],
    ['Artikelbezeichnung', 'itemName'],
    ['Productnaam', 'itemName'],
    ['Artikelmenge', 'itemQuantity'],
    ['Zolltarif-Nr.', 'hsCode'],
  ])('map «%s» to the field %s', (heading, field) => {
    expect(guess([heading])).toEqual([field])
  })

  it.each([
    ['Kundennummer'],
    ['Customer ID'],
    ['Lieferdatum'],
    ['Versandart'],
    ['Shipping costs'],
    ['Zahlungsart'],
    ['Lieferant'],
    ['Tracking number'],
    ['Delivery number'],
  ])('map «%s» to no field', (heading) => {
    expect(guess([heading])).toEqual([null])
  })

  it.each<[string, string, WeightUnit, string]>([
    ['Weight (lb)', '2', 'lb', '0.907'],
    ['Weight oz', '12', 'oz', '0.34'],
    ['Gewicht in Gramm', '1.250', 'g', '1.25'],
    ['weightlbs', '1', 'lb', '0.454'],
    ['Weight (lb)', '.75', 'lb', '0.34'],
    ['Weight (lb)', '75.', 'lb', '34.019'],
    ['Weight (lb)', '+0,75', 'lb', '0.34'],
    ['Gewicht', '1 lb', 'kg', '0.454'],
    ['Gewicht', '8 oz', 'kg', '0.227'],
    ['Gewicht', '350 Gramm', 'kg', '0.35'],
  ])(
    'determine the unit of weight: «%s» with the text «%s» is in %s and %s kg',
    async (heading, text, unit, kilograms) => {
      const header = ['Order', heading]
      const rows = [['A-1', text]]
      const mapping = guessMapping(header, rows)
      expect(mapping.weightUnit).toBe(unit)
      expect(await readOrders(header, { rows, lineNumbers: [2], numeric: null }, mapping)).toMatchObject([
        { values: { weight: kilograms } },
      ])
    },
  )
})

describe('the columns of a customer', () => {
  it.each([
    ['Klant', 'Klantnaam'],
    ['Kunde', 'Kundenname'],
    ['Customer', 'Customer Name'],
  ])('are a number under «%s» and the name under «%s»', (number, name) => {
    expect(guess([number, name])).toEqual([null, 'fullName'])
  })

  it.each([['Klant'], ['Kunde'], ['Customer'], ['Contact']])(
    'are the name under «%s» if most of its cells are words',
    (heading) => {
      const guessFrom = (...cells: string[]) =>
        guess(
          [heading],
          cells.map((cell) => [cell]),
        )
      expect(guessFrom('Anna Berg')).toEqual(['fullName'])
      expect(guessFrom('-', 'Anna Berg', '?')).toEqual(['fullName'])
      expect(guessFrom('Anna Berg', '10023', '王 伟')).toEqual(['fullName'])
      expect(guessFrom('3M')).toEqual(['fullName'])
      expect(guessFrom('10023', 'C10024', 'Anna Berg')).toEqual([null])
    },
  )

  it.each([
    ['Klant naam', 'Klant adres'],
    ['Klantnaam', 'Klantadres'],
    ['Naam klant', 'Adres klant'],
    ['Kundenname', 'Kundenanschrift'],
    ['Customer Name', 'Customer Address'],
    ['Contact Name', 'Contact Address'],
  ])('are the name under «%s» and the address under «%s»', (name, address) => {
    expect(guess([name, address])).toEqual(['fullName', 'streetAndNumber'])
    expect(guess([address, name])).toEqual(['streetAndNumber', 'fullName'])
  })

  it('give way to a column of the street', () => {
    const fields = ['fullName', null, 'streetAndNumber']
    expect(guess(['Customer Name', 'Customer Address', 'Street'])).toEqual(fields)
  })
})

describe('a column of numbers after the street', () => {
  it.each<[string[], string[], ImportField]>([
    [['Straße', 'Nr.'], ['Hauptstr.', '5'], 'houseNumber'],
    [['Straße', 'Adresszusatz', 'Nr.'], ['Hauptstr.', 'Hinterhaus', '5 bis'], 'houseNumber'],
    [['Straat', 'Postcode', 'Nr'], ['Kerkstraat', '1234 AB', '5'], 'houseNumber'],
    [['Address', 'Contact Number'], ['High Street 12', '07700900123'], 'phoneNumber'],
    [['Delivery address', 'Delivery contact number'], ['High Street 12', '07700900123'], 'phoneNumber'],
  ])('has the field of its heading: %j', (headings, row, field) => {
    expect(guess(headings, [row]).at(-1)).toBe(field)
    expect(guess(headings).at(-1)).toBe(field)
  })

  it.each([
    ['z.n.', '12', '12'],
    ['A12', '12', 'A14'],
    ["'12-3", '-', '12'],
  ])('is the house number with the cells «%s», «%s» and «%s»', (...numbers) => {
    const rows = numbers.map((number) => ['Plein 1944', number])
    expect(guess(['Straat', 'Nr'], rows)).toEqual(['street', 'houseNumber'])
    expect(guess(['Delivery street', 'Delivery number'], rows)).toEqual(['street', 'houseNumber'])
  })

  it.each([
    [
      ['Straat', 'Plaats', 'Nr'],
      ['Weg', 'Ede', '5'],
    ],
    [
      ['Straat', 'Huisnummertoevoeging', 'Nr'],
      ['Weg', 'bis', '5'],
    ],
  ])('is the house number also after another column: %j', (headings, row) => {
    expect(guess(headings, [row]).at(-1)).toBe('houseNumber')
  })

  it('is the order number if the street has a column with its number', () => {
    const rows = ['1001', '1002', '1003'].map((number) => ['Weg', '5', number])
    expect(guess(['Straat', 'Huisnummer', 'Nr'], rows)).toEqual(['street', 'houseNumber', 'reference'])
  })

  it.each([['Contact No.'], ['Contactnummer'], ['Kontaktnummer']])(
    'is the phone number under «%s» if most of its cells are phone numbers',
    (heading) => {
      const guessFrom = (headings: string[], ...numbers: string[]) =>
        guess(
          headings,
          numbers.map((number) => [number, '0612345678']),
        )
      const phones = ['0612345678', 'C10023', '+49 221 12345']
      expect(guessFrom([heading, 'Naam'], ...phones)[0]).toBe('phoneNumber')
      expect(guessFrom([heading, 'Naam'], '10023', 'C10024', '0612345678')[0]).toBeNull()
      expect(guessFrom([heading, 'Mobiel'], ...phones)).toEqual([null, 'phoneNumber'])
    },
  )

  it('is no order number if the street has that number itself', () => {
    const rows = [
      ['Anna Berg', 'Kerkstraat 12', '12'],
      ['Piet Smit', 'Weg 3', '3'],
      ['Jan Smit', 'Plein 1944', '4'],
    ]
    expect(guess(['Naam', 'Adres', 'Nr'], rows)).toEqual(['fullName', 'streetAndNumber', null])
  })

  it.each([
    ['Klantadres', 'Klantnummer', 'Nieuwe Gracht 80, 2'],
    ['Kundenstraße', 'Kundennr.', 'Gewerbepark Nord'],
    ['Customer Address', 'Customer Number', 'Flat 3, 12 High Street'],
  ])('is not the house number beside «%s» under «%s»', (address, number, text) => {
    expect(guess([address, number], [[text, '10023']])).toEqual(['streetAndNumber', null])
  })

  it.each([
    [
      ['Straße', 'Kundennummer'],
      ['Hauptstr.', '1002'],
    ],
    [
      ['Straße', 'Ort', 'Kundennr.'],
      ['Hauptstr.', 'Köln', '1002'],
    ],
    [
      ['Customer street', 'Customer number'],
      ['Hauptstr. 5', '1002'],
    ],
    [
      ['Delivery address', 'Delivery number'],
      ['Hauptstr.', '8000123'],
    ],
    [
      ['Delivery address', 'Delivery number'],
      ['Hauptstr. 5', '123'],
    ],
    [
      ['Delivery address', 'Delivery city', 'Delivery number'],
      ['Hauptstr. 5', 'Köln', '123'],
    ],
  ])('is not the house number if it numbers something else: %j', (headings, row) => {
    expect(guess(headings, [row]).at(-1)).toBeNull()
  })
})

describe('the order number', () => {
  const delivery = ['Delivery name', 'Delivery street', 'Delivery zip', 'Delivery city']
  const address = ['Anna Berg', 'Kerkstraat 5', '1234 AB', 'Utrecht']

  it.each([['Order ID'], ['Belegnummer'], ['Lieferscheinnummer'], ['ID']])(
    'is in «%s», not in the name of the customer',
    (heading) => {
      const row = ['10001', 'Anna Berg', ...address]
      const [reference, name] = guess([heading, 'Name', ...delivery], [row])
      expect([reference, name]).toEqual(['reference', null])
    },
  )

  it('is in no column if the only one that could be it is the name of the customer', () => {
    expect(guess(['Name', ...delivery], [['Anna Berg', ...address]])[0]).toBeNull()
  })

  it('is in «Name» if that has numbers, as an export of Shopify', () => {
    const row = ['#1001', '4501', ...address]
    expect(guess(['Name', 'Id', ...delivery], [row]).slice(0, 2)).toEqual(['reference', null])
  })

  it.each([
    [['#1001', '#1002 EXCHANGE', 'EXCHANGE']],
    [['NL 1001', 'NL 1002', 'NL 1003']],
    [['Anna Berg', '#1001', '#1002']],
  ])('is in «Name» if most of its cells have numbers, such as %j', (names) => {
    const rows = names.map((name) => [name, '4501', ...address])
    expect(guess(['Name', 'Id', ...delivery], rows).slice(0, 2)).toEqual(['reference', null])
  })

  it('is not in «Name» if one customer has a number in the name', () => {
    const rows = ['Anna Berg', 'Studio 100', 'Piet Smit'].map((name) => [name, '4501', ...address])
    expect(guess(['Name', 'Id', ...delivery], rows).slice(0, 2)).toEqual([null, 'reference'])
  })

  it.each([['Belegnummer'], ['Lieferscheinnummer'], ['Pakbonnummer']])(
    'is in «%s», not in the text of the customer under «Referenz»',
    (heading) => {
      expect(guess(['Referenz', heading, 'Name'])).toEqual([null, 'reference', 'fullName'])
    },
  )

  it.each([['Bestelling'], ['Bestellung'], ['Auftrag']])(
    'is in «Referenz» beside «%s», the goods',
    (goods) => {
      expect(guess(['Referenz', goods])).toEqual(['reference', null])
    },
  )

  it.each([['Pakbonnummer'], ['Lieferscheinnummer']])(
    'is in «Reference» beside an empty column «%s»',
    (heading) => {
      const rows = ['R1', 'R2', 'R3'].map((reference) => [reference, '', 'Ede'])
      expect(guess(['Reference', heading], rows)).toEqual(['reference', null])
      const used = rows.map((row, at) => (at === 1 ? row : row.with(1, `P${at}`)))
      expect(guess(['Reference', heading], used)).toEqual([null, 'reference'])
    },
  )

  it.each([['ID'], ['Order ID']])(
    'is in «Reference» beside «%s», the number that only the database of the shop uses',
    (heading) => {
      expect(guess([heading, 'Reference'])).toEqual([null, 'reference'])
    },
  )
})

describe('a second line of the address', () => {
  const readAddress = async (header: readonly string[], row: readonly string[]) => {
    const table = { rows: [[...row]], lineNumbers: [2], numeric: null }
    const [order] = await readOrders(header, table, guessMapping(header, table.rows))
    return [order?.values.street, order?.values.houseNumber]
  }

  it.each([
    [
      ['Straße', 'Adresszusatz', 'PLZ', 'Ort'],
      ['Hauptstraße 80', 'Hinterhaus', '50667', 'Köln'],
    ],
    [
      ['Straße', 'Hausnummer', 'Adresszusatz', 'PLZ', 'Ort'],
      ['Hauptstraße', '80', 'Hinterhaus', '50667', 'Köln'],
    ],
    [
      ['Street', 'House number', 'Address line 2', 'City'],
      ['Hauptstraße', '80', 'Hinterhaus', 'Köln'],
    ],
  ])('follows the house number with the headings %j', async (header, row) => {
    expect(await readAddress(header, row)).toEqual(['Hauptstraße', '80 Hinterhaus'])
  })

  it('follows the addition to the house number', async () => {
    const header = ['Street', 'House number', 'House number addition', 'Address line 2', 'City']
    const row = ['Dam', '1', 'B', '3e etage', 'Amsterdam']
    expect(await readAddress(header, row)).toEqual(['Dam', '1 B 3e etage'])
  })
})

it.each([
  [
    ['Straatnaam', 'Huisnummer', 'Huisletter', 'Huisnummertoevoeging', 'Plaats'],
    ['Weg', '1', 'A', 'bis', 'Ede'],
    { street: 'Weg', houseNumber: '1 A bis' },
  ],
  [
    ['Straat', 'Nummer', 'Bus', 'Gemeente'],
    ['Kerkstraat', '12', '3', 'Antwerpen'],
    { street: 'Kerkstraat', houseNumber: '12 3' },
  ],
  [
    ['Straat', 'Bus', 'Nummer', 'Gemeente'],
    ['Kerkstraat', '3', '12', 'Antwerpen'],
    { street: 'Kerkstraat', houseNumber: '12 3' },
  ],
  [
    ['Delivery address', 'Delivery house letter', 'Delivery city'],
    ['Weg 1', 'A', 'Ede'],
    { street: 'Weg', houseNumber: '1 A' },
  ],
  [
    ['Address line 1', 'Address line 2', 'Address line 3', 'Town'],
    ['12 High Street', 'Flat 3', 'Horsforth', 'Leeds'],
    { street: 'High Street', houseNumber: '12 Flat 3 Horsforth' },
  ],
  [
    ['Address line 1', 'Address line 2', 'Address line 3', 'Town'],
    ['12 High Street', 'Horsforth', 'LEEDS', 'Leeds'],
    { street: 'High Street', houseNumber: '12 Horsforth' },
  ],
  [
    ['Voornaam', 'Tussenvoegsel', 'Achternaam'],
    ['Anna', 'van der', 'Berg'],
    { firstName: 'Anna', lastName: 'van der Berg' },
  ],
  [
    ['First name', 'Last name', 'Middle name'],
    ['Jan', 'Berg', 'van'],
    { firstName: 'Jan', lastName: 'van Berg' },
  ],
  [
    ['Name 1', 'Name 2', 'City'],
    ['Bau GmbH', 'Anna Berg', 'Köln'],
    { firstName: 'Bau GmbH Anna', lastName: 'Berg' },
  ],
])('no part of the name or the address is left out with the headings %j', async (header, row, expected) => {
  const table = { rows: [row], lineNumbers: [2], numeric: null }
  const [order] = await readOrders(header, table, guessMapping(header, table.rows))
  expect(order?.values).toMatchObject(expected)
})

it.each([
  ['Qty', 'Weight', 'Total Weight'],
  ['Menge', 'Gewicht', 'Gesamtgewicht'],
  ['Aantal', 'Gewicht (kg)', 'Totaalgewicht (kg)'],
])('in a file with %s, %s is the weight of a piece and %s that of the parcel', (quantity, weight, total) => {
  expect(guess([quantity, weight, total])).toEqual(['itemQuantity', 'itemWeight', 'weight'])
  expect(guess([weight, total])).toEqual([null, 'weight'])
  expect(guess([quantity, weight])).toEqual(['itemQuantity', 'weight'])
})

it.each([
  ['Qty', 'Weight', 'Package weight'],
  ['Menge', 'Gewicht', 'Bruttogewicht'],
])(
  'in a file with %s, %s is the weight of the parcel beside %s only if that is empty or 0',
  (...headings) => {
    const fields = (...totals: string[]) =>
      guess(
        headings,
        totals.map((total) => ['3', '1.5', total]),
      )
    expect(fields('', '0', '0,00')).toEqual(['itemQuantity', 'weight', null])
    expect(fields('', '1.8', '0')).toEqual(['itemQuantity', null, 'weight'])
  },
)

it.each([
  [
    ['Vorname', 'Name'],
    [
      ['Jo', 'Berg'],
      ['Karl', 'Karl'],
      ['Eva', 'Smit'],
    ],
    { firstName: 'Jo', lastName: 'Berg' },
  ],
  [
    ['Voornaam', 'Tussenvoegsel', 'Naam'],
    [
      ['Anna', 'van der', 'Berg'],
      ['Piet', '', 'Smit'],
      ['Eva', '', 'Bos'],
    ],
    { firstName: 'Anna', lastName: 'van der Berg' },
  ],
  [
    ['Naam', 'Achternaam'],
    [
      ['Anna', 'Berg'],
      ['Piet', 'Smit'],
      ['Eva', 'Bos'],
    ],
    { firstName: 'Anna', lastName: 'Berg' },
  ],
  [
    ['First name', 'Full name'],
    [
      ['Anna', 'Anna van der Berg'],
      ['Bob', 'Robert Smit'],
      ['Eva', 'Bos, Eva'],
    ],
    { firstName: 'Anna', lastName: 'van der Berg' },
  ],
  [
    ['Full name', 'Last name'],
    [
      ['Anna Berg', 'Berg'],
      ['Jan Smit', 'Smit'],
      ['', 'Bos'],
    ],
    { firstName: 'Anna', lastName: 'Berg' },
  ],
])('both parts of a name are read from %j', async (header, rows, expected) => {
  const table = { rows, lineNumbers: [2, 3, 4], numeric: null }
  const [order] = await readOrders(header, table, guessMapping(header, rows))
  expect(order?.values).toEqual(expected)
})

it('the weight of an item has the unit of its own heading, and otherwise that of the file', async () => {
  const readItemWeight = async (headings: readonly string[]) => {
    const header = ['Order', 'SKU', ...headings]
    const table = { rows: [['A-1', 'MUG', '350', '350']], lineNumbers: [2], numeric: null }
    const [order] = await readOrders(header, table, guessMapping(header, table.rows))
    return order?.items[0]?.weight
  }
  expect(await readItemWeight(['Item weight (g)', 'Weight (kg)'])).toBe('0.35')
  expect(await readItemWeight(['Item weight', 'Weight (g)'])).toBe('0.35')
  expect(await readItemWeight(['Item weight', 'Weight'])).toBe('350')
})

describe('a street and its house number', () => {
  it.each([
    ['Meir 24 bus 3', 'Meir', '24 bus 3'],
    ['Meir 24A bus 12', 'Meir', '24A bus 12'],
    ['Meir 24 bus B', 'Meir', '24 bus B'],
    ['Meir 24 Bus3', 'Meir', '24 Bus3'],
    ['Meir 24 b 3', 'Meir', '24 b 3'],
    ['Avenue Louise 65 boîte 11', 'Avenue Louise', '65 boîte 11'],
    ['Avenue Louise, 65 bte. 11', 'Avenue Louise', '65 bte. 11'],
    ['Wiener Str. 5 Stiege 2 Top 7', 'Wiener Str.', '5 Stiege 2 Top 7'],
    ['Kerkstraat 12, app 3', 'Kerkstraat', '12, app 3'],
    ['Hauptstraße 5 Whg 3', 'Hauptstraße', '5 Whg 3'],
    ['Hauptstraße 12e', 'Hauptstraße', '12e'],
    ['Hauptstr. 3 / 5', 'Hauptstr.', '3 / 5'],
    ['Kerkstraat 12 III', 'Kerkstraat', '12 III'],
    ['123 Main St Apt 4', 'Main St Apt 4', '123'],
    ['123 N Main St', 'N Main St', '123'],
    ['500 5th Avenue', '5th Avenue', '500'],
    ['12 High Street Flat 3', 'High Street Flat 3', '12'],
    ['10 Downing Street, Floor 2', 'Downing Street, Floor 2', '10'],
    ['12 rue du 8 Mai 1945', 'rue du 8 Mai 1945', '12'],
    ['Rue du 11 novembre 1918 7 bis', 'Rue du 11 novembre 1918', '7 bis'],
    ['Via 4 Novembre 12', 'Via 4 Novembre', '12'],
    ['Calle 2 de Mayo, 5', 'Calle 2 de Mayo', '5'],
    ['11 Novemberstraat 12', '11 Novemberstraat', '12'],
    ['Plein 1944 12', 'Plein 1944', '12'],
    ['Straße des 17. Juni 135', 'Straße des 17. Juni', '135'],
    ['C4, 10', 'C4', '10'],
    ['500 C Street', 'C Street', '500'],
    ['12 B rue de la Paix', 'rue de la Paix', '12 B'],
    ['1850 5th Avenue', '5th Avenue', '1850'],
  ])('%s is split into «%s» and «%s»', (text, street, houseNumber) => {
    expect(splitStreet(text)).toEqual({ street, houseNumber })
  })

  it('are told apart in no time in a text of very many parts', () => {
    const text = `x 1${' b'.repeat(900)}!`
    expect(splitStreet(text)).toEqual({ street: text, houseNumber: '' })
  })

  it.each([
    ['Nieuwe Gracht 80, 2'],
    ['Nieuwe Gracht 80 2'],
    ['Kerkstraat 12 achterhuis 3'],
    ['Flat 2, 8 Bond St'],
    ['Suite 500 1200 Main St'],
    ['Hauptstr. 5 Bonn'],
    ['Kerkstraat 12 A 3'],
    ['Rue du 8 mai 1945'],
    ['11 Novemberstraat'],
    ['Route 66 12'],
    ['123 Highway 50'],
    ['PO Box 12'],
  ])('are not told apart in «%s», where another number could be the house number', (text) => {
    expect(splitStreet(text)).toEqual({ street: text, houseNumber: '' })
  })
})

describe('a street that begins with an ordinal number', () => {
  it.each([
    ['1e Helmersstraat', '1e Helmersstraat', ''],
    ['1E HELMERSSTRAAT 12', '1E HELMERSSTRAAT', '12'],
    ['2e Jan Steenstraat 5a', '2e Jan Steenstraat', '5a'],
    ['1ste Straat', '1ste Straat', ''],
    ['1er Avenue', '1er Avenue', ''],
    ['1st Avenue', '1st Avenue', ''],
    ['12b rue de la Paix', 'rue de la Paix', '12b'],
  ])('%s is split into «%s» and «%s»', (text, street, houseNumber) => {
    expect(splitStreet(text)).toEqual({ street, houseNumber })
  })

  it.each([
    ['g', 'kg', '350', '0.35'],
    ['lbs', 'kg', '1', '0.454'],
    ['KG', 'g', '2', '2'],
  ] as const)(
    'an item weight under the heading «%s» has that unit',
    async (heading, weightUnit, weight, expected) => {
      const fields = {
        reference: { columns: ['Order'] },
        sku: { columns: ['SKU'] },
        itemWeight: { columns: [heading] },
      }
      const table = { rows: [['A-1', 'MUG', weight]], lineNumbers: [2], numeric: null }
      const [order] = await readOrders(['Order', 'SKU', heading], table, { fields, weightUnit })
      expect(order?.items).toMatchObject([{ weight: expected }])
    },
  )

  it('the letter of a column without a heading is not taken for a unit of weight', async () => {
    const fields = { reference: { columns: ['A'] }, sku: { columns: ['B'] }, itemWeight: { columns: ['G'] } }
    const table = { rows: [['A-1', 'MUG', '', '', '', '', '0.35']], lineNumbers: [1], numeric: null }
    const [order] = await readOrders(toColumnLetters(7), table, { fields, weightUnit: 'kg' })
    expect(order?.items).toMatchObject([{ weight: '0.35' }])
  })

  it('keeps it when the house number is in a second column', async () => {
    const mapping = {
      fields: { streetAndNumber: { columns: ['Street', 'Number'] } },
      weightUnit: 'kg' as const,
    }
    const table = { rows: [['1e Helmersstraat', '12']], lineNumbers: [2], numeric: null }
    const [order] = await readOrders(['Street', 'Number'], table, mapping)
    expect(order?.values).toMatchObject({ street: '1e Helmersstraat', houseNumber: '12' })
  })
})

it.each([
  ['Dam 1\n1012 JS, Amsterdam', ['Dam 1'], '1012 JS', 'Amsterdam', ''],
  ['Dam 1, 1012 JS, Amsterdam, Niederlande', ['Dam 1'], '1012 JS', 'Amsterdam', 'NL'],
  ['Dam 1,Amsterdam,Noord-Holland,1012 JS,NL', ['Dam 1'], '1012 JS', 'Amsterdam', 'NL'],
  ['Dam 1\nAmsterdam', ['Dam 1'], '', 'Amsterdam', ''],
  ['1 Main St, Dublin, Ireland,', ['1 Main St'], '', 'Dublin', 'IE'],
  ['Kerkstraat 12\n1234 AB Amsterdam\nNederland', ['Kerkstraat 12'], '1234 AB', 'Amsterdam', 'NL'],
  [
    'Kerkstraat 12, 2e verdieping, 1234AB Amsterdam, NL',
    ['Kerkstraat 12', '2e verdieping'],
    ...['1234AB', 'Amsterdam', 'NL'],
  ],
  ['Kerkstraat 12, 2e etage, 1234 ab Ee', ['Kerkstraat 12', '2e etage'], '1234 ab', 'Ee', ''],
  ['Jan Jansen\nKerkstraat 12\n1234 AB Utrecht', ['Jan Jansen', 'Kerkstraat 12'], '1234 AB', 'Utrecht', ''],
  ['Jan Jansen,Kerkstraat 12,Utrecht,1234 AB', ['Jan Jansen', 'Kerkstraat 12'], '1234 AB', 'Utrecht', ''],
  [
    "Piet Smit\nDorpsweg 3\n5211 AA 's-Hertogenbosch\nNederland",
    ['Piet Smit', 'Dorpsweg 3'],
    ...['5211 AA', "'s-Hertogenbosch", 'NL'],
  ],
  ['Weg 3, 3730 De Bilt', ['Weg 3'], '3730', 'De Bilt', ''],
  [
    'Musterstr. 12\nHinterhaus\nD-50667 Köln\nDeutschland',
    ['Musterstr. 12', 'Hinterhaus'],
    ...['D-50667', 'Köln', 'DE'],
  ],
  [
    'Flat 3, 12 High Street, Leeds, LS1 4AP, United Kingdom',
    ['Flat 3', '12 High Street'],
    ...['LS1 4AP', 'Leeds', 'GB'],
  ],
  ['1 Main Street, Atlanta, GA 30301, USA', ['1 Main Street'], 'GA 30301', 'Atlanta', 'US'],
  ['1 Main Street, Atlanta, GA, 30301, USA', ['1 Main Street'], '30301', 'Atlanta', 'US'],
  ['5 George St, Sydney, NSW, 2000, Australia', ['5 George St'], '2000', 'Sydney', 'AU'],
  ['100 King St W, Toronto, ON M5V 2T6, Canada', ['100 King St W'], 'ON M5V 2T6', 'Toronto', 'CA'],
  ['24 Main St, Dublin, D02 X285, Ireland', ['24 Main St'], 'D02 X285', 'Dublin', 'IE'],
  ['Kerkstraat 12, 1234 AB Amsterdam, Noord-Holland', ['Kerkstraat 12'], '1234 AB', 'Amsterdam', ''],
  ['Kerkstraat 12, Amsterdam, Noord-Holland, Nederland', ['Kerkstraat 12'], '', 'Amsterdam', 'NL'],
  ['10 Downing Street, London SW1A 2AA, England', ['10 Downing Street'], 'SW1A 2AA', 'London', 'GB'],
])('the address %j in one cell is split', (cell, lines, postalCode, city, country) => {
  expect(splitAddress(cell)).toEqual({ lines, postalCode, city, country })
})

it.each([
  ['12 High Street, Leeds, West Yorkshire, LS1 4AP', '12 High Street, Leeds, West Yorkshire, LS1 4AP', ''],
  ['KERKSTRAAT 12, ACHTERHUIS, EDE, 6711 AA', 'KERKSTRAAT 12, ACHTERHUIS, EDE, 6711 AA', ''],
  ['Piet Smit, Kerkstraat 12', 'Piet Smit, Kerkstraat 12', ''],
  ['Acme, 12345 Main Street, USA', 'Acme, 12345 Main Street', 'US'],
  ['Suite 5, 12345 Main Street, USA', 'Suite 5, 12345 Main Street', 'US'],
  ['Jan Jansen, Kerkstraat 1234, Nederland', 'Jan Jansen, Kerkstraat 1234', 'NL'],
])(
  'the address %j in one cell stays whole, because it is not clear which part is the city',
  (cell, line, country) => {
    expect(splitAddress(cell)).toEqual({ lines: [line], postalCode: '', city: '', country })
  },
)

it.each([
  ['Anna van der Berg', 'Anna', 'van der Berg'],
  ['Jansen, Jan', 'Jan', 'Jansen'],
  ['van der Berg , Anna Maria', 'Anna Maria', 'van der Berg'],
  ['Jansen,', '', 'Jansen'],
  [', Jansen', '', 'Jansen'],
  ['Jansen B.V., t.a.v. P. de Vries, magazijn', '', 'Jansen B.V., t.a.v. P. de Vries, magazijn'],
  ['Jansen B.V., inkoop', '', 'Jansen B.V., inkoop'],
  ['Müller GmbH & Co. KG, Einkauf', '', 'Müller GmbH & Co. KG, Einkauf'],
  ['Müller, Meier, Schulz GbR', '', 'Müller, Meier, Schulz GbR'],
  ['Smith, John, PhD', '', 'Smith, John, PhD'],
  ['Studio 54, balie', '', 'Studio 54, balie'],
])('of the name «%s», «%s» is the first and «%s» the last name', (text, firstName, lastName) => {
  expect(splitName(text)).toEqual({ firstName, lastName })
})

it.each([
  ['United Kingdom (UK)', 'GB'],
  ['United States (US)', 'US'],
  ['U.K.', 'GB'],
  ['Northern Ireland', 'GB'],
  ['Schotland', 'GB'],
  ['Turkey', 'TR'],
  ['Hong Kong', 'HK'],
  ['St. Lucia', 'LC'],
  ['Utopia (UT)', 'Utopia (UT)'],
  ['Congo (DR)', 'Congo (DR)'],
  ['Samoa (US)', 'Samoa (US)'],
])('the country «%s» is read as %s', (text, code) => {
  expect(toCountryCode(text)).toBe(code)
})

it('columns without headings are named as in spreadsheets, as many as a workbook can have', () => {
  const letters = toColumnLetters(16_384)
  expect([0, 25, 26, 701, 702, 16_383].map((index) => letters[index])).toEqual([
    'A',
    'Z',
    'AA',
    'ZZ',
    'AAA',
    'XFD',
  ])
})
