import type { Log } from '../../src/main/log/log'

/** A log that discards all entries. */
export const silentLog: Log = { info() {}, warn() {}, error() {} }
