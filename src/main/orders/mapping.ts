import { isCountryCode } from '../../shared/fields'
import { foldText, foldWords } from '../../shared/foldText'
import type { ImportField, OrderMapping, WeightUnit } from '../../shared/orders'
import { splitStreet, toCountryCode } from './address'
import { toIsoDate, unitNamed } from './numbers'

/**
 * The party or thing that a column describes. `delivery` is where the parcel goes; `plain` is a column that does not say;
 * `other` is a party that gets neither the parcel nor the invoice.
 */
type Scope = 'item' | 'other' | 'billing' | 'delivery' | 'plain'

/** Words in a heading that tell its scope, in English, Dutch and German; searched in this order. */
const scopeWords: readonly (readonly [Scope, RegExp])[] = [
  ['item', /\b(line ?items?|items?|articles?)\b|artikel|product|produkt/g],
  [
    'other',
    /\b(seller|sender|supplier|ship from|return|returns|pick ?up|warehouse|leverancier)\b|lieferant(en)?|absender|afzender|verkaufer|verkoper|retour|rucksende?|magazijn/g,
  ],
  [
    'billing',
    /\b(billing|bill ?to|sold ?to|invoice|payment)\b|factuur|facturatie|betaal|rechnungs?|zahlungs?/g,
  ],
  [
    'delivery',
    /\b(shipping|ship ?to|deliver ?to|delivery|destination|consignee|recipient|receiver)\b|verzending|verzend|verz\b|aflever|leverings?|bezorgings?|bezorg|ontvanger|lieferungs?|liefer|versand|zustell|empfangers?/g,
  ],
]

/** A heading that consists only of a word for the consignee or a product is the name. */
const consigneeWords = /^(consignee|recipient|receiver|ontvanger|empfanger|ship ?to)$/
const itemWords = /^(product|produkt|artikel|article)$/

/** Words for an address that do not change the meaning: «Lieferadresse PLZ» is the postal code. */
const addressWords = /adressen|adresse|anschrift|address|adres/g
/** Words for the buyer that do not change the meaning: «Kunden-E-Mail» is the e-mail address. */
const buyer = '(?:customers?|kunden?|klant(?:en)?|buyer|kaufer|koper|bestellers?|contacts?|kontakt)'
const buyerWords = new RegExp(`^${buyer}|\\b${buyer}$`)
const buyerOnly = new RegExp(`^${buyer}$`)
const joiningWords = /\b(und|u|en|and|of|or|oder|the|van|het|der|des|vom)\b/g

/** Headings of each field without scope words, in lower-case letters and digits, most likely first. */
const consigneeNames: readonly (readonly [ImportField, string])[] = [
  [
    'companyName',
    'company companyname bedrijf bedrijfsnaam firma firmenname firmaname firmanaam unternehmen organisation organization organisatie',
  ],
  ['firstName', 'firstname voornaam vorname givenname'],
  ['lastName', 'lastname surname achternaam nachname familyname familienaam'],
  [
    'fullName',
    'name fullname firstnamelastname firstlastname vornachname vornamenachname voorachternaam voornaamachternaam contactname contactperson contactpersoon kontaktperson ansprechpartner attn attention naam tav zhd name1 naam1',
  ],
  // In the files of many ERPs these are the buyer's number, beside a column with the name.
  ['fullName', 'contact kontakt customer klant kunde'],
  ['street', 'streetname straatnaam straat strassenname strasse str adresstraat'],
  ['houseNumber', 'housenumber houseno streetnumber huisnummer hausnummer adreshuisnummer number'],
  [
    'streetAndNumber',
    'address1 address12 addressline1 line1 streetaddress street street1 streetline1 streetnumber streethousenumber adres1 adres adresse1 adresse anschrift address straatenhuisnummer straathuisnummer straatnummer strasseundhausnummer strnummer strassehausnummer strassenummer strassennummer strasse1 straat1',
  ],
  [
    'postalCode',
    'postalcode postcode zip zipcode postleitzahl plz postal zippostalcode postalzipcode zippostcode',
  ],
  [
    'city',
    'city town towncity citytown place plaats plaatsnaam woonplaats gemeente stad stadt ort ortsname wohnort ortstadt stadtort',
  ],
  [
    'country',
    'countrycode country landcode land countryiso countryiso2 countrycodeiso landiso laendercode landercode landkurzel landerkurzel landeskurzel landeskennzeichen countryname landnaam',
  ],
  ['email', 'email emailaddress mail mailadresse mailadres emailadres emailadresse'],
  [
    'phoneNumber',
    'phone phonenumber telephone telephonenumber tel telnummer telefoon telefoonnummer telefon telefonnummer rufnummer mobile mobilenumber mobilephone mobiel mobielnummer gsm gsmnummer handy handynummer mobil mobilnummer mobiltelefon contactnumber contactnummer kontaktnummer',
  ],
]

