import { request } from 'node:http'
import { userInfo } from 'node:os'
import type { Result } from '../../../../shared/result'
import { err, ok } from '../../../../shared/result'
import { decodeIpp } from './decode'
import { encodeIpp } from './encode'
import type { IppAttribute, IppMessage } from './message'
import { firstErrorStatus, groupTag, notFoundStatus, toText, valueTag } from './message'

/** Where a print server listens: a TCP address, or a socket in the file system. */
export type PrintServer = { host: string; port: number } | { socketPath: string }

/** Why a question to the print server got no answer, in words for the log. */
export interface IppFailure {
  kind: 'unreachable' | 'not-found' | 'refused'
  reason: string
}

/** What a question is about and what its answer should hold. */
export interface IppQuestion {
  operation: number
  /** Target attributes such as printer-uri and job-id. */
  target: IppAttribute[]
  /** Names of the attributes to answer with; the server's choice when left out. */
  wanted?: string[]
  /** What a subscription is to be. */
  subscription?: IppAttribute[]
}

/** Far more than the attributes of a hundred queues. */
const maxAnswer = 8 * 1024 * 1024
const answerTimeoutMs = 5000

/**
 * Asks a print server one thing over IPP. Documents go through `lp`.
 * @param signal ends the wait early
 */
export async function askPrintServer(
  server: PrintServer,
  question: IppQuestion,
  signal?: AbortSignal,
): Promise<Result<IppMessage, IppFailure>> {
  const posted = await post(server, encodeIpp(toRequest(question)), signal)
  if (!posted.ok) return err({ kind: 'unreachable', reason: posted.error })
  const answer = decodeIpp(posted.value)
  if (answer === undefined) return err({ kind: 'unreachable', reason: 'the answer is not IPP' })
  if (answer.code < firstErrorStatus) return ok(answer)
  const reason = toText(answer.groups[0], 'status-message') ?? `status 0x${answer.code.toString(16)}`
  return err({ kind: answer.code === notFoundStatus ? 'not-found' : 'refused', reason })
}

/** The URI by which the print server knows one of its queues. */
export function queueUri(queue: string): IppAttribute {
  return {
    name: 'printer-uri',
    tag: valueTag.uri,
    values: [`ipp://localhost/printers/${encodeURIComponent(queue)}`],
  }
}

function toRequest(question: IppQuestion): IppMessage {
  const attributes: IppAttribute[] = [
    { name: 'attributes-charset', tag: valueTag.charset, values: ['utf-8'] },
    { name: 'attributes-natural-language', tag: valueTag.language, values: ['en'] },
    ...question.target,
    { name: 'requesting-user-name', tag: valueTag.name, values: [userName()] },
  ]
  const { wanted, subscription } = question
  if (wanted !== undefined) {
    attributes.push({ name: 'requested-attributes', tag: valueTag.keyword, values: wanted })
  }
  return {
    code: question.operation,
    requestId: 1,
    groups: [
      { tag: groupTag.operation, attributes },
      ...(subscription === undefined ? [] : [{ tag: groupTag.subscription, attributes: subscription }]),
    ],
    data: Buffer.alloc(0),
  }
}

/** A user without an entry in the password file has no name, which is no reason not to print. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'anonymous'
  }
}

function post(
  server: PrintServer,
  body: Buffer,
  signal: AbortSignal | undefined,
): Promise<Result<Buffer, string>> {
  const timeout = AbortSignal.timeout(answerTimeoutMs)
  const ended = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve(err(timeout.aborted ? 'no answer in time' : error.message))
    const outgoing = request(
      {
        ...server,
        method: 'POST',
        path: '/',
        agent: false,
        signal: ended,
        headers: { 'content-type': 'application/ipp', 'content-length': body.length },
      },
      (answer) => {
        const parts: Buffer[] = []
        let size = 0
        answer.on('data', (part: Buffer) => {
          size += part.length
          parts.push(part)
          if (size > maxAnswer) answer.destroy(new Error('the answer is too long'))
        })
        answer.on('error', failed)
        answer.on('end', () =>
          resolve(
            answer.statusCode === 200
              ? ok(Buffer.concat(parts))
              : err(`HTTP status ${answer.statusCode ?? 'unknown'}`),
          ),
        )
      },
    )
    outgoing.on('error', failed)
    outgoing.end(body)
  })
}
