import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { isLoopback } from '../lib/networks'

/**
 * Reads the address of the service as a person or a provisioning file gives it.
 * @returns the URL without a slash at the end of its path prefix. `base-url-not-allowed` unless it is https, or http
 * to a loopback address: user name, password and key travel over it.
 */
export function parseBaseUrl(text: string): Result<URL> {
  const trimmed = text.trim()
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return notAllowed('scheme')
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return notAllowed('insecure')
  }
  if (url.username !== '' || url.password !== '') {
    return notAllowed('user-info')
  }
  if (/[?#]/.test(trimmed)) return notAllowed('query')
  url.pathname = url.pathname.replace(/\/+$/, '')
  return ok(url)
}

/** The path prefix of a service's address: empty, or with a slash before and none after it. */
export function pathPrefix(baseUrl: URL): string {
  return baseUrl.pathname.replace(/\/+$/, '')
}

function notAllowed(reason: string): { ok: false; error: AppError } {
  return err(appError('base-url-not-allowed', { reason }))
}
