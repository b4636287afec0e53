import { z } from 'zod'
import { openMethod } from './contract'

/** A label printer found on the network. */
export const foundPrinterSchema = z.object({
  host: z.string().max(253),
  port: z.int().min(1).max(65_535),
  /** The name that it reports; empty when it reports none. */
  name: z.string().max(255),
  /** Whether it reports that it reads ZPL. */
  isZpl: z.boolean(),
})
export type FoundPrinter = z.infer<typeof foundPrinterSchema>

/** Identification that a ZPL printer reports. */
export const printerIdentitySchema = z.object({
  model: z.string(),
  /** Dots per inch of its print head; null when it does not report it. */
  dpi: z.union([z.literal(152), z.literal(203), z.literal(300), z.literal(600)]).nullable(),
})
export type PrinterIdentity = z.infer<typeof printerIdentitySchema>

/** Maximum addresses per scan. */
export const maxScannedAddresses = 1024

/** Methods of the bridge for finding printers. */
export const discoveryMethods = {
  /**
   * Finds printers. Without addresses: those that announce themselves on the local network (no connection is made). With IPv4
   * addresses, ranges («192.168.1.20-60») or networks («192.168.1.0/24»): those that accept a connection, named by SNMP; nothing
   * else is sent to them. `addresses-invalid` names a part that is invalid or not in a private network.
   */
  findPrinters: openMethod(
    z.strictObject({ addresses: z.string().trim().min(1).max(500).nullable() }),
    z.object({ printers: z.array(foundPrinterSchema), asked: z.int().nullable() }),
  ),
  /** Queries the identification of a printer by ZPL; null when it does not answer in time. */
  identifyPrinter: openMethod(
    z.strictObject({ host: z.string().trim().min(1).max(253), port: z.int().min(1).max(65_535) }),
    printerIdentitySchema.nullable(),
  ),
}