const orderNames: readonly (readonly [ImportField, string])[] = [
  [
    'reference',
    'ordernumber orderno ordername order bestelnummer ordernummer bestellnummer bestellungsnummer auftragsnummer salesorder verkooporder orderreference orderreferentie bestellreferenz belegnummer vorgangsnummer lieferscheinnummer pakbonnummer reference referentie referenz ref name orderid bestellid bestelid incrementid bestelling bestellung auftrag id number nummer',
  ],
  [
    'reference2',
    'reference2 referentie2 referenz2 customerreference yourreference uwreferentie ihrzeichen klantreferentie kundenreferenz purchaseorder purchaseordernumber',
  ],
  [
    'weight',
    'totalweight orderweight shippingweight grossweight parcelweight packageweight totaalgewicht brutogewicht verzendgewicht pakketgewicht gesamtgewicht bruttogewicht versandgewicht paketgewicht weight gewicht weightkg gewichtkg weightg weightgrams gewichtg gewichtgram weightlb weightlbs weightoz',
  ],
  [
    'numberOfPackages',
    'packages numberofpackages packagecount parcels numberofparcels parcelcount colli aantalcolli anzahlcolli kolli anzahlkolli aantalpakketten pakketten pakete anzahlpakete paketanzahl packstucke anzahlpackstucke',
  ],
  ['length', 'length lengte lange parcellength packagelength'],
  ['width', 'width breedte breite parcelwidth packagewidth'],
  ['height', 'height hoogte hohe parcelheight packageheight'],
  ['content', 'content contents inhoud inhalt goods'],
  ['carrierOptionId', 'carrieroptionid carrieroption'],
  [
    'orderDate',
    'orderdate createdat created purchasedate date besteldatum orderdatum bestelldatum auftragsdatum datum paidat',
  ],
  [
    'orderValue',
    'total ordertotal ordertotalamount ordervalue grandtotal grandtotalpurchased grandtotalbase totalprice totaal totaalbedrag totaalprijs orderwaarde orderbedrag gesamtbetrag gesamtsumme gesamtpreis bestellwert auftragswert warenwert rechnungsbetrag summe betrag bedrag amount',
  ],
  ['currency', 'currency currencycode valuta wahrung'],
]

const itemNames: readonly (readonly [ImportField, string])[] = [
  ['sku', 'sku code ean gtin number nummer'],
  ['itemName', 'name title titel omschrijving beschreibung bezeichnung description naam'],
  ['itemQuantity', 'quantity qty quantityrefund aantal menge anzahl stuckzahl'],
  ['itemPrice', 'price unitprice cost prijs stukprijs preis einzelpreis'],
  ['itemWeight', 'weight unitweight gewicht stukgewicht'],
  [
    'hsCode',
    'hscode hs hsnummer tariffcode tariffnumber commoditycode taric gncode goederencode zolltarifnummer warentarifnummer statistischewarennummer harmonizedcode',
  ],
  ['countryOfOrigin', 'countryoforigin origin landvanherkomst herkomst ursprungsland'],
]

