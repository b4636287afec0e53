import { toHashedId } from '../lib/hash'

/**
 * The attempt id of one shipment of an order file: the same after a restart, so that it is never sent twice. The
 * reference is part of it, so that a file that was edited under the app can't inherit another order's outcome.
 * @returns a UUID of version 8 (made from a hash of the caller's choice)
 */
export function toAttemptId(fileId: string, line: number, reference: string): string {
  return toHashedId([fileId, line, reference])
}

/** The id of a file in `work/` of which nothing is noted: the same after a restart, so that it has one result. */
export function toUnnotedFileId(name: string, stamp: string): string {
  return toHashedId([name, stamp])
}

/** The id of the order that a shipment of an order file waits as: the same after a restart, so that it is listed once. */
export function toHeldOrderId(fileId: string, line: number, reference: string | null): string {
  return toHashedId([fileId, line, reference ?? '', 'held'])
}

/** The id of what is noted of an outcome, so that it is noted once. */
export function toIssueId(fileId: string, line: number, outcome: string, code: string): string {
  return toHashedId([fileId, line, outcome, code])
}
