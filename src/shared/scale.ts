import { z } from 'zod'

/** The scale that a person chose: what it is by its maker's numbers, and the name it gives itself. */
export const scaleSchema = z.strictObject({
  vendorId: z.int().min(0).max(0xffff),
  productId: z.int().min(0).max(0xffff),
  name: z.string().trim().max(200),
  /** Tells two scales of one kind apart; left out where the device gives none, or any of the kind will do. */
  serialNumber: z.string().trim().min(1).max(200).optional(),
})
export type Scale = z.infer<typeof scaleSchema>

/** The page of the HID usage tables that is for weighing devices. */
export const weighingUsagePage = 0x8d