/** Headings without a scope word that always describe a product. */
const plainItemNames = new Set(
  'sku ean gtin quantity qty quantityrefund aantal menge anzahl stuckzahl hscode tariffcode tariffnumber taric zolltarifnummer warentarifnummer countryoforigin landvanherkomst ursprungsland prijs price stukprijs'.split(
    ' ',
  ),
)

/** Columns that follow the house number on the label: its letter, an addition to it, then an apartment or a floor. */
const houseNumberAdditions: readonly string[] = [
  'huisletter houseletter housenumberletter huisnummerletter hausbuchstabe',
  'extension houseextension housenumberaddition housenumbersuffix huisnummertoevoeging huisnummertoev adreshuisnummertoevoeging toevoeging toev huisnummerachtervoegsel achtervoegsel hausnummerzusatz zusatz',
  'bus busnummer',
  'address2 addressline2 line2 street2 adres2 adresse2 adresstoevoeging adrestoevoeging adresszusatz adresszusatz1 adressezusatz',
  'address3 addressline3 line3 street3 adres3 adresse3 adresszusatz2',
]

/** Columns that belong to a field's column: those before it, and those after it. */
const additions: readonly (readonly [ImportField, readonly string[], readonly string[]])[] = [
  ['fullName', [], ['name2 naam2']],
  // «Anna», «van der», «Berg».
  [
    'lastName',
    [
      'tussenvoegsel tussenvoegsels voorvoegsel voorvoegsels infix lastnameprefix lastnamepreposition middlename',
    ],
    [],
  ],
  ['houseNumber', [], houseNumberAdditions],
  ['streetAndNumber', [], houseNumberAdditions],
]

/** Groups of fields that contain the same data: if one of a group is mapped, the others are not needed. */
const likeFields: readonly (readonly ImportField[])[] = [
  ['companyName', 'firstName', 'lastName', 'fullName'],
  ['street', 'houseNumber', 'streetAndNumber'],
]

interface Heading {
  column: string
  /** The values of the rows, without blanks around them. */
  cells: readonly string[]
  scope: Scope
  /** The heading without scope words, with more and more of its other words removed. */
  readings: Readonly<Record<'literal' | 'joined' | 'bare' | 'ofBuyer', string>>
  whole: string
  /** The street without number in one of the two columns before: only then «number» alone is a house number. */
  street: Omit<Heading, 'street'> | undefined
}

type Matcher = (heading: Heading, alias: string) => boolean

/**
 * Guesses the mapping from the headings that web shops and ERPs use in English, Dutch and German. Uses the delivery address
 * if a file also has a billing address. Uses each column once.
 * @param rows the rows below the header, for headings that say too little: their cells have to look like the field's
 */
