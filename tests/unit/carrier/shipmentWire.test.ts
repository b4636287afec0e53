import { describe, expect, it } from 'vitest'
import { draftFromTextFields, draftFromWire, shipmentToWire } from '../../../src/main/carrier/shipmentCodec'
import { sayRecordIssue } from '../../../src/shared/inputIssues'

/** A shipment with every field of the specification's table filled. */
const wire = {
  created_by: 'station-1',
  print_phone_number: '+31101234567',
  carrier_id: 12,
  carrier_option_id: 34,
  signature_required: true,
  number_of_packages: 2,
  weight: 1.25,
  length: 30,
  width: 20.5,
  height: 10,
  is_company: true,
  company_name: 'Books & Co',
  first_name: 'Zoë',
  last_name: 'de Vries',
  email: 'zoe@example.com',
  phone_number: '+31612345678',
  content: 'books',
  street: 'Kade',
  house_number: '12-a',
  postal_code: '3011 AB',
  city: 'Rotterdam',
  country: 'NL',
  reference: 'ORDER-1',
  reference2: 'BATCH-7',
  return_label: false,
}

function party(role: string) {
  const fields = {
    company_name: 'Company',
    name: 'Name',
    street: 'Street',
    house_number: '1',
    postal_code: '1000',
    city: 'City',
    country: 'CH',
    email: 'name@example.com',
    phone_number: '+41000',
    type: 'N',
    vat_number: 'VAT1',
    eori_number: 'EORI1',
  }
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`invoice_${role}_${name}`, value]))
}

const details = {
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
      weight: 0.5,
      itemprice: 12.5,
    },
  ],
}

function roundTrip(record: unknown): unknown {
  const draft = draftFromWire(record, {})
  return draft.ok ? shipmentToWire(draft.value) : draft.error
}

function listIssues(read: ReturnType<typeof draftFromWire>): string[] {
  return read.ok ? [] : read.error.map(sayRecordIssue)
}

describe('the shipment request body', () => {
  it('has exactly the 25 fields of the specification, in its order and with its types', () => {
    const body = roundTrip(wire)
    expect(body).toEqual(wire)
    expect(Object.keys(Object(body))).toEqual(Object.keys(wire))
    expect(Object.keys(wire)).toHaveLength(25)
  })

  it('has the customs block when the draft has customs data', () => {
    expect(roundTrip({ ...wire, shipment_details: details })).toEqual({ ...wire, shipment_details: details })
  })

  it('has every field, with empty values for optional ones, when the draft has only the required fields', () => {
    const requiredOnly = {
      carrier_id: 1,
      carrier_option_id: 2,
      weight: 1,
      last_name: 'V',
      street: 'S',
      city: 'C',
      country: 'BE',
      reference: 'R',
    }
    expect(roundTrip(requiredOnly)).toEqual({
      ...Object.fromEntries(
        Object.entries(wire).map(([name, value]) => [
          name,
          typeof value === 'boolean' ? false : typeof value === 'number' ? 0 : '',
        ]),
      ),
      number_of_packages: 1,
      ...requiredOnly,
    })
  })
})

