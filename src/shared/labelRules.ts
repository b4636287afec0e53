import { z } from 'zod'
import { lossConsentSchema } from './labelFindings'

/** A width and a height in millimetres. */
export const sizeMmSchema = z.strictObject({
  widthMm: z.number().positive().max(5000),
  heightMm: z.number().positive().max(5000),
})
export type SizeMm = z.infer<typeof sizeMmSchema>

/** A clockwise turn in degrees. */
export const turnSchema = z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)])
export type Turn = z.infer<typeof turnSchema>

/** Part of a page as it is shown, in millimetres from its top left corner. */
export const areaSchema = sizeMmSchema.extend({
  xMm: z.number().min(-10).max(5000),
  yMm: z.number().min(-10).max(5000),
})
export type Area = z.infer<typeof areaSchema>

/**
 * How pages of one size are put on labels of one size, as a person chose it once: which parts are labels, in the order
 * in which they are printed, how they are turned, and whether they are made larger or smaller.
 */
export const placementRuleSchema = z.strictObject({
  carrierOptionId: z.int().min(0),
  /** The page as it is shown. */
  page: sizeMmSchema,
  /** The label as it is read: turned back by the printer's own turn. */
  stock: sizeMmSchema,
  areas: z.array(areaSchema).min(1).max(24),
  turn: turnSchema.default(0),
  /** 1 prints in size. */
  scale: z.number().min(0.2).max(5).default(1),
  /** Where the page had ink outside of the areas when they were chosen: ink elsewhere is lost on a later page. */
  leftOut: z.array(areaSchema).max(1000).optional(),
})
export type PlacementRule = z.infer<typeof placementRuleSchema>

/** ZPL commands that do more than draw a label, which a person allowed for a carrier option's labels. */
export const zplConsentSchema = z.strictObject({
  carrierOptionId: z.int().min(0),
  /** The printer that may get them; any when left out. */
  printerId: z.string().min(1).max(64).optional(),
  commands: z.array(z.string().min(1).max(20)).min(1).max(200),
})
export type ZplConsent = z.infer<typeof zplConsentSchema>

/** What a person decided once about labels and is not asked again. */
export const labelRulesSchema = z.strictObject({
  placements: z.array(placementRuleSchema).max(1000).default([]),
  zplCommands: z.array(zplConsentSchema).max(1000).default([]),
  losses: z.array(lossConsentSchema).max(1000).default([]),
})
export type LabelRules = z.infer<typeof labelRulesSchema>

/** How a scanned code must match a label's barcode. */
export const scanRuleSchema = z.discriminatedUnion('kind', [
  /** The scanned code is a prefix of so many signs, then the barcode. */
  z.strictObject({ kind: z.literal('prefix'), prefix: z.string().trim().min(1).max(40) }),
  /** Only so many first signs of both are compared. */
  z.strictObject({ kind: z.literal('length'), length: z.int().min(4).max(200) }),
  /** One is part of the other; at least so many signs. */
  z.strictObject({ kind: z.literal('part'), least: z.int().min(4).max(200) }),
])
export type ScanRule = z.infer<typeof scanRuleSchema>

/** Whether operators scan labels after printing, and how codes are compared where they are not the same. */
export const scanBackSchema = z.strictObject({
  on: z.boolean().default(false),
  rules: z
    .array(z.strictObject({ carrierOptionId: z.int().min(0), match: scanRuleSchema }))
    .max(200)
    .default([]),
})
export type ScanBack = z.infer<typeof scanBackSchema>
