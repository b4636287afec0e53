import type { HandlersOf } from '../../shared/bridge'
import type { discoveryMethods } from '../../shared/discovery'
import { appError } from '../../shared/errors'
import { socketPrinterSchema } from '../../shared/printing'
import { err, ok } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import type { TargetConsent } from '../lib/desktop'
import { findAnnouncedPrinters } from './announcedPrinters'
import { describeAddresses, identifyPrinter, readAddresses, scanAddresses } from './scanAddresses'

/** Printers that announce themselves answer within this time. */
const announcedMs = 2_500
/** Devices on the local network accept a connection within a few milliseconds. */
const connectMs = 700
const identityMs = 2_000

/** The handlers that find printers. They search only where a person asks for it. */
export function createDiscoveryHandlers({
  targetConsent,
  settings,
}: {
  targetConsent: Pick<TargetConsent, 'forScan' | 'forPrinter'>
  settings: { current(): Settings }
}): HandlersOf<typeof discoveryMethods> {
  return {
    findPrinters: async ({ addresses }) => {
      if (addresses === null) {
        return ok({ printers: await findAnnouncedPrinters({ waitMs: announcedMs }), asked: null })
      }
      const read = readAddresses(addresses)
      if (!read.ok) return err(appError('addresses-invalid', { part: read.error }))
      const agreed = await targetConsent.forScan(describeAddresses(read.value))
      if (!agreed.ok) return agreed
      return ok({ printers: await scanAddresses(read.value, connectMs), asked: read.value.length })
    },
    identifyPrinter: async ({ host, port }) => {
      const printer = socketPrinterSchema.parse({ driver: 'socket', id: 'network', host, port })
      const agreed = await targetConsent.forPrinter(printer, settings.current())
      if (!agreed.ok) return agreed
      return ok((await identifyPrinter({ host, port }, identityMs)) ?? null)
    },
  }
}
