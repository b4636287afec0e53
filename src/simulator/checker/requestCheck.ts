import type { z } from 'zod'
import type { Route } from '../http/route'
import { parseJson } from '../json'
import { checkBodyBy, codesBody, manifestBody, preAlertBody, shipmentBody } from './bodyCheck'
import type { Deviation } from './deviation'
import { checkContentType, checkCredentialHeaders, checkNoCredentials } from './headerCheck'
import { checkQuery, MANIFEST_QUERY, type QueryTable, SHIPMENT_QUERY, TRACKING_QUERY } from './queryCheck'

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
  body?: z.ZodType
}

const EXPECTATIONS: Readonly<Record<Route['operation'], Expectation | undefined>> = {
  auth: { query: {} },
  shipment: { query: SHIPMENT_QUERY, body: shipmentBody },
  trackOne: { query: TRACKING_QUERY },
  trackMany: { query: TRACKING_QUERY, body: codesBody },
  manifest: { query: MANIFEST_QUERY, body: manifestBody },
  preAlert: { query: {}, body: preAlertBody },
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
  return [...contentType, ...checkBodyBy(check, body)]
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
