import { isDeepStrictEqual } from 'node:util'
import type { Result } from '../../shared/result'
import type { OrderLine } from './orderLines'
import type { LineOutcome } from './orderResult'

/**
 * Adds to the outcomes what was written to an order file after it was read: none of it was sent.
 * @param read the lines that were worked on
 * @param now the lines as they are at delivery; the end of a sentence when the file can't be read any more
 * @returns all outcomes in order of lines; a line that was sent and says something else now has two
 */
export function withLaterChanges(
  fileName: string,
  outcomes: readonly LineOutcome[],
  read: readonly OrderLine[],
  now: Result<OrderLine[], string>,
): LineOutcome[] {
  if (!now.ok) {
    const message = `${fileName} was changed after it was taken, and now ${now.error}. The outcomes before this one are of what it held when it was taken; nothing else of it was sent.`
    return [...outcomes, notSent(read.length + 1, null, message)]
  }
  const added = now.value.slice(read.length).map(({ line, reference }) => {
    const message = `Shipment ${line} was added to ${fileName} after the file was taken, so it was not sent. Drop it again in a file of its own.`
    return notSent(line, reference, message)
  })
  const kept = outcomes.flatMap((outcome, index) => {
    const line = now.value[index]
    if (line === undefined || isDeepStrictEqual(line.draft, read[index]?.draft)) return [outcome]
    const message = `Shipment ${line.line} of ${fileName} was changed after the file was taken, and what it says now was not sent. Compare it with what was created, and drop it again in a file of its own if it is needed.`
    const changed = notSent(line.line, line.reference, message)
    return outcome.outcome === 'invalid' ? [changed] : [outcome, changed]
  })
  return [...kept, ...added]
}

function notSent(line: number, reference: string | null, message: string): LineOutcome {
  return {
    line,
    reference,
    outcome: 'invalid',
    error: { code: 'order-file-changed', message },
    shipment: null,
  }
}
