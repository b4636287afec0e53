import { describe, expect, it } from 'vitest'
import { type CheckedRequest, checkRequest, type Deviation } from '../../../src/simulator/checker'
import { manifestLine, preAlert, shipmentBody, shipmentDetails } from './exampleBodies'

const jsonType = ['Content-Type', 'application/json'] as const
const trackingQuery = 'flight_tracking_setting=include&lang=en&type=barcode&tracking_details=full'

const rightRequests: Record<
  string,
  { operation: CheckedRequest['operation']; query: string; body?: unknown }
> = {
  auth: { operation: 'auth', query: '' },
  shipment: { operation: 'shipment', query: 'o=JSON&DO=Y', body: shipmentBody() },
  customs: {
    operation: 'shipment',
    query: 'o=JSON&DO=N',
    body: shipmentBody({ shipment_details: shipmentDetails() }),
  },
  trackCode: { operation: 'trackCode', query: trackingQuery },
  trackBulk: { operation: 'trackBulk', query: trackingQuery, body: ['A', 'B'] },
  manifest: { operation: 'manifest', query: '', body: [manifestLine()] },
  lock: { operation: 'manifest', query: 'ls=Y', body: [manifestLine()] },
  preAlert: { operation: 'preAlert', query: '', body: preAlert() },
  label: { operation: 'label', query: '' },
}

const credentials: CheckedRequest['headers'] = [
  ['AUTH_USER', 'u'],
  ['AUTH_PW', 'secret-password'],
]

interface Changes {
  query?: string
  headers?: CheckedRequest['headers']
  body?: unknown
  text?: string
}

function check(name: keyof typeof rightRequests, changes: Changes = {}): Deviation[] {
  const right = rightRequests[name]
  if (right === undefined) throw new Error(`No such request: ${name}`)
  const value = 'body' in changes ? changes.body : right.body
  const body = changes.text ?? (value === undefined ? '' : JSON.stringify(value))
  const usual = right.operation === 'auth' ? credentials : value === undefined ? [] : [jsonType]
  const query = new URLSearchParams(changes.query ?? right.query)
  return checkRequest({ operation: right.operation, query, headers: changes.headers ?? usual, body })
}

function brief(deviations: readonly Deviation[]): string[] {
  return deviations.map(({ kind, where }) => `${kind} ${where}`)
}

function detailsWith(changes: Record<string, unknown>): unknown {
  return shipmentBody({ shipment_details: shipmentDetails(changes) })
}

describe('a request that follows the specification', () => {
  it.each(Object.keys(rightRequests))('has no deviations: %s', (name) => {
    expect(check(name)).toEqual([])
  })
})

describe('headers', () => {
  it.each<[string, CheckedRequest['headers'], string[]]>([
    ['no credentials', [], ['missingHeader header.AUTH_USER', 'missingHeader header.AUTH_PW']],
    [
      'lower case',
      [
        ['auth_user', 'u'],
        ['AUTH_PW', 'p'],
      ],
      ['wrongCasing header.AUTH_USER'],
    ],
    ['twice', [...credentials, ['AUTH_USER', 'u']], ['unexpectedHeader header.AUTH_USER']],
  ])('of GET /auth: %s', (_name, headers, expected) => {
    expect(brief(check('auth', { headers }))).toEqual(expected)
  })

  it('with credentials on another operation are reported without their values', () => {
    const found = check('shipment', { headers: [jsonType, ...credentials, ['Authorization', 'Basic x']] })
    expect(brief(found)).toEqual([
      'unexpectedHeader header.AUTH_USER',
      'unexpectedHeader header.AUTH_PW',
      'unexpectedHeader header.Authorization',
    ])
    expect(JSON.stringify(found)).not.toContain('secret-password')
  })

  it.each(['text/plain', 'application/json; charset=utf-8', undefined])('with Content-Type %s', (type) => {
    const headers: CheckedRequest['headers'] = type === undefined ? [] : [['content-type', type]]
    for (const name of ['shipment', 'trackBulk', 'manifest', 'preAlert']) {
      expect(brief(check(name, { headers }))).toEqual(['wrongContentType header.Content-Type'])
    }
  })
})

describe('the query', () => {
  it.each<[keyof typeof rightRequests, string, string[]]>([
    ['auth', 'x=1', ['wrongQuery query.x']],
    ['shipment', 'DO=Y', ['wrongQuery query.o']],
    ['shipment', 'o=JSON', ['wrongQuery query.DO']],
    ['shipment', 'o=json&DO=y', ['wrongQuery query.o', 'wrongQuery query.DO']],
    ['shipment', 'o=JSON&DO=Y&DO=N', ['wrongQuery query.DO']],
    ['shipment', 'o=JSON&DO=Y&lang=en', ['wrongQuery query.lang']],
    ['trackCode', trackingQuery.replace('lang=en&', ''), ['wrongQuery query.lang']],
    ['trackBulk', trackingQuery.replace('lang=en', 'lang=de'), ['wrongQuery query.lang']],
    ['trackCode', trackingQuery.replace('full', 'laststatus'), ['wrongQuery query.tracking_details']],
    ['manifest', 'ls=N', ['wrongQuery query.ls']],
    ['preAlert', 'ls=Y', ['wrongQuery query.ls']],
    ['label', 'toString=1', ['wrongQuery query.toString']],
  ])('of %s: %s', (name, query, expected) => {
    expect(brief(check(name, { query }))).toEqual(expected)
  })
})

