import type { AppError } from '../../shared/errors'
import type { Result } from '../../shared/result'
import { type BackOff, backOffMs } from '../lib/retry'
import type { Log } from '../log/log'

const diskWaits: BackOff = { firstMs: 500, maxMs: 10_000 }
const fetchWaits: BackOff = { firstMs: 1000, maxMs: 5 * 60_000 }

/** After about an hour a label is fetched again only by hand, or after the next start. */
const maxFetches = 20

/** Labels that are fetched at the same time after a start. */
const maxAtOnce = 4

/** Failures to fetch a label that may pass. Every other answer to the GET is taken at its word. */
const passingReasons = new Set([
  'service-unreachable',
  'service-insecure',
  'proxy-failed',
  'service-timeout',
  'service-connection-lost',
  'empty',
])

interface LabelRetriesDeps {
  /** Brings in what is missing of a shipment; safe to repeat. */
  complete(shipmentId: string): Promise<Result<undefined>>
  log: Log
}

/** Brings in by itself the labels that are still missing: from memory, from the kept answer, or from their URL. */
export interface LabelRetries {
  /** Tries again after a wait, unless the error says that this is useless. */
  add(shipmentId: string, error: AppError): void
  /** Takes up what an earlier run left: the first try is made as soon as there is a place. */
  resume(shipmentIds: readonly string[]): void
  /** Ends all waits and resolves when no try is under way. */
  stop(): Promise<void>
}

/** Makes the retries; nothing is tried yet. */
export function createLabelRetries({ complete, log }: LabelRetriesDeps): LabelRetries {
  const waiting = new Map<string, NodeJS.Timeout>()
  const underWay = new Map<string, Promise<void>>()
  const fetches = new Map<string, number>()
  const queue: string[] = []
  let stopped = false

  function add(shipmentId: string, error: AppError): void {
    const wait = waitAfter(shipmentId, error)
    if (wait === undefined || stopped || waiting.has(shipmentId)) return
    const timer = setTimeout(() => {
      waiting.delete(shipmentId)
      queue.push(shipmentId)
      startNext()
    }, wait)
    waiting.set(shipmentId, timer)
  }

  /** undefined when it is given up. */
  function waitAfter(shipmentId: string, error: AppError): number | undefined {
    const tries = fetches.get(shipmentId) ?? 0
    fetches.set(shipmentId, tries + 1)
    if (isOfDisk(error)) return backOffMs(diskWaits, tries)
    if (isWorthFetching(error) && tries < maxFetches) return backOffMs(fetchWaits, tries)
    fetches.delete(shipmentId)
    log.warn('a label is not fetched again by itself', { shipmentId, code: error.code })
    return undefined
  }

  function startNext(): void {
    while (!stopped && underWay.size < maxAtOnce) {
      const shipmentId = queue.shift()
      if (shipmentId === undefined) return
      if (underWay.has(shipmentId)) continue
      const run = attempt(shipmentId).finally(() => {
        underWay.delete(shipmentId)
        startNext()
      })
      underWay.set(shipmentId, run)
    }
  }

  async function attempt(shipmentId: string): Promise<void> {
    const completed = await complete(shipmentId)
    if (completed.ok) fetches.delete(shipmentId)
    else add(shipmentId, completed.error)
  }

  return {
    add,
    resume(shipmentIds) {
      queue.push(...shipmentIds)
      startNext()
    },
    async stop() {
      stopped = true
      for (const timer of waiting.values()) clearTimeout(timer)
      waiting.clear()
      await Promise.allSettled(underWay.values())
    },
  }
}

/** The disk or the database refuses: that is tried until it ends. */
function isOfDisk({ code }: AppError): boolean {
  return code === 'label-not-stored' || code === 'journal-not-written'
}

/** Whether fetching a label again may work, judged by how the last try failed. */
export function isWorthFetching({ code, details }: AppError): boolean {
  if (code === 'label-missing') return true
  if (code !== 'label-not-fetched') return false
  const { reason = '', status = '' } = details ?? {}
  return passingReasons.has(reason) || (reason === 'status' && /^(408|425|429|5\d\d)$/.test(status))
}
