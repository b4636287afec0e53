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
    return err(notFetched('its address is not a web address', 'no-web-address'))
  }
  if (url.protocol !== scheme) {
    const why = `its address at ${url.host} is not ${scheme.replace(':', '')}, as the service’s own is`
    return err(notFetched(why, 'other-scheme', { host: url.host }))
  }
  return ok(url)
}

/** The error for a label on a host whose address is of this computer or of a private network. */
export function hostNotAllowed({ host }: Pick<URL, 'host'>): AppError {
  return appError(
    'label-host-not-allowed',
    `The label was not fetched from ${host}: that host is this computer or lies in a private network, and the service does not. The shipment exists. If that host is right, add it to the label hosts in the settings and fetch the label again.`,
    { host, reason: 'private-address' },
  )
}

/** The error for a label that could not be fetched. `why`: English, completes a sentence. Holds no URL. */
export function notFetched(
  why: string,
  reason: string,
  details: Readonly<Record<string, string>> = {},
): AppError {
  return appError(
    'label-not-fetched',
    `The label could not be fetched: ${why}. The shipment exists; fetch its label again.`,
    { ...details, reason },
  )
}
