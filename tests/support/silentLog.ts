import type { Log } from '../../src/main/log/log'

/** A log for tests that do not look at the log. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
