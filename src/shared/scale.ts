import { z } from 'zod'

/** The chosen scale: its USB vendor and product ID, and the name that it reports. */
export const scaleSchema = z.strictObject({
  vendorId: z.int().min(0).max(0xffff),
  productId: z.int().min(0).max(0xffff),
  name: z.string().trim().max(200),
  /** Distinguishes scales of the same model; missing when the device has none, or any scale of the model is accepted. */
  serialNumber: z.string().trim().min(1).max(200).optional(),
})
export type Scale = z.infer<typeof scaleSchema>

/** HID usage page of weighing devices. */
export const weighingUsagePage = 0x8d
