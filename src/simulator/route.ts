/** The operations of the specification (section Endpoints), and the download of a label from its `url`. */
export type Operation = 'auth' | 'shipment' | 'trackCode' | 'trackBulk' | 'manifest' | 'preAlert' | 'label'

/** The operation of a request with its parameters. `trackingPage` is the page that `trace` links to. */
export type Route =
  | { operation: 'auth' | 'unknown' }
  | { operation: 'shipment' | 'trackBulk' | 'manifest' | 'preAlert'; apiKey: string }
  | { operation: 'trackCode'; apiKey: string; code: string }
  | { operation: 'label'; token: string }
  | { operation: 'trackingPage'; code: string }

/** The base URL has a path, to detect clients that join paths incorrectly. */
export const basePath = '/api'

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

function findServiceRoute(method: string, [first, apiKey, third, ...rest]: string[]): Route {
  if (rest.length > 0) return { operation: 'unknown' }
  if (method === 'GET' && first === 'auth' && apiKey === undefined) return { operation: 'auth' }
  if (apiKey === undefined || apiKey === '') return { operation: 'unknown' }
  if (method === 'GET' && first === 'get_tracking_information') {
    if (third === undefined) return { operation: 'trackBulk', apiKey }
    return third === '' ? { operation: 'unknown' } : { operation: 'trackCode', apiKey, code: third }
  }
  if (method !== 'POST') return { operation: 'unknown' }
  if (first === 'action' && third === '101') return { operation: 'shipment', apiKey }
  if (third !== undefined) return { operation: 'unknown' }
  if (first === 'post_manifest_data') return { operation: 'manifest', apiKey }
  if (first === 'post_pre_alert') return { operation: 'preAlert', apiKey }
  return { operation: 'unknown' }
}

/** Finds the operation of a request from its method and its path without query (spec, section Endpoints). */
export function findRoute(method: string, path: string): Route {
  const segments = path.split('/').slice(1).map(decode)
  const known = segments.filter((segment) => segment !== undefined)
  if (known.length !== segments.length) return { operation: 'unknown' }
  const [top, ...rest] = known
  if (`/${top}` === basePath) return findServiceRoute(method, rest)
  const [value, ...more] = rest
  if (method !== 'GET' || value === undefined || value === '' || more.length > 0)
    return { operation: 'unknown' }
  if (top === 'labels') return { operation: 'label', token: value }
  if (top === 'track') return { operation: 'trackingPage', code: value }
  return { operation: 'unknown' }
}
