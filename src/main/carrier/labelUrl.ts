import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'

/** Reads the label URL of a `DO=N` answer: http(s) only. */
export function parseLabelUrl(text: string): Result<URL> {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return err(notFetched('its address is not a web address', 'no-web-address'))
  }
  return ok(url)
}

/**
 * Where a redirect of a label URL leads.
 * @param location the `Location` header, possibly relative
 * @returns `label-not-fetched` when it leads to another scheme
 */
export function followLabelRedirect(from: URL, location: string): Result<URL> {
  const target = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  if (target === undefined) return err(notFetched('its address leads nowhere', 'bad-redirect'))
  if (target.protocol !== from.protocol) {
    return err(notFetched('its address leads on to another scheme', 'other-scheme'))
  }
  return ok(target)
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