export function guessMapping(header: readonly string[], rows: readonly (readonly string[])[]): OrderMapping {
  const headings = toHeadings(header, rows)
  const fields: OrderMapping['fields'] = {}
  const taken = new Set<Heading>()
  const find = (field: ImportField, aliases: string, wanted: Scope): string[] => {
    const free = headings.filter((each) => !taken.has(each))
    // Files have several columns that could be these, of which some are not in use.
    const choices = field === 'reference' || field === 'weight' ? [free.filter(isInUse), free] : [free]
    for (const choice of choices) {
      for (const matches of listMatchers(field, wanted)) {
        for (const alias of aliases.split(' ').map(shortenNumber)) {
          const heading = choice.find((each) => matches(each, alias) && fits(each, field, alias))
          if (heading === undefined) continue
          taken.add(heading)
          return [heading.column]
        }
      }
    }
    return []
  }
  const take = (field: ImportField, aliases: string, wanted: Scope) => {
    if (fields[field] !== undefined) return
    const columns = find(field, aliases, wanted)
    if (columns.length > 0) fields[field] = { columns }
  }

  for (const [field, aliases] of itemNames) take(field, aliases, 'item')
  for (const [field, aliases] of itemNames) {
    const plainNames = aliases.split(' ').filter((alias) => plainItemNames.has(alias))
    take(field, plainNames.join(' '), 'plain')
  }
  for (const [field, aliases] of consigneeNames) take(field, aliases, 'delivery')
  const hasDelivery = fields.postalCode !== undefined || fields.streetAndNumber !== undefined
  if (hasDelivery) {
    for (const [field, aliases] of orderNames) take(field, aliases, 'plain')
    // «Lieferadresse PLZ» beside «Name» and «Land»: fields without a delivery column are taken from plain columns.
    const isUnsaid = ([field]: readonly [ImportField, string]) =>
      (likeFields.find((alike) => alike.includes(field)) ?? [field]).every(
        (each) => fields[each] === undefined,
      )
    for (const [field, aliases] of consigneeNames.filter(isUnsaid)) take(field, aliases, 'plain')
    for (const [field, aliases] of contacts()) take(field, aliases, 'billing')
  } else {
    for (const [field, aliases] of consigneeNames) take(field, aliases, 'plain')
    for (const [field, aliases] of orderNames) take(field, aliases, 'plain')
    if (fields.postalCode === undefined) {
      for (const [field, aliases] of consigneeNames) take(field, aliases, 'billing')
    }
  }
  const findHeading = (field: ImportField) => {
    const source = fields[field]
    if (source === undefined || !('columns' in source)) return undefined
    return headings.find(({ column }) => column === source.columns[0])
  }
  // «Weight» beside «Total weight» is that of one piece; beside «Gross weight» it is without the box.
  const isTotal = /^(total|order|totaal|gesamt)/.test(findHeading('weight')?.whole ?? '')
  if (isTotal && fields.itemQuantity !== undefined) take('itemWeight', 'weight gewicht', 'plain')
  if (fields.street !== undefined || fields.houseNumber !== undefined) {
    // A street with a separate column for its number needs no splitting.
    if (fields.street === undefined && fields.streetAndNumber !== undefined)
      fields.street = fields.streetAndNumber
    if (fields.houseNumber !== undefined) delete fields.streetAndNumber
    else if (fields.street !== undefined && fields.streetAndNumber === undefined) {
      fields.streetAndNumber = fields.street
      delete fields.street
    } else delete fields.street
  }
  // «Name» beside «Vorname» is the last name, if it does not contain the first one.
  const [given, missing] =
    fields.firstName === undefined
      ? (['lastName', 'firstName'] as const)
      : (['firstName', 'lastName'] as const)
  if (fields.fullName !== undefined && fields[given] !== undefined) {
    if (fields[missing] === undefined && contains(findHeading('fullName'), findHeading(given)))
      delete fields[given]
    else {
      fields[missing] ??= fields.fullName
      delete fields.fullName
    }
  }
  if (isWholeAddress(fields, header, rows)) {
    fields.address = fields.streetAndNumber
    delete fields.streetAndNumber
  }
  for (const [field, before, after] of additions) {
    const source = fields[field]
    if (source === undefined || !('columns' in source)) continue
    const scope = findHeading(field)?.scope ?? 'plain'
    const toColumns = (names: readonly string[]) => names.flatMap((aliases) => find(field, aliases, scope))
    fields[field] = { columns: [...toColumns(before), ...source.columns, ...toColumns(after)] }
  }
  return { fields, weightUnit: findUnit(fields.weight, header) ?? 'kg' }
}

function contacts(): readonly (readonly [ImportField, string])[] {
  return consigneeNames.filter(([field]) => field === 'email' || field === 'phoneNumber')
}

const consigneeFields: ReadonlySet<ImportField> = new Set(consigneeNames.map(([field]) => field))

