/** A complete shipment body as the specification's table lists it. */
export function shipmentBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    created_by: 'station-1',
    print_phone_number: '+31701234567',
    carrier_id: 1,
    carrier_option_id: 11,
    signature_required: true,
    number_of_packages: 1,
    weight: 1.25,
    length: 30,
    width: 20,
    height: 10,
    is_company: false,
    company_name: '',
    first_name: 'Jan',
    last_name: 'de Vries',
    email: 'jan@example.com',
    phone_number: '+31701234567',
    content: 'books',
    street: 'Lange Voorhout',
    house_number: '102',
    postal_code: '2514 EJ',
    city: 'Den Haag',
    country: 'NL',
    reference: 'ORDER-1',
    reference2: '',
    return_label: false,
    ...changes,
  }
}

function party(side: 'sender' | 'recipient'): Record<string, string> {
  const names = ['company_name', 'name', 'street', 'house_number', 'postal_code', 'city', 'email']
  const more = ['phone_number', 'type', 'vat_number', 'eori_number']
  const values = [...names, ...more].map((name) => [`invoice_${side}_${name}`, 'x'])
  return { ...Object.fromEntries(values), [`invoice_${side}_country`]: 'NL' }
}

/** A complete customs block. */
export function shipmentDetails(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    invoice_number: 'INV-1',
    invoice_date: '2026-11-21',
    invoice_terms: 'DAP',
    invoice_currency: 'EUR',
    invoice_reason: 'sale',
    sender: party('sender'),
    recipient: party('recipient'),
    invoice_items: [
      {
        productcode: 'P1',
        product: 'Book',
        quantity: 2,
        tariffcode: '490199',
        country_origin: 'NL',
        weight: 0.4,
        itemprice: 12.5,
      },
    ],
    ...changes,
  }
}

/** A complete manifest line; all fields are text. */
export function manifestLine(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    transportType: 'AWB',
    transportNumber: '074-12345675',
    packageId: 'BOX-1',
    parcelId: 'PARCEL-1',
    name: 'Jan de Vries',
    address: 'Lange Voorhout 102',
    address2: '',
    zipcode: '2514 EJ',
    city: 'Den Haag',
    country: 'NL',
    phone: '+31701234567',
    email: 'jan@example.com',
    sellerName: 'Seller',
    sellerAddress: 'Road 1',
    sellerZipcode: '518000',
    sellerCity: 'Shenzhen',
    sellerCountry: 'CN',
    sku: 'SKU-1',
    content: 'book',
    hsCode: '490199',
    quantity: '2',
    itemPrice: '12.50',
    itemWeight: '0.400',
    parcelWeight: '0.850',
    parcelPrice: '25.00',
    currency: 'EUR',
    taxType: 'IOSS',
    taxIdent: 'IM5280000000',
    grossWeight: '0.850',
    ...changes,
  }
}

/** A complete pre-alert. */
export function preAlert(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    airWaybillPdfBase64: Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64'),
    estimatedTimeOfArrival: '2026-11-25',
    airWaybillNumber: '074-12345675',
    grossWeight: 12.5,
    ...changes,
  }
}
