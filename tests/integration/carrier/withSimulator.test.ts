import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CreationOutcome } from '../../../src/main/carrier/createShipment'
import { type CarrierConnection, parseBaseUrl } from '../../../src/main/carrier/service'
import type { ShipmentDraft } from '../../../src/shared/shipments'
import type { Fault } from '../../../src/simulator/faults'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator'
import { type CarrierClient, clientFor, draft, getKind, trackingOptions } from './fixtures'

let simulator: Simulator
let client: CarrierClient
let baseUrl: URL
let connection: CarrierConnection

const credentials = { user: 'station-user', password: 'station-password' }

beforeEach(async () => {
  simulator = await startSimulator({ ...credentials, apiKey: 'k3y-0f-the-simulator' })
  client = clientFor(15_000)
  const parsed = parseBaseUrl(simulator.baseUrl)
  if (!parsed.ok) throw new Error(parsed.error.message)
  baseUrl = parsed.value
  connection = { baseUrl, apiKey: 'k3y-0f-the-simulator' }
})

afterEach(async () => {
  await client.close()
  await simulator.close()
})

function created(outcome: CreationOutcome) {
  if (!outcome.ok) throw new Error(`not created: ${JSON.stringify(outcome)}`)
  return outcome.value.creation
}

/** Expects one creation request in all, which left a shipment at the service or none. */
function expectOneRequest(isCreated: boolean): void {
  expect(simulator.requests.map(({ operation }) => operation)).toEqual(['shipment'])
  const entries = simulator.ledger.entries.filter(({ created }) => created)
  expect(entries.map(({ reference }) => reference)).toEqual(isCreated ? ['ORDER-1'] : [])
}

const withCustoms: ShipmentDraft = {
  ...draft,
  reference: 'CUSTOMS-1',
  country: 'CH',
  numberOfPackages: 2,
  customs: {
    invoiceNumber: 'INV-1',
    invoiceDate: '2026-11-21',
    terms: 'DAP',
    currency: 'EUR',
    reason: 'sale',
    sender: party('NL'),
    recipient: party('CH'),
    items: [
      {
        productCode: 'P1',
        product: 'Book',
        quantity: 2,
        hsCode: '490199',
        countryOfOrigin: 'NL',
        weight: 0.5,
        itemPrice: 12.5,
      },
    ],
  },
}

function party(country: string) {
  return {
    companyName: 'Company',
    name: 'Name',
    street: 'Street',
    houseNumber: '1',
    postalCode: '1000',
    city: 'City',
    country,
    email: 'name@example.com',
    phoneNumber: '+310000000',
    type: 'Y' as const,
    vatNumber: 'VAT',
    eoriNumber: 'EORI',
  }
}

describe('the client against the simulator', () => {
  it('signs in, creates, fetches labels and tracks without a deviation from the specification', async () => {
    const signedIn = await client.authenticate({ baseUrl, ...credentials })
    expect(signedIn).toMatchObject({ ok: true, value: { apiKey: 'k3y-0f-the-simulator', accountId: '7' } })

    const direct = created(await client.createShipment(connection, withCustoms, 'in-answer'))
    expect(direct.labels).toHaveLength(2)
    for (const label of direct.labels) {
      expect(label).toMatchObject({ kind: 'pdf', problem: null })
      expect(label.bytes.equals(simulator.getLabel(label.barcode) ?? Buffer.alloc(0))).toBe(true)
    }
    expect(direct.barcodes).toEqual(direct.labels.map((label) => label.barcode))
    expect(direct.subLogId).toMatch(/^SUB/)

    const byUrl = created(await client.createShipment(connection, draft, 'by-url'))
    expect(byUrl.labels).toEqual([])
    expect(byUrl.limits?.maxLength).toMatch(/^\d+/)
    expect(byUrl.zendingId).toMatch(/^\d+$/)
    const fetched = await client.fetchLabel(byUrl.labelUrl ?? '')
    const [barcode = ''] = byUrl.barcodes
    expect(fetched.ok && fetched.value.equals(simulator.getLabel(barcode) ?? Buffer.alloc(0))).toBe(true)

    const one = await client.trackCode(connection, barcode, trackingOptions)
    expect(one).toMatchObject({ ok: true, value: { code: barcode, found: true } })
    expect(one.ok && one.value.events[0]?.code).toBe('99')
    const many = await client.trackBulk(connection, [barcode, 'NOBODY'], trackingOptions)
    expect(many.ok && many.value.map(({ code, found }) => [code, found])).toEqual([
      [barcode, true],
      ['NOBODY', false],
    ])

    expect(simulator.deviations()).toEqual([])
  })

  it('returns the service’s message when credentials are refused', async () => {
    const refused = await client.authenticate({ baseUrl, user: 'station-user', password: 'wrong' })
    expect(refused).toMatchObject({
      ok: false,
      error: {
        code: 'account-refused',
        details: { serviceSays: 'User name or password is not correct' },
      },
    })
  })

  it('fails creation and tracking with key-refused when the key has expired', async () => {
    simulator.expireKey()
    const creation = await client.createShipment(connection, draft, 'in-answer')
    expect(creation).toMatchObject({ kind: 'refused', error: { code: 'key-refused' } })
    const keyRefused = { ok: false, error: { code: 'key-refused' } }
    expect(await client.trackCode(connection, 'A', trackingOptions)).toMatchObject(keyRefused)
    expect(await client.trackBulk(connection, ['A'], trackingOptions)).toMatchObject(keyRefused)
  })
})

