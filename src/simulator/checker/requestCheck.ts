import type { Route } from '../http/route'
import { parseJson, typeName } from '../json'
import { checkManifestBody, checkPreAlertBody } from './consignmentCheck'
import type { Deviation } from './deviation'
import { checkContentType, checkCredentialHeaders, checkNoCredentials } from './headerCheck'
import { checkQuery, MANIFEST_QUERY, type QueryTable, SHIPMENT_QUERY, TRACKING_QUERY } from './queryCheck'
import { checkShipmentBody } from './shipmentCheck'

/** The parts of a request that the specification says something about. */
export interface CheckedRequest {
  operation: Route['operation']
  query: URLSearchParams
  headers: ReadonlyArray<readonly [name: string, value: string]>
  body: string
}

interface Expectation {
  query: QueryTable
  /** What the JSON body must be; without it there must be no body. */
  body?: (body: unknown) => Deviation[]
}

function checkCodes(body: unknown): Deviation[] {
  if (!Array.isArray(body)) {
    return [{ kind: 'wrongType', where: 'body', message: `body must be an array and is ${typeName(body)}.` }]
  }
  return body.flatMap((code: unknown, index): Deviation[] =>
    typeof code === 'string'
      ? []
      : [{ kind: 'wrongType', where: `body[${index}]`, message: `body[${index}] must be text.` }],
  )
}

const EXPECTATIONS: Readonly<Record<Route['operation'], Expectation | undefined>> = {
  auth: { query: {} },
  shipment: { query: SHIPMENT_QUERY, body: checkShipmentBody },
  trackOne: { query: TRACKING_QUERY },
  trackMany: { query: TRACKING_QUERY, body: checkCodes },
  manifest: { query: MANIFEST_QUERY, body: checkManifestBody },
  preAlert: { query: {}, body: checkPreAlertBody },
  label: { query: {} },
  trackingPage: undefined,
  unknown: undefined,
}

function checkBody(request: CheckedRequest, check: Expectation['body']): Deviation[] {
  if (check === undefined) {
    if (request.body === '') return []
    return [{ kind: 'unexpectedBody', where: 'body', message: 'This operation has no body.' }]
  }
  const contentType = checkContentType(request.headers)
  const body = parseJson(request.body)
  if (body === undefined)
    return [...contentType, { kind: 'notJson', where: 'body', message: 'body is not JSON.' }]
  return [...contentType, ...check(body)]
}

/** Compares a whole request with the specification and lists every point in which it differs. */
export function checkRequest(request: CheckedRequest): Deviation[] {
  const { operation } = request
  const expectation = EXPECTATIONS[operation]
  // A browser that opens the tracking page sends what browsers send.
  if (operation === 'trackingPage') return []
  if (expectation === undefined) {
    const message = 'The specification has no operation with this method and path.'
    return [{ kind: 'unknownRoute', where: 'path', message }, ...checkNoCredentials(request.headers)]
  }
  const credentials = operation === 'auth' ? checkCredentialHeaders : checkNoCredentials
  return [
    ...credentials(request.headers),
    ...checkQuery(request.query, expectation.query),
    ...checkBody(request, expectation.body),
  ]
}