describe('the body', () => {
  it('is not there on auth, single tracking and labels', () => {
    for (const name of ['auth', 'trackCode', 'label']) {
      expect(brief(check(name, { text: '{}' }))).toEqual(['unexpectedBody body'])
    }
  })

  it('is JSON', () => {
    expect(brief(check('shipment', { text: '{"a":' }))).toEqual(['notJson body'])
    expect(brief(check('manifest', { text: '' }))).toEqual(['notJson body'])
    expect(brief(check('shipment', { text: '[]' }))).toEqual(['wrongType body'])
    expect(brief(check('trackBulk', { body: ['A', 1] }))).toEqual(['wrongType body[1]'])
  })

  it.each<[string, unknown, string[]]>([
    ['number as text', shipmentBody({ weight: '1.25' }), ['wrongType body.weight']],
    ['boolean as text', shipmentBody({ return_label: 'N' }), ['wrongType body.return_label']],
    ['null', shipmentBody({ company_name: null }), ['wrongType body.company_name']],
    ['missing', shipmentBody({ reference2: undefined }), ['missingField body.reference2']],
    ['unknown', shipmentBody({ colour: 'red' }), ['unknownField body.colour']],
    ['casing', shipmentBody({ Reference: 'A' }), ['wrongCasing body.Reference']],
    ['country', shipmentBody({ country: 'nl' }), ['wrongValue body.country']],
    ['details', shipmentBody({ shipment_details: [] }), ['wrongType body.shipment_details']],
    ['date', detailsWith({ invoice_date: '21-11-2026' }), ['wrongValue body.shipment_details.invoice_date']],
    [
      'no such day',
      detailsWith({ invoice_date: '2026-02-30' }),
      ['wrongValue body.shipment_details.invoice_date'],
    ],
    ['items', detailsWith({ invoice_items: {} }), ['wrongType body.shipment_details.invoice_items']],
    ['sender', detailsWith({ sender: 'me' }), ['wrongType body.shipment_details.sender']],
  ])('of a shipment: %s', (_name, body, expected) => {
    expect(brief(check('shipment', { body }))).toEqual(expected)
  })

  it('of a shipment is checked down to the customs items', () => {
    const item = {
      productcode: 'P',
      product: 'B',
      quantity: '2',
      tariffcode: '1',
      country_origin: 'NLD',
      weight: 1,
    }
    const found = check('shipment', { body: detailsWith({ invoice_items: [item] }) })
    expect(brief(found)).toEqual([
      'wrongType body.shipment_details.invoice_items[0].quantity',
      'missingField body.shipment_details.invoice_items[0].itemprice',
      'wrongValue body.shipment_details.invoice_items[0].country_origin',
    ])
  })

  it.each<[string, unknown, string[]]>([
    ['number', [manifestLine({ quantity: 2 })], ['wrongType body[0].quantity']],
    ['comma', [manifestLine(), manifestLine({ itemPrice: '1,50' })], ['wrongValue body[1].itemPrice']],
    ['casing', [manifestLine({ HsCode: '1' })], ['wrongCasing body[0].HsCode']],
    ['no array', manifestLine(), ['wrongType body']],
  ])('of a manifest: %s', (_name, body, expected) => {
    expect(brief(check('manifest', { body }))).toEqual(expected)
  })

  it('of a manifest may leave values empty', () => {
    const optional = ['country', 'sellerCountry', 'quantity', 'itemPrice', 'itemWeight', 'parcelWeight']
    const empty = Object.fromEntries([...optional, 'parcelPrice', 'grossWeight'].map((name) => [name, '']))
    expect(check('manifest', { body: [manifestLine(empty)] })).toEqual([])
  })

  it('of a pre-alert may have a PDF with other bytes before its header, but not thousands', () => {
    const withBytesBefore = (count: number) =>
      preAlert({
        airWaybillPdfBase64: Buffer.from(`${'x'.repeat(count)}%PDF-1.4\n%%EOF\n`).toString('base64'),
      })
    expect(check('preAlert', { body: withBytesBefore(1019) })).toEqual([])
    expect(check('preAlert', { body: withBytesBefore(2000) })).toHaveLength(1)
  })

  it.each<[string, unknown, string[]]>([
    ['weight as text', preAlert({ grossWeight: '12.5' }), ['wrongType body.grossWeight']],
    ['data URL', preAlert({ airWaybillPdfBase64: 'data:application/pdf;base64,JVBERi0=' }), ['wrongValue']],
    ['no PDF', preAlert({ airWaybillPdfBase64: 'aGVsbG8gd29ybGQ=' }), ['wrongValue']],
    ['time', preAlert({ estimatedTimeOfArrival: '2026-11-25T10:00' }), ['wrongValue']],
  ])('of a pre-alert: %s', (_name, body, expected) => {
    expect(brief(check('preAlert', { body }))[0]).toContain(expected[0])
    expect(check('preAlert', { body })).toHaveLength(1)
  })
})

describe('the route', () => {
  it('is reported when the specification does not have it', () => {
    const request = { query: new URLSearchParams(), headers: credentials, body: '' }
    expect(brief(checkRequest({ ...request, operation: 'unknown' }))).toEqual([
      'unknownRoute path',
      'unexpectedHeader header.AUTH_USER',
      'unexpectedHeader header.AUTH_PW',
    ])
  })
})
