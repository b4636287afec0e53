import { foldText } from '../../shared/foldText'
import type { ImportField, OrderMapping, WeightUnit } from '../../shared/orders'
import { unitNamed } from './numbers'

/** Whose data a column holds. The parcel goes to the delivery address; «plain» is a column that does not say. */
type Scope = 'item' | 'delivery' | 'billing' | 'plain'

/** Words of a heading that say whose column it is, in English, Dutch and German; looked for in this order. */
const scopeWords: readonly (readonly [Scope, RegExp])[] = [
  ['item', /\b(line ?items?|items?|articles?|artikel|products?|produkt)\b/],
  [
    'billing',
    /\b(billing|bill to|invoice|payment|seller|sender)\b|factuur|betaal|rechnungs?|zahlungs?|afzender|verkoper/,
  ],
  [
    'delivery',
    /\b(shipping|ship to|delivery|deliver to|consignee|recipient)\b|verzending|verzend|verz\b|aflever|bezorging|bezorg|lieferung|liefer|versand|ontvanger|empfanger/,
  ],
]

/** Headings of each field without the words of their scope: lower-case letters and digits, the likeliest first. */
const consigneeNames: readonly (readonly [ImportField, string])[] = [
  [
    'companyName',
    'company companyname bedrijf bedrijfsnaam firma firmenname unternehmen organisation organization',
  ],
  ['firstName', 'firstname voornaam vorname givenname'],
  ['lastName', 'lastname surname achternaam nachname familyname familienaam'],
  [
    'fullName',
    'name fullname contact contactname attn naam tav kontakt customername customer klant klantnaam kunde ansprechpartner',
  ],
  ['street', 'streetname straatnaam straat strasse adresstraat'],
  [
    'houseNumber',
    'housenumber houseno housenr streetnumber huisnummer huisnr hausnummer hausnr adreshuisnummer number',
  ],
  [
    'streetAndNumber',
    'address1 address12 addressline1 streetaddress street adres1 adres adresse1 adresse anschrift address straatenhuisnummer strasseundhausnummer',
  ],
  ['postalCode', 'postalcode postcode zip zipcode postleitzahl plz'],
  ['city', 'city town place plaats woonplaats stad stadt ort wohnort'],
  ['country', 'countrycode country landcode land countryiso landeskennzeichen'],
  ['email', 'email emailaddress mail customeremail emailadres emailadresse'],
  [
    'phoneNumber',
    'phone phonenumber telephone tel mobile telefoon telefoonnummer telnummer telefon telefonnummer handy mobiel',
  ],
]

const orderNames: readonly (readonly [ImportField, string])[] = [
  [
    'reference',
    'ordernumber orderno ordernr ordername order bestelnummer bestelnr ordernummer bestellnummer bestellnr auftragsnummer auftragsnr reference referentie referenz ref name orderid incrementid id',
  ],
  [
    'reference2',
    'reference2 referentie2 customerreference yourreference klantreferentie kundenreferenz purchaseorder',
  ],
  [
    'weight',
    'weight totalweight orderweight gewicht totaalgewicht gesamtgewicht weightkg gewichtkg weightg weightgrams gewichtg gewichtgram weightlb weightlbs weightoz',
  ],
  [
    'numberOfPackages',
    'packages numberofpackages parcels colli aantalpakketten pakketten pakete anzahlpakete paketanzahl',
  ],
  ['length', 'length lengte lange'],
  ['width', 'width breedte breite'],
  ['height', 'height hoogte hohe'],
  ['content', 'content contents inhoud inhalt goods'],
  ['carrierOptionId', 'carrieroptionid carrieroption'],
  [
    'orderDate',
    'orderdate createdat created purchasedate date besteldatum orderdatum bestelldatum datum paidat',
  ],
  [
    'orderValue',
    'total ordertotal ordertotalamount grandtotal grandtotalpurchased grandtotalbase totalprice totaal totaalbedrag gesamtbetrag gesamtsumme amount',
  ],
  ['currency', 'currency currencycode valuta wahrung'],
]

const itemNames: readonly (readonly [ImportField, string])[] = [
  ['sku', 'sku code articlecode artikelcode artikelnummer ean productcode number nummer'],
  ['itemName', 'name title titel producttitel omschrijving beschreibung bezeichnung description naam'],
  ['itemQuantity', 'quantity qty quantityrefund aantal menge anzahl'],
  ['itemPrice', 'price unitprice cost prijs stukprijs preis einzelpreis'],
  ['itemWeight', 'weight unitweight gewicht stukgewicht'],
  ['hsCode', 'hscode hs tariffcode commoditycode taric gncode goederencode zolltarifnummer harmonizedcode'],
  ['countryOfOrigin', 'countryoforigin origin landvanherkomst herkomst ursprungsland'],
]

/** What is about a product even where the heading does not say so. */
const plainItemNames = new Set(
  'sku ean quantity qty quantityrefund aantal menge anzahl hscode tariffcode taric zolltarifnummer countryoforigin landvanherkomst ursprungsland artikelnummer artikelcode productcode producttitel prijs price stukprijs'.split(
    ' ',
  ),
)

/** Columns that add to another one: apartment, floor, or what stands behind a house number. */
const additions: readonly (readonly [ImportField, string])[] = [
  ['streetAndNumber', 'address2 addressline2 adres2 adresse2 adresstoevoeging adresszusatz'],
  [
    'houseNumber',
    'extension houseextension housenumberaddition huisnummertoevoeging adreshuisnummertoevoeging toevoeging hausnummerzusatz zusatz',
  ],
]

