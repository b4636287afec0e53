import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { TextKind } from '../log/redactor'
import { pathPrefix } from './baseUrl'
import { hiding, type Redact } from './discretion'
import type { Transport } from './httpClient'
import { asFlag, asRecord, asText, hasErrors, type JsonRecord, parseJson } from './json'
import { type AskedOf, notUnderstood, statusError, transportError } from './serviceError'
import { serviceWords } from './serviceWords'

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
  transport: Transport,
  { baseUrl, user, password }: Credentials,
  redact: Redact,
): Promise<Result<SignedIn>> {
  const asked: AskedOf = { host: baseUrl.host, redact: hiding([password, user], redact) }
  const exchanged = await transport.send({
    method: 'GET',
    origin: baseUrl.origin,
    path: `${pathPrefix(baseUrl)}/auth`,
    headers: { AUTH_USER: headerText(user), AUTH_PW: headerText(password) },
    maxAnswerBytes: maxAnswerBytes,
  })
  if (!exchanged.ok) return err(transportError(exchanged.error, asked))
  const { status, body } = exchanged.value
  if (status < 200 || status > 299) return err(refusedSignIn(statusError(status, body, asked), asked))
  const answer = asRecord(parseJson(body))
  if (answer === undefined) return err(notUnderstood(asked.host, 'it is not a JSON object'))
  return readAnswer(answer, asked)
}

function readAnswer(answer: JsonRecord, asked: AskedOf): Result<SignedIn> {
  const state = asFlag(answer.state)
  const apiKey = asText(answer.apikey)
  const redact = hiding(apiKey === null ? [] : [apiKey], asked.redact)
  if (state === false || hasErrors(answer)) {
    return err(accountRefused(serviceWords(answer, redact), asked))
  }
  if (state === null) return err(notUnderstood(asked.host, 'its «state» is neither true nor false'))
  if (apiKey === null) return err(notUnderstood(asked.host, 'it has no «apikey»'))
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
function refusedSignIn(error: AppError, asked: AskedOf): AppError {
  if (error.code !== 'key-refused') return error
  return accountRefused(error.details?.serviceSays ?? null, asked, error.details?.status)
}

function accountRefused(says: string | null, { host }: AskedOf, status?: string): AppError {
  return appError('account-refused', {
    host,
    ...(status === undefined ? {} : { status }),
    ...(says === null ? {} : { serviceSays: says }),
  })
}

/** The library writes headers as Latin-1: one character for each byte of the UTF-8 text. */
function headerText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
