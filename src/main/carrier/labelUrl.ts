import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'

/**
 * Reads a label URL: the `url` of a `DO=N` answer, or the `Location` that one leads on to.
 * @param from what a relative one is relative to
 * @param scheme the only one that is taken, such as `https:`: the service's, so that nothing goes unencrypted that it
 * did not send unencrypted itself
 */
export function parseLabelUrl(text: string, scheme: string, from?: URL): Result<URL> {
  const url = URL.canParse(text, from?.href) ? new URL(text, from?.href) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return err(notFetched('no-web-address'))
  }
  if (url.protocol !== scheme) {
    return err(notFetched('other-scheme', { host: url.host }))
  }
  return ok(url)
}

/** The error for a label on a host whose address is of this computer or of a private network. */
export function hostNotAllowed({ host }: Pick<URL, 'host'>): AppError {
  return appError('label-host-not-allowed', { host, reason: 'private-address' })
}

/** The error for a label that could not be fetched. Holds no URL. */
export function notFetched(reason: string, details: Readonly<Record<string, string>> = {}): AppError {
  return appError('label-not-fetched', { ...details, reason })
}
