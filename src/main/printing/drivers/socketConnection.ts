import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { PrinterRemark } from '../../../shared/printerRemarks'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'
import type { ZplStatus } from './zplStatus'
import { readStatus } from './zplStatus'

/** No printer says more at once. */
const longestAnswer = 16_384

/** A connection to a printer's TCP port, on which it may answer. */
export interface PrinterConnection {
  socket: Socket
  /** Sends a status query and waits for the answer; undefined when there is none in time. */
  ask(query: string, timeoutMs: number): Promise<ZplStatus | undefined>
}

/**
 * Connects to a printer.
 * @param signal ends the attempt
 * @returns the reason when there is no connection
 */
export function openConnection(
  { host, port }: { host: string; port: number },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Result<PrinterConnection, PrinterRemark>> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true, allowHalfOpen: true })
    const end = (failure?: PrinterRemark) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      socket.removeListener('error', failed)
      if (failure === undefined) return resolve(ok(withAnswers(socket)))
      socket.on('error', () => undefined)
      socket.destroy()
      resolve(err(failure))
    }
    const failed = (error: Error & { code?: unknown }) =>
      end({ code: 'system-words', words: typeof error.code === 'string' ? error.code : error.message })
    const giveUp = () => end({ code: 'no-answer-in-time' })
    const timer = setTimeout(giveUp, timeoutMs)
    if (signal.aborted) return giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    socket.on('error', failed)
    socket.once('connect', () => end())
  })
}

function withAnswers(socket: Socket): PrinterConnection {
  let answer = ''
  let heard: () => void = () => undefined
  // Unread, an answer would keep the end of the connection from being seen.
  socket.on('data', (part: Buffer) => {
    answer = (answer + part.toString('latin1')).slice(-longestAnswer)
    heard()
  })
  socket.on('error', () => heard())
  socket.on('close', () => heard())

  return {
    socket,
    async ask(query, timeoutMs) {
      answer = ''
      if (!socket.writable) return undefined
      socket.write(query, 'latin1')
      const until = Date.now() + timeoutMs
      for (;;) {
        const status = readStatus(answer)
        const left = until - Date.now()
        if (status !== undefined || left <= 0 || socket.destroyed) return status
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left)
          heard = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
    },
  }
}

/** Waits, or less when one of the signals says so. */
export async function rest(milliseconds: number, ...signals: AbortSignal[]): Promise<void> {
  await pause(milliseconds, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined)
}