describe('draftFromWire', () => {
  it('fills missing fields from the defaults and prefers the values of the record', () => {
    const { country: _country, weight: _weight, ...rest } = wire
    const defaults = { country: 'BE', weight: 3, createdBy: 'station-9', city: 'Gent' }
    expect(draftFromWire(rest, defaults)).toMatchObject({
      ok: true,
      value: { country: 'BE', weight: 3, createdBy: 'station-1', city: 'Rotterdam' },
    })
  })

  it.each([
    [{ weight: '1.5' }, 'weight', 'must be a number'],
    [{ weight: Number.NaN }, 'weight', 'must be a number'],
    [{ weight: 0 }, 'weight', 'must be above 0'],
    [{ weight: 100_001 }, 'weight', 'must not be above 100000'],
    [{ length: -1 }, 'length', 'must not be below 0'],
    [{ number_of_packages: 100 }, 'number_of_packages', 'must not be above 99'],
    [{ number_of_packages: 1.5 }, 'number_of_packages', 'must be a whole number'],
    [{ carrier_id: 'twelve' }, 'carrier_id', 'must be a number'],
    [{ carrier_id: null }, 'carrier_id', 'must be a number'],
    [{ signature_required: 'Y' }, 'signature_required', 'must be true or false'],
    [{ house_number: 12 }, 'house_number', 'must be text'],
    [{ country: 'nl' }, 'country', 'must be a two-letter country code in capitals'],
    [{ country: 'ZZ' }, 'country', 'must be a two-letter country code in capitals'],
    [{ street: ' ' }, 'street', 'is required'],
    [{ reference: '' }, 'reference', 'is required'],
    [{ city: 'a\u0007b' }, 'city', 'holds a control character or an invisible one'],
    [{ content: 'x'.repeat(501) }, 'content', 'is longer than 500 characters'],
    [{ Weight: 1 }, 'Weight', 'is not a field that is known here'],
    [{ carrierId: 1 }, 'carrierId', 'is not a field that is known here'],
    [{ shipment_details: null }, 'shipment_details', 'must be an object'],
    [
      { company_name: '', first_name: '', last_name: ' ' },
      'last_name',
      'is required when there is no company_name and no first_name',
    ],
  ])('refuses a record with %j and names the field %s', (change, field, problem) => {
    expect(listIssues(draftFromWire({ ...wire, ...change }, {}))).toEqual([`${field} ${problem}`])
  })

  it.each([
    [{ invoice_date: '21-11-2026' }, 'invoice_date', 'must be a date like 2026-01-31'],
    [{ invoice_date: undefined }, 'invoice_date', 'is required'],
    [{ invoice_total: 3 }, 'invoice_total', 'is not a field that is known here'],
    [{ invoice_items: [] }, 'invoice_items', 'must have at least 1 element'],
    [{ invoice_items: {} }, 'invoice_items', 'must be a list'],
    [{ invoice_items: [7] }, 'invoice_items.0', 'must be an object'],
    [
      { invoice_items: [{ ...details.invoice_items[0], quantity: 0 }] },
      'invoice_items.0.quantity',
      'must be above 0',
    ],
    [
      { invoice_items: [{ ...details.invoice_items[0], country_origin: 'Holland' }] },
      'invoice_items.0.country_origin',
      'must be a two-letter country code in capitals',
    ],
    [
      { sender: { ...details.sender, invoice_sender_type: 'y' } },
      'sender.invoice_sender_type',
      'must be Y or N',
    ],
    [
      { recipient: { ...details.recipient, invoice_recipient_country: undefined } },
      'recipient.invoice_recipient_country',
      'is required',
    ],
  ])('refuses the customs data %j and names the field %s', (change, field, problem) => {
    const given = JSON.parse(JSON.stringify({ ...wire, shipment_details: { ...details, ...change } }))
    const read = draftFromWire(given, {})
    expect(listIssues(read)).toContain(`shipment_details.${field} ${problem}`)
  })

  it('accepts a customs block without its optional texts', () => {
    const sender = { invoice_sender_country: 'NL', invoice_sender_type: 'Y' }
    const given = { ...wire, shipment_details: { ...details, sender, invoice_reason: undefined } }
    const read = draftFromWire(JSON.parse(JSON.stringify(given)), {})
    expect(read).toMatchObject({ ok: true, value: { customs: { reason: '', sender: { vatNumber: '' } } } })
  })

  it('names every invalid or missing field at once', () => {
    const faults = draftFromWire({ weight: 'x', foo: 1 }, {})
    expect(faults.ok ? [] : faults.error.map(({ field }) => field)).toEqual([
      'weight',
      'foo',
      'carrier_id',
      'carrier_option_id',
      'street',
      'city',
      'country',
      'reference',
    ])
  })

  it.each([null, undefined, 7, 'text', [wire]])('refuses the record %j, which is not an object', (record) => {
    expect(draftFromWire(record, {})).toEqual({
      ok: false,
      error: [{ field: '', name: '', code: 'no-object', detail: '' }],
    })
  })
})

describe('draftFromTextFields', () => {
  const texts = Object.fromEntries(Object.entries(wire).map(([name, value]) => [name, String(value)]))

  it('converts each text to the type of its field', () => {
    const fromTexts = draftFromTextFields(texts, {})
    expect(fromTexts).toEqual(draftFromWire(wire, {}))
  })

  it.each([
    ['true', true],
    ['TRUE', true],
    ['1', true],
    ['Y', true],
    ['yes', true],
    ['false', false],
    ['0', false],
    ['n', false],
    [' No ', false],
  ])('reads the text «%s» as the boolean %s', (text, returnLabel) => {
    const read = draftFromTextFields({ ...texts, return_label: text }, {})
    expect(read).toMatchObject({ ok: true, value: { returnLabel } })
  })

  it('treats empty text as a missing field', () => {
    const read = draftFromTextFields(
      { ...texts, weight: '', number_of_packages: ' ', country: '' },
      { weight: 4, country: 'BE' },
    )
    expect(read).toMatchObject({ ok: true, value: { weight: 4, numberOfPackages: 1, country: 'BE' } })
  })

  it.each([
    [{ weight: '1,5' }, 'weight', 'must be a number, written with a dot, like 1.5'],
    [{ weight: '1e3' }, 'weight', 'must be a number, written with a dot, like 1.5'],
    [{ carrier_id: '0x10' }, 'carrier_id', 'must be a number, written with a dot, like 1.5'],
    [{ is_company: 'maybe' }, 'is_company', 'must be one of true, false, yes, no, Y, N, 1, 0'],
    [{ postcode: '' }, 'postcode', 'is not a field that is known here'],
    [{ number_of_packages: '-1' }, 'number_of_packages', 'must not be below 1'],
  ])('refuses texts with %j and names the field %s', (change, field, problem) => {
    expect(listIssues(draftFromTextFields({ ...texts, ...change }, {}))).toEqual([`${field} ${problem}`])
  })
})