/** The ways in which a heading may match a field, most reliable first. */
function listMatchers(field: ImportField, wanted: Scope): Matcher[] {
  if (wanted === 'plain' && !consigneeFields.has(field)) {
    // «Versandgewicht» is the parcel's weight, although it starts with a delivery word.
    return [
      ({ whole, scope, readings }, alias) =>
        whole === alias || (scope === 'plain' && readings.joined === alias),
    ]
  }
  const ways = ['literal', 'joined', 'bare', ...(wanted === 'plain' ? (['ofBuyer'] as const) : [])] as const
  // «Kundennummer» is no house number, whatever is before it.
  return ways.map((way) => ({ scope, readings }, alias) => {
    if (scope !== wanted || readings[way] !== alias) return false
    return field !== 'houseNumber' || alias !== 'nr' || way !== 'ofBuyer'
  })
}

function listNames(...wanted: ImportField[]): Set<string> {
  const found = consigneeNames.filter(([field]) => wanted.includes(field))
  return new Set(found.flatMap(([, aliases]) => aliases.split(' ')))
}

const streetNames = listNames('street', 'streetAndNumber')
const houseNumberNames = new Set([...listNames('houseNumber')].map(shortenNumber))

function toHeadings(header: readonly string[], rows: readonly (readonly string[])[]): Heading[] {
  const read = header.map((column, at) => ({
    ...readHeading(column),
    cells: rows.map((row) => (row[at] ?? '').trim()),
  }))
  return read.flatMap((heading, at) => {
    const isNamed = ({ scope, readings }: (typeof read)[number], names: ReadonlySet<string>) =>
      scope === heading.scope && (names.has(readings.joined) || names.has(readings.bare))
    const before = read.slice(Math.max(0, at - 2), at)
    // In «Street; House number; Number» the street has its number already.
    const hasNumber = before.some((each) => isNamed(each, houseNumberNames))
    const street = hasNumber ? undefined : before.findLast((each) => isNamed(each, streetNames))
    return heading.readings.literal === '' ? [] : [{ ...heading, street }]
  })
}

