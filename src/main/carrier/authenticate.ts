import { appError } from '../../shared/errors'
import { ok } from '../../shared/result'
import { hiding, type Redact, type TextKind } from '../log/redactor'
import type { HttpClient } from './httpClient'
import { asFlag, asRecord, asText, hasErrors, type JsonRecord, parseJson } from './json'
import {
  type AskedOf,
  type CarrierOutcome,
  type FailedOutcome,
  failedByStatus,
  isSuccess,
  misunderstood,
  pathPrefix,
  serviceWords,
  unanswered,
} from './service'

const maxAnswerBytes = 1024 * 1024

/** What the operator signs in with. */
export interface Credentials {
  /** As `parseBaseUrl` gives it. */
  baseUrl: URL
  user: string
  password: string
}

/** The account as the service names it (spec: API key response). */
export interface SignedIn {
  apiKey: string
  /** `id`: the customer. */
  customerId: string | null
  /** `id2`: the account. */
  accountId: string | null
  name: string | null
}

/**
 * Exchanges credentials for an API key (spec: Create API key). The headers carry UTF-8; for ASCII that is the only
 * reading there is.
 * @returns `account-refused` with the service's words when `state` is not the text true or `Errors` is not empty
 */
export async function authenticate(
  http: HttpClient,
  { baseUrl, user, password }: Credentials,
  redact: Redact,
): Promise<CarrierOutcome<SignedIn>> {
  const asked: AskedOf = { host: baseUrl.host, redact: hiding([password, user], redact) }
  const exchanged = await http.send({
    method: 'GET',
    origin: baseUrl.origin,
    path: `${pathPrefix(baseUrl)}/auth`,
    headers: { AUTH_USER: headerText(user), AUTH_PW: headerText(password) },
    maxAnswerBytes,
  })
  if (!exchanged.ok) return unanswered(exchanged.error, asked)
  const { status, body } = exchanged.value
  if (!isSuccess(status)) return refusedSignIn(failedByStatus(status, body, asked), asked)
  const answer = asRecord(parseJson(body))
  if (answer === undefined) return misunderstood(asked.host, 'it is not a JSON object')
  return readAnswer(answer, asked)
}

function readAnswer(answer: JsonRecord, asked: AskedOf): CarrierOutcome<SignedIn> {
  const state = asFlag(answer.state)
  const apiKey = asText(answer.apikey)
  const redact = hiding(apiKey === null ? [] : [apiKey], asked.redact)
  if (state === false || hasErrors(answer)) {
    return accountRefused(serviceWords(answer, redact), asked)
  }
  if (state === null) return misunderstood(asked.host, 'its «state» is neither true nor false')
  if (apiKey === null) return misunderstood(asked.host, 'it has no «apikey»')
  return ok({
    apiKey,
    customerId: shown(answer.id, redact, 'data'),
    accountId: shown(answer.id2, redact, 'data'),
    name: shown(answer.name, redact, 'words'),
  })
}

/** These come on the screen, so the credentials must not come back in them. */
function shown(value: unknown, redact: Redact, kind: TextKind): string | null {
  const text = asText(value)
  return text === null ? null : redact(text, kind)
}

/** At this one operation 401 and 403 speak of the credentials: there is no key yet. */
function refusedSignIn(failed: FailedOutcome, asked: AskedOf): FailedOutcome {
  const { code, details } = failed.error
  if (code !== 'key-refused') return failed
  return accountRefused(details?.serviceSays ?? null, asked, details?.status)
}

function accountRefused(says: string | null, { host }: AskedOf, status?: string): FailedOutcome {
  const error = appError('account-refused', {
    host,
    ...(status === undefined ? {} : { status }),
    ...(says === null ? {} : { serviceSays: says }),
  })
  return { ok: false, kind: 'refused', error, answer: null }
}

/** The library writes headers as Latin-1: one character for each byte of the UTF-8 text. */
function headerText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
