import { appError } from '../../shared/errors'
import { ok } from '../../shared/result'
import { hiding, type Redact, type TextKind } from '../log/redactor'
import type { HttpClient } from './httpClient'
import { asFlag, asRecord, asText, hasErrors, type JsonRecord, parseJson } from './json'
import {
  type CarrierOutcome,
  type FailedOutcome,
  failedByStatus,
  failedByTransport,
  failedByUnreadableAnswer,
  findServiceMessage,
  getPathPrefix,
  isSuccess,
  type RequestContext,
} from './service'

const maxAnswerBytes = 1024 * 1024

/** Credentials of an account at the service. */
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
 * Exchanges credentials for an API key (spec: Create API key). The headers carry UTF-8: the specification names no
 * encoding, and ASCII credentials are the same bytes either way.
 * @returns `account-refused` with the service's message when `state` is not the text true or `Errors` is not empty
 */
export async function authenticate(
  http: HttpClient,
  { baseUrl, user, password }: Credentials,
  redact: Redact,
): Promise<CarrierOutcome<SignedIn>> {
  const context: RequestContext = { host: baseUrl.host, redact: hiding([password, user], redact) }
  const exchanged = await http.send({
    method: 'GET',
    origin: baseUrl.origin,
    path: `${getPathPrefix(baseUrl)}/auth`,
    headers: { AUTH_USER: headerText(user), AUTH_PW: headerText(password) },
    maxAnswerBytes,
  })
  if (!exchanged.ok) return failedByTransport(exchanged.error, context)
  const { status, body } = exchanged.value
  if (!isSuccess(status)) return refusedSignIn(failedByStatus(status, body, context), context)
  const answer = asRecord(parseJson(body))
  if (answer === undefined) return failedByUnreadableAnswer(context.host, 'no-object')
  return readAnswer(answer, context)
}

function readAnswer(answer: JsonRecord, context: RequestContext): CarrierOutcome<SignedIn> {
  const state = asFlag(answer.state)
  const apiKey = asText(answer.apikey)
  const redact = hiding(apiKey === null ? [] : [apiKey], context.redact)
  if (state === false || hasErrors(answer)) {
    return accountRefused(findServiceMessage(answer, redact), context)
  }
  if (state === null) return failedByUnreadableAnswer(context.host, 'no-state')
  if (apiKey === null) return failedByUnreadableAnswer(context.host, 'no-apikey')
  return ok({
    apiKey,
    customerId: shown(answer.id, redact, 'data'),
    accountId: shown(answer.id2, redact, 'data'),
    name: shown(answer.name, redact, 'words'),
  })
}

/** These texts are shown on the screen: credentials that the service repeats in them are removed. */
function shown(value: unknown, redact: Redact, kind: TextKind): string | null {
  const text = asText(value)
  return text === null ? null : redact(text, kind)
}

/** For this operation alone, 401 and 403 refuse the credentials: there is no key yet. */
function refusedSignIn(failed: FailedOutcome, context: RequestContext): FailedOutcome {
  const { code, details } = failed.error
  if (code !== 'key-refused') return failed
  return accountRefused(details?.serviceSays ?? null, context, details?.status)
}

function accountRefused(says: string | null, { host }: RequestContext, status?: string): FailedOutcome {
  const error = appError('account-refused', {
    host,
    ...(status === undefined ? {} : { status }),
    ...(says === null ? {} : { serviceSays: says }),
  })
  return { ok: false, kind: 'refused', error, answer: null }
}

/** undici writes headers as Latin-1, so each byte of the UTF-8 text becomes one character. */
function headerText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