function readHeading(column: string): Omit<Heading, 'street' | 'cells'> {
  const words = foldText(column.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
    .replace(/e-?mail/g, 'email')
    .replace(/\((?:kg|g|gr|grams?|lbs?|oz)\)/, '')
    .replace(/t\.a\.v\./, 'tav')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .replace(/ (?:in )?(?:kg|kilo|g|gr|gramm?s?|lbs?|oz|cm)$/, '')
    .replace(/\b(?:no|num|nbr)\b/g, 'nr')
  const [scope, pattern] = scopeWords.find(([, each]) => words.search(each) >= 0) ?? ['plain', undefined]
  const own = pattern === undefined ? words : words.replace(pattern, ' ').trim()
  const core = own === '' && (consigneeWords.test(words) || itemWords.test(words)) ? 'name' : own
  const joined = core.replace(joiningWords, ' ')
  // «Klantadres» is the buyer's address, not the buyer.
  const isAddress = buyerOnly.test(joined.replace(addressWords, ' ').trim())
  const bare = isAddress ? joined : joined.replace(addressWords, ' ')
  const ofBuyer = bare.trim().replace(buyerWords, ' ')
  const readings = { literal: join(core), joined: join(joined), bare: join(bare), ofBuyer: join(ofBuyer) }
  return { column, scope, readings, whole: join(words) }
}

function join(words: string): string {
  return shortenNumber(words.replaceAll(' ', ''))
}

/** Replaces «Number» and «Nummer» by «nr». */
function shortenNumber(text: string): string {
  return text.replace(/number|nummer/g, 'nr')
}

/** The values of a column without blanks around them and without empty ones. */
function listCells(rows: readonly (readonly string[])[], at: number): string[] {
  return rows.map((row) => (row[at] ?? '').trim()).filter((cell) => cell !== '')
}

/** Whether most cells of a column contain the words of another column's cell. */
function contains(whole: Heading | undefined, part: Heading | undefined): boolean {
  const rows = (part?.cells ?? []).flatMap((cell, at) => {
    const words = foldWords(whole?.cells[at] ?? '')
    return cell === '' ? [] : [foldWords(cell).every((word) => words.includes(word))]
  })
  return rows.filter((each) => each).length * 2 > rows.length
}

/** Whether one column contains street, city and postal code, and no other column contains the city. */
function isWholeAddress(
  fields: OrderMapping['fields'],
  header: readonly string[],
  rows: readonly (readonly string[])[],
): boolean {
  const source = fields.streetAndNumber
  if (source === undefined || !('columns' in source) || fields.city !== undefined) return false
  const at = header.indexOf(source.columns[0] ?? '')
  const cells = listCells(rows, at)
  return cells.length > 0 && cells.filter((cell) => cell.split(/[,\n]/).length > 2).length * 2 > cells.length
}

/** The unit in the heading of a weight's first column; undefined if it names none. */
export function findUnit(
  weight: OrderMapping['fields'][ImportField],
  header: readonly string[],
): WeightUnit | undefined {
  const heading = weight !== undefined && 'columns' in weight ? (weight.columns[0] ?? '') : ''
  // A table without headings names its columns by letters.
  if (heading === toColumnLetter(header.indexOf(heading))) return undefined
  return unitNamed(/(?:^|[^a-z]|weight|gewicht)(kg|g|gr|gramm?s?|lbs?|oz)(?:[^a-z]|$)/i.exec(heading)?.[1])
}

/** Whether a column has a value other than 0, which shops without weights write. */
const isInUse = ({ cells }: Heading) => cells.some((cell) => /[1-9\p{L}]/u.test(cell))

const isEmail = (cell: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(cell)
const isPhone = (cell: string) => /^(\+|0)[\d ()/.-]{7,}$/.test(cell)
const isPostalCode = (cell: string) => /^(\d{4} ?[A-Z]{2}|([A-Z]{1,2}-)?\d{4,6})$/i.test(cell)
const isCountry = (cell: string) => isCountryCode(toCountryCode(cell))
// Digits alone are more often an order number.
const isDate = (cell: string) => /\D/.test(cell) && toIsoDate(cell) !== null
const isStreetAndNumber = (cell: string) => splitStreet(cell).houseNumber !== ''
const isHouseNumber = (cell: string) => /^\d{1,5} ?[\p{L}\d/-]{0,5}$/u.test(cell)
const isText = (cell: string) => /\p{L}{2}/u.test(cell)
const isNumbered = (cell: string) => /\d/.test(cell) && !/\s/.test(cell)
const hasDigit = (cell: string) => /\d/.test(cell)
/** «Anna Berg», «3M» and «王 伟», but not «C10023». */
const isName = (cell: string) => {
  const letters = cell.replace(/\P{L}/gu, '').length
  return letters > 0 && letters >= cell.replace(/\D/g, '').length
}

/**
 * Whether a cell under «number» is the number of the street before it. «Delivery address» has a number of its own, unlike
 * «Delivery street».
 */
const isNumberOfStreet = (cell: string, at: number, { scope, street }: Heading) => {
  const { houseNumber } = splitStreet(street?.cells[at] ?? '')
  const isAddress = scope !== 'plain' && street?.readings.joined !== street?.readings.bare
  return !/\d{6}/.test(cell) && (isAddress ? houseNumber === '' : houseNumber !== cell)
}

type CellRule = (cell: string, at: number, heading: Heading) => boolean

/** Headings that say too little for a field, and how its cells look. */
const cellRules: Partial<Record<ImportField, Readonly<Record<string, CellRule>>>> = {
  // «Name» is the order number in an export of Shopify («#1001»), but in most other files a person.
  reference: { name: hasDigit },
  houseNumber: { nr: isNumberOfStreet },
  fullName: { contact: isName, kontakt: isName, customer: isName, klant: isName, kunde: isName },
  phoneNumber: { contactnr: isPhone, kontaktnr: isPhone },
}

/**
 * Whether a column can be a field's. If its heading says too little, at least half of its cells have to look like the field's:
 * an odd cell does not change the meaning of the column.
 */
function fits(heading: Heading, field: ImportField, alias: string): boolean {
  // Behind a street, a «number» that is not the house number is no order number either.
  if (alias === 'nr' && (field === 'houseNumber') !== (heading.street !== undefined)) return false
  const looksRight = cellRules[field]?.[alias]
  if (looksRight === undefined) return true
  // «-» says as little as an empty cell.
  const filled = heading.cells.flatMap((cell, at) =>
    /[\p{L}\d]/u.test(cell) ? [looksRight(cell, at, heading)] : [],
  )
  return filled.filter((each) => each).length * 2 >= filled.length
}

/** Whether a table has no header: its first row contains at most one known heading, and values that no heading contains. */
export function isOrderRow(row: readonly string[]): boolean {
  const cells = row.map((cell) => cell.trim())
  const known = Object.keys(guessMapping(row, []).fields).length
  if (known === 0) return cells.some((cell) => /[\d@]/.test(cell))
  return known === 1 && cells.some((cell) => isEmail(cell) || isPostalCode(cell) || isPhone(cell))
}

/** Column names as in spreadsheets, for a table without headings: A to Z, then AA. */
export function toColumnLetters(count: number): string[] {
  return Array.from({ length: count }, (_, index) => toColumnLetter(index))
}

function toColumnLetter(index: number): string {
  const before = index < 26 ? '' : toColumnLetter(Math.floor(index / 26) - 1)
  return `${before}${String.fromCharCode(65 + (index % 26))}`
}

/**
 * Guesses the mapping of a table without header from the format and the position of its cells: the order number comes first,
 * the name before the street, the city after the postal code. A person reviews it.
 */
export function guessByValues(header: readonly string[], rows: readonly (readonly string[])[]): OrderMapping {
  const fields: OrderMapping['fields'] = {}
  const taken = new Set<number>()
  const columns = header.map((_, at) => listCells(rows, at))
  const find = (fits: (cell: string) => boolean, from = 0, to = header.length) =>
    columns.findIndex(
      (cells, at) => at >= from && at < to && !taken.has(at) && cells.length > 0 && cells.every(fits),
    )
  const take = (field: ImportField, ...places: number[]) => {
    const names = places.filter((at) => at >= 0).flatMap((at) => header[at] ?? [])
    for (const at of places) taken.add(at)
    if (names.length > 0) fields[field] = { columns: names }
  }
  take('email', find(isEmail))
  take('orderDate', find(isDate))
  const isReference = (cell: string) => isNumbered(cell) && !isPhone(cell)
  take('reference', find(isReference, 0, 1))
  take('phoneNumber', find(isPhone))
  const postalCode = find(isPostalCode)
  take('postalCode', postalCode)
  const end = postalCode < 0 ? header.length : postalCode
  let street = find(isStreetAndNumber, 0, end)
  if (street >= 0) take('streetAndNumber', street)
  else {
    const houseNumber = find(isHouseNumber, 1, end)
    if (houseNumber > 0 && columns[houseNumber - 1]?.every(isText) && !taken.has(houseNumber - 1)) {
      street = houseNumber - 1
      take('street', street)
      take('houseNumber', houseNumber)
    }
  }
  take('country', find(isCountry, Math.max(postalCode, 0)))
  if (postalCode >= 0) take('city', find(isText, postalCode))
  if (fields.reference === undefined) take('reference', find(isReference))
  const name = find(isText, 0, street < 0 ? end : street)
  take('fullName', name)
  return { fields, weightUnit: 'kg' }
}