describe.each(['in-answer', 'by-url'] as const)('a creation with the label %s', (delivery) => {
  const faults: [Fault, kind: string, created: 'created' | 'not created'][] = [
    [{ kind: 'refused' }, 'refused', 'not created'],
    [{ kind: 'status', status: 422 }, 'refused', 'not created'],
    [{ kind: 'status', status: 408 }, 'unknown', 'not created'],
    [{ kind: 'status', status: 500, created: true }, 'unknown', 'created'],
    [{ kind: 'htmlError', created: true }, 'unknown', 'created'],
    [{ kind: 'htmlError' }, 'unknown', 'not created'],
    [{ kind: 'redirect' }, 'unknown', 'not created'],
    [{ kind: 'resetBeforeReading' }, 'unknown', 'not created'],
    [{ kind: 'resetAfterReading' }, 'unknown', 'created'],
    [{ kind: 'cutOff' }, 'unknown', 'created'],
    [{ kind: 'notJson' }, 'unknown', 'created'],
    [{ kind: 'nullBody' }, 'unknown', 'created'],
    [{ kind: 'emptyBody' }, 'unknown', 'created'],
    // Texts instead of booleans and vice versa, and objects instead of lists: the answer is still readable.
    [{ kind: 'wrongTypes' }, 'ok', 'created'],
    [{ kind: 'extraFields' }, 'ok', 'created'],
    [{ kind: 'slow', ms: 50 }, 'ok', 'created'],
    [{ kind: 'emptyLabels' }, 'ok', 'created'],
    [{ kind: 'missingLabels' }, 'ok', 'created'],
  ]
  it.each(faults)(
    'under the fault %o ends as %s after one request, with the shipment %s at the service',
    async (fault, kind, created) => {
      simulator.faults.add({ operation: 'shipment', fault })
      const outcome = await client.createShipment(connection, draft, delivery)
      expect(getKind(outcome)).toBe(kind)
      expectOneRequest(created === 'created')
    },
  )
})

describe('a creation with a late answer', () => {
  const faults: [Fault, created: 'created' | 'not created'][] = [
    [{ kind: 'hangBeforeReading' }, 'not created'],
    [{ kind: 'hangAfterReading' }, 'created'],
    [{ kind: 'slow', ms: 3_000 }, 'created'],
  ]
  it.each(faults)(
    'under the fault %o ends as unknown after one request, with the shipment %s at the service',
    async (fault, created) => {
      simulator.faults.add({ operation: 'shipment', fault })
      const impatient = clientFor(400)
      const outcome = await impatient.createShipment(connection, draft, 'in-answer')
      await impatient.close()
      expect(outcome).toMatchObject({ kind: 'unknown', error: { code: 'service-timeout' } })
      expectOneRequest(created === 'created')
    },
  )
})

describe('an unusual label in a creation answer', () => {
  const faults: [Fault, object][] = [
    [{ kind: 'badBase64' }, { kind: 'pdf', problem: 'undecodable' }],
    [{ kind: 'wrappedBase64' }, { kind: 'pdf', problem: null }],
    [{ kind: 'notPdf' }, { kind: 'pdf', problem: 'not-a-pdf' }],
    [{ kind: 'upperCaseLabelType' }, { kind: 'pdf', problem: null }],
    [{ kind: 'zplLabel' }, { kind: 'zpl', problem: null }],
    [{ kind: 'hugeLabel' }, { kind: 'pdf', problem: null }],
  ]
  it.each(faults)('under the fault %o is returned as %o', async (fault, label) => {
    simulator.faults.add({ operation: 'shipment', fault })
    const creation = created(await client.createShipment(connection, draft, 'in-answer'))
    expect(creation.labels).toMatchObject([label])
    expect(creation.labels[0]?.bytes.length).toBeGreaterThan(0)
  })

  it('is returned as ZPL when the answer has ZPL text instead of labels', async () => {
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'zplLabel' } })
    const creation = created(await client.createShipment(connection, draft, 'by-url'))
    expect(creation.labels).toMatchObject([{ kind: 'zpl', problem: null, barcode: creation.barcodes[0] }])
    expect(creation.labels[0]?.bytes.toString()).toMatch(/^\^XA/)
  })
})
