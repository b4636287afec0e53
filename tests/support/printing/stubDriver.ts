import type {
  PrintContext,
  PrinterDriver,
  PrinterDrivers,
  PrintOutcome,
} from '../../../src/main/printing/drivers/driver'
import type { Printer } from '../../../src/shared/printing'

/** A label that was sent to a printer; the test ends it. */
interface Arrival extends PrintContext<Printer> {
  /** Aborted when the queue stops. */
  signal: AbortSignal
  end(outcome: PrintOutcome): void
  fail(error: Error): void
}

/** Drivers that a test controls: labels arrive, and the test ends them. */
export interface StubDrivers extends PrinterDrivers {
  /** In the order of arrival, ended or not. */
  arrivals: Arrival[]
  /** The ids of printers whose jobs are never claimed. */
  away: Set<string>
}

/** Only the system driver can cancel jobs. */
export function createStubDrivers(): StubDrivers {
  const arrivals: Arrival[] = []
  const away = new Set<string>()
  const driver = (cancellable: boolean): PrinterDriver<Printer> => ({
    cancellable,
    async print(context, signal) {
      if (!away.has(context.printer.id) && !(await context.claim())) return { kind: 'not-started' }
      return new Promise((resolve, reject) =>
        arrivals.push({ ...context, signal, end: resolve, fail: reject }),
      )
    },
  })
  return { arrivals, away, folder: driver(false), system: driver(true), socket: driver(false) }
}
