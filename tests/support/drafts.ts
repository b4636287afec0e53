import type { ShipmentDraft } from '../../src/shared/shipments'

/** A complete valid draft; pass the fields that matter to the test. */
export function aDraft(change: Partial<ShipmentDraft> = {}): ShipmentDraft {
  return {
    createdBy: 'station-1',
    printPhoneNumber: '+31201234567',
    carrierId: 12,
    carrierOptionId: 34,
    signatureRequired: false,
    numberOfPackages: 1,
    weight: 1.25,
    length: 30,
    width: 20,
    height: 10,
    isCompany: false,
    companyName: '',
    firstName: 'Jannie',
    lastName: 'de Vries',
    email: 'jannie@example.com',
    phoneNumber: '+31612345678',
    content: 'Books',
    street: 'Keizersgracht',
    houseNumber: '12A',
    postalCode: '1015 CJ',
    city: 'Amsterdam',
    country: 'NL',
    reference: 'ORDER-1',
    reference2: '',
    returnLabel: false,
    ...change,
  }
}
