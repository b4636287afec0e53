import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Dispatcher } from 'undici'
import { err, ok, type Result } from '../../shared/result'
import { toReason } from '../lib/toReason'
import type { UpdateFile } from './channel'

/** Why a download failed. `differs`: its size or hash does not match. */
export interface DownloadFailure {
  kind: 'unreachable' | 'status' | 'differs' | 'disk'
  reason: string
}

/** An HTTP GET without redirects. */
interface Get {
  dispatcher: Dispatcher
  url: URL
  signal: AbortSignal
}

async function get({ dispatcher, url, signal }: Get) {
  const answer = await dispatcher.request({
    origin: url.origin,
    path: url.pathname,
    method: 'GET',
    signal,
    headers: { 'accept-encoding': 'identity' },
  })
  if (answer.statusCode === 200) return ok(answer.body)
  answer.body.on('error', () => undefined).destroy()
  return err<DownloadFailure>({ kind: 'status', reason: `HTTP ${answer.statusCode}` })
}

export async function fetchText(wanted: Get, maxBytes: number): Promise<Result<string, DownloadFailure>> {
  try {
    const body = await get(wanted)
    if (!body.ok) return body
    const parts: Buffer[] = []
    let size = 0
    for await (const part of body.value) {
      parts.push(part)
      size += part.length
      if (size > maxBytes) return err({ kind: 'differs', reason: `more than ${maxBytes} bytes` })
    }
    return ok(Buffer.concat(parts).toString('utf8'))
  } catch (error) {
    return err({ kind: 'unreachable', reason: toReason(error) })
  }
}

/**
 * Downloads an update's file and verifies its size and hash. Deletes it when they do not match.
 * @param target absolute path; an existing file is replaced
 * @param onProgress called with the downloaded share, 0 to 1
 */
export async function fetchFile(
  wanted: Get,
  { bytes, sha512 }: UpdateFile,
  target: string,
  onProgress: (share: number) => void,
): Promise<Result<undefined, DownloadFailure>> {
  const hash = createHash('sha512')
  let size = 0
  const measure = new Transform({
    transform(part: Buffer, _encoding, done) {
      hash.update(part)
      size += part.length
      onProgress(Math.min(size / bytes, 1))
      done(size > bytes ? new Error('the file is larger than the channel says') : null, part)
    },
  })
  const refuse = async (failure: DownloadFailure) => {
    await rm(target, { force: true }).catch(() => undefined)
    return err(failure)
  }
  try {
    const body = await get(wanted)
    if (!body.ok) return body
    await pipeline(body.value, measure, createWriteStream(target, { mode: 0o600, flush: true }))
  } catch (error) {
    const kind = size > bytes ? 'differs' : isDiskError(error) ? 'disk' : 'unreachable'
    return refuse({ kind, reason: toReason(error) })
  }
  // SECURITY: the hash comes from the signed channel file.
  if (size !== bytes || hash.digest('hex') !== sha512) {
    return refuse({ kind: 'differs', reason: 'its content is not what the channel names' })
  }
  return ok(undefined)
}

/**
 * Whether a file is still what the channel names.
 * SECURITY: another program of this user can replace a download before the person who installs it confirms that to the system.
 */
export async function hasContent(path: string, { sha512 }: UpdateFile): Promise<boolean> {
  const hash = createHash('sha512')
  try {
    await pipeline(createReadStream(path), hash)
  } catch {
    return false
  }
  return hash.digest('hex') === sha512
}

function isDiskError(error: unknown): boolean {
  return (
    error instanceof Error && 'syscall' in error && ['open', 'write', 'fsync'].includes(String(error.syscall))
  )
}
