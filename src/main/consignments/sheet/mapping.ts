import { createHash } from 'node:crypto'
import { type ColumnMapping, type ManifestField, manifestFields } from '../../../shared/consignments'

/** What other programs call the fields, in lower case without anything but letters and digits. */
const otherNames: Partial<Record<ManifestField, readonly string[]>> = {
  transportNumber: ['awb', 'awbnumber', 'airwaybill', 'mawb', 'vrachtbrief'],
  packageId: ['box', 'boxid', 'bag', 'bagid', 'package', 'colli', 'doos'],
  parcelId: ['parcel', 'barcode', 'trackingnumber', 'trackingcode', 'tracking', 'pakket'],
  name: ['consignee', 'consigneename', 'recipient', 'recipientname', 'naam', 'ontvanger'],
  address: ['street', 'address1', 'consigneeaddress', 'adres', 'straat'],
  address2: ['addressline2', 'adres2'],
  zipcode: ['zip', 'postcode', 'postalcode'],
  city: ['town', 'plaats', 'stad', 'woonplaats'],
  country: ['countrycode', 'destination', 'land', 'landcode'],
  phone: ['phonenumber', 'telephone', 'mobile', 'telefoon'],
  email: ['emailaddress', 'mail'],
  sellerName: ['seller', 'shipper', 'shippername', 'sender', 'verkoper', 'afzender'],
  sellerAddress: ['shipperaddress', 'senderaddress'],
  sellerZipcode: ['shipperzipcode', 'senderpostalcode'],
  sellerCity: ['shippercity', 'sendercity'],
  sellerCountry: ['shippercountry', 'sendercountry'],
  sku: ['productcode', 'articlenumber', 'article', 'artikel', 'artikelcode'],
  content: ['description', 'goodsdescription', 'product', 'contents', 'omschrijving', 'inhoud'],
  hsCode: ['hs', 'tariffcode', 'commoditycode', 'taric', 'gncode', 'goederencode'],
  quantity: ['qty', 'pieces', 'pcs', 'aantal'],
  itemPrice: ['unitprice', 'price', 'itemvalue', 'prijs', 'stukprijs'],
  itemWeight: ['unitweight', 'netweight', 'stukgewicht'],
  parcelWeight: ['weight', 'gewicht'],
  parcelPrice: ['value', 'parcelvalue', 'totalvalue', 'waarde'],
  currency: ['currencycode', 'valuta', 'munt'],
  taxType: ['taxscheme', 'btwtype'],
  taxIdent: ['ioss', 'iossnumber', 'taxid', 'taxnumber', 'vatnumber', 'btwnummer'],
  grossWeight: ['gross', 'brutogewicht'],
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Guesses which column of a file fills which field, by the columns' names. Each column is used once. */
export function guessMapping(header: readonly string[]): ColumnMapping {
  const columns = header.map(plain)
  const mapping: ColumnMapping = {}
  const taken = new Set<number>()
  const take = (field: ManifestField, names: readonly string[]) => {
    if (mapping[field] !== undefined) return
    const column = columns.findIndex((name, index) => !taken.has(index) && names.includes(name))
    if (column < 0) return
    mapping[field] = column
    taken.add(column)
  }
  for (const field of manifestFields) take(field, [plain(field)])
  for (const field of manifestFields) take(field, otherNames[field] ?? [])
  return mapping
}

/** What a file's header row is recognised by: files of one program have the same. */
export function headerKey(header: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(header.map((name) => name.trim())))
    .digest('hex')
}
