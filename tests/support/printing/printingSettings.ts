import type { PrintingSettings } from '../../../src/main/printing/queue/routing'

type Settings = ReturnType<PrintingSettings['current']>

/** Settings for printing: no printers, rules and consents unless stated, read anew at each use. */
export function printingSettings(read: () => Partial<Settings>): PrintingSettings {
  return {
    current: () => ({
      printers: [],
      routing: [],
      labelRules: { placements: [], zplCommands: [], losses: [] },
      ...read(),
    }),
  }
}
