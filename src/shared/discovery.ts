import { z } from 'zod'
import { method } from './contract'

/** A label printer that was found on the network. */
export const foundPrinterSchema = z.object({
  host: z.string().max(253),
  port: z.int().min(1).max(65_535),
  /** As it calls itself; empty when it does not say. */
  name: z.string().max(255),
  /** Whether it says that it reads ZPL. */
  isZpl: z.boolean(),
})
export type FoundPrinter = z.infer<typeof foundPrinterSchema>

/** What a ZPL printer says of itself. */
export const printerIdentitySchema = z.object({
  model: z.string(),
  /** Dots per inch of its head; null when it does not say. */
  dpi: z.union([z.literal(152), z.literal(203), z.literal(300), z.literal(600)]).nullable(),
})
export type PrinterIdentity = z.infer<typeof printerIdentitySchema>

/** Most addresses that are looked at in one go. */
export const maxScannedAddresses = 1024

/** Methods of the bridge for finding printers. */
export const discoveryMethods = {
  /**
   * Printers that answer: without addresses those that announce themselves on the local network (nothing is connected
   * to), else those of the given IPv4 addresses, ranges («192.168.1.20-60») and networks («192.168.1.0/24») that take a
   * connection, by the names that they give by SNMP; nothing else is sent to them. `addresses-invalid` names what can't be read or is no address of a private network.
   */
  findPrinters: method(
    z.strictObject({ addresses: z.string().trim().min(1).max(500).nullable() }),
    z.object({ printers: z.array(foundPrinterSchema), asked: z.int().nullable() }),
  ),
  /** Asks one printer by ZPL what it is; null when it does not answer in time. */
  identifyPrinter: method(
    z.strictObject({ host: z.string().trim().min(1).max(253), port: z.int().min(1).max(65_535) }),
    printerIdentitySchema.nullable(),
  ),
}