interface Heading {
  column: string
  scope: Scope
  /** Without the words of its scope. */
  core: string
  whole: string
}

/**
 * Guesses which columns of a file fill which fields, by the headings that web shops use in English, Dutch and German.
 * Of a file with delivery and billing addresses the delivery address is taken. Each column is used once.
 * @param rows the rows under the header, to tell a street from a whole address in one cell
 */
export function guessMapping(header: readonly string[], rows: readonly (readonly string[])[]): OrderMapping {
  const headings = header.map(toHeading).filter(({ core, whole }) => core !== '' && whole !== '')
  const fields: OrderMapping['fields'] = {}
  const taken = new Set<Heading>()
  const take = (field: ImportField, aliases: string, fits: (heading: Heading, alias: string) => boolean) => {
    for (const alias of aliases.split(' ')) {
      const heading = headings.find((each) => !taken.has(each) && fits(each, alias))
      if (heading === undefined) continue
      const before = fields[field]
      const columns = before !== undefined && 'columns' in before ? before.columns : []
      fields[field] = { columns: [...columns, heading.column] }
      taken.add(heading)
      return
    }
  }
  const inScope = (wanted: Scope) => (heading: Heading, alias: string) =>
    heading.scope === wanted && (heading.core === alias || (wanted === 'plain' && heading.whole === alias))
  const isMissing = ([field]: readonly [ImportField, string]) => fields[field] === undefined

  for (const [field, aliases] of itemNames) take(field, aliases, inScope('item'))
  for (const [field, aliases] of itemNames.filter(isMissing)) {
    take(field, aliases, ({ whole }, alias) => whole === alias && plainItemNames.has(alias))
  }
  for (const [field, aliases] of consigneeNames) take(field, aliases, inScope('delivery'))
  const hasDelivery = fields.postalCode !== undefined || fields.streetAndNumber !== undefined
  if (hasDelivery) {
    // What is left of a name without scope, «Name» of Shopify, is the order's number.
    for (const [field, aliases] of orderNames) take(field, aliases, inScope('plain'))
    for (const [field, aliases] of contacts().filter(isMissing)) take(field, aliases, inScope('plain'))
    for (const [field, aliases] of contacts().filter(isMissing)) take(field, aliases, inScope('billing'))
  } else {
    for (const [field, aliases] of consigneeNames.filter(isMissing)) take(field, aliases, inScope('plain'))
    for (const [field, aliases] of orderNames) take(field, aliases, inScope('plain'))
    if (fields.postalCode === undefined) {
      for (const [field, aliases] of consigneeNames.filter(isMissing))
        take(field, aliases, inScope('billing'))
    }
  }
  for (const [field, aliases] of additions) {
    const before = fields[field]
    if (before === undefined || !('columns' in before)) continue
    const scope = headings.find(({ column }) => column === before.columns[0])?.scope ?? 'plain'
    take(field, aliases, inScope(scope))
  }
  if (fields.street !== undefined || fields.houseNumber !== undefined) {
    // A street that has its number in a column of its own needs no splitting.
    if (fields.street === undefined && fields.streetAndNumber !== undefined)
      fields.street = fields.streetAndNumber
    if (fields.houseNumber !== undefined) delete fields.streetAndNumber
    else if (fields.street !== undefined && fields.streetAndNumber === undefined) {
      fields.streetAndNumber = fields.street
      delete fields.street
    } else delete fields.street
  }
  if (fields.firstName !== undefined || fields.lastName !== undefined) delete fields.fullName
  if (isWholeAddress(fields, header, rows)) {
    fields.address = fields.streetAndNumber
    delete fields.streetAndNumber
  }
  return { fields, weightUnit: toUnit(fields) }
}

function contacts(): readonly (readonly [ImportField, string])[] {
  return consigneeNames.filter(([field]) => field === 'email' || field === 'phoneNumber')
}

function toHeading(column: string): Heading {
  const words = foldText(column.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
    .replace(/e-?mail/g, 'email')
    .replace(/\((?:kg|g|gr|grams?|lbs?|oz)\)/, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
  const whole = words.replaceAll(' ', '')
  const [scope, pattern] = scopeWords.find(([, each]) => each.test(words)) ?? ['plain', undefined]
  const core = pattern === undefined ? whole : words.replace(pattern, ' ').replaceAll(' ', '')
  return { column, scope, core, whole }
}

/** Whether one column holds street, place and postal code together, and no other column holds the place. */
function isWholeAddress(
  fields: OrderMapping['fields'],
  header: readonly string[],
  rows: readonly (readonly string[])[],
): boolean {
  const source = fields.streetAndNumber
  if (source === undefined || !('columns' in source) || fields.city !== undefined) return false
  const at = header.indexOf(source.columns[0] ?? '')
  const cells = rows.map((row) => row[at] ?? '').filter((cell) => cell.trim() !== '')
  return cells.length > 0 && cells.filter((cell) => cell.split(/[,\n]/).length > 2).length * 2 > cells.length
}

/** The unit that the heading of the weight names; kilograms when it names none. */
function toUnit({ weight }: OrderMapping['fields']): WeightUnit {
  const heading = weight !== undefined && 'columns' in weight ? (weight.columns[0] ?? '') : ''
  return unitNamed(/(?:^|[^a-z])(kg|g|gr|grams?|lbs?|oz)(?:[^a-z]|$)/i.exec(heading)?.[1]) ?? 'kg'
}
