import { setTimeout as pause } from 'node:timers/promises'
import type { Printer } from '../../../shared/printing'
import type { PrinterDrivers } from '../drivers/driver'
import { lookAt } from '../drivers/drivers'
import type { PrinterStates } from './printerStates'

const againMs = 1000

/** What looking at idle printers works with. */
export interface IdleLooksDeps {
  printers(): Printer[]
  drivers: PrinterDrivers
  states: PrinterStates
  /** Whether jobs wait for a printer: they will see how it is. */
  isWanted(printerId: string): boolean
  /** Ends all looks. */
  signal: AbortSignal
  /** Called when the states have changed. */
  onChange(): void
}

/**
 * Looks at each printer that has nothing to print, at once and then again and again, so that the window shows one that
 * is off or open before an order is packed. A look holds a printer's connection for a moment only.
 */
export function createIdleLooks({
  printers,
  drivers,
  states,
  isWanted,
  signal,
  onChange,
}: IdleLooksDeps): (everyMs: number) => Promise<void> {
  async function look(printer: Printer): Promise<void> {
    if (states.isBusy(printer.id) || isWanted(printer.id)) return
    let found = await lookAt(drivers, printer, signal)
    if (found?.kind === 'away') {
      // It may only serve another station at this moment.
      await pause(againMs, undefined, { signal, ref: false }).catch(() => undefined)
      found = await lookAt(drivers, printer, signal)
    }
    if (found === undefined || signal.aborted) return
    const shown = () => JSON.stringify(states.toStatus(printer, { waitingJobs: 0, paused: false }))
    const before = shown()
    states.looked(printer.id, found)
    if (shown() !== before) onChange()
  }

  const underWay = new Set<string>()
  return async (everyMs) => {
    while (!signal.aborted) {
      for (const printer of printers()) {
        // A look may wait for a job of another entry for the same printer, and no other printer waits with it.
        if (underWay.has(printer.id)) continue
        underWay.add(printer.id)
        void look(printer)
          .catch(() => undefined)
          .finally(() => underWay.delete(printer.id))
      }
      await pause(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
}
