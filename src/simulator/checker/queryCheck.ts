import type { Deviation } from './deviation'

/** The query parameters of an operation: allowed values, and whether the specification shows it left out. */
export type QueryTable = Readonly<Record<string, { values: readonly string[]; optional?: boolean }>>

/** Query of a shipment creation (spec, Endpoints 2). Without `DO` the behaviour is not stated: it must be there. */
export const SHIPMENT_QUERY: QueryTable = { o: { values: ['JSON'] }, DO: { values: ['Y', 'N'] } }

/** Query of both tracking operations (spec, Endpoints 3 and 4). No defaults are stated: all must be there. */
export const TRACKING_QUERY: QueryTable = {
  flight_tracking_setting: { values: ['only', 'include', 'exclude'] },
  lang: { values: ['en', 'nl'] },
  type: { values: ['barcode', 'waybill', 'box'] },
  tracking_details: { values: ['minimal', 'lastStatus', 'full'] },
}

/** Query of a manifest upload (spec, Endpoints 5). */
export const MANIFEST_QUERY: QueryTable = { ls: { values: ['Y'], optional: true } }

function wrongQuery(name: string, problem: string): Deviation {
  return { kind: 'wrongQuery', where: `query.${name}`, message: `Query parameter ${name} ${problem}.` }
}

/** Compares a request's query with the parameters that its operation has: none missing, none extra, none twice. */
export function checkQuery(query: URLSearchParams, table: QueryTable): Deviation[] {
  const found: Deviation[] = []
  for (const name of new Set(query.keys())) {
    if (!Object.hasOwn(table, name)) found.push(wrongQuery(name, 'does not belong to this operation'))
  }
  for (const [name, { values, optional }] of Object.entries(table)) {
    const given = query.getAll(name)
    const [first] = given
    if (first === undefined) {
      if (!optional) found.push(wrongQuery(name, 'is missing'))
    } else if (given.length > 1) {
      found.push(wrongQuery(name, 'is there more than once'))
    } else if (!values.includes(first)) {
      found.push(wrongQuery(name, `must be ${values.join(' or ')}`))
    }
  }
  return found
}
