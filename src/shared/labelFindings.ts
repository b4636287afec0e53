import { z } from 'zod'

/**
 * What of a label would be lost in print. A new check adds its kind here, its words in both locales (`losses.kinds`)
 * and in `labelLoss.ts`, and hands its findings to the `check` of the print context.
 */
export const findingKindSchema = z.enum([
  /** Ink outside of what is printed of the page, or past the edge of the stock. */
  'ink-cut',
  /** A page with light ink that would come out as white paper. */
  'page-blank',
  /** Text in a font that is not in the PDF and can't be drawn as meant. */
  'font-missing',
  /** ZPL made for another resolution, or for a label of another size. */
  'zpl-size',
  'barcode-lost',
  'barcode-differs',
])
export type FindingKind = z.infer<typeof findingKindSchema>

/** So many places a finding and a consent hold at most. */
export const maxFindingAreas = 50

/** Part of a page as it is shown, in millimetres from its top left corner; it may reach past the page. */
const boxMmSchema = z.strictObject({
  xMm: z.number(),
  yMm: z.number(),
  widthMm: z.number().nonnegative(),
  heightMm: z.number().nonnegative(),
})
export type BoxMm = z.infer<typeof boxMmSchema>

/** One thing that a label would lose. */
export const labelFindingSchema = z.strictObject({
  kind: findingKindSchema,
  /** From 1. */
  page: z.int().positive(),
  /** Where on the page, as far as it is known. */
  areas: z.array(boxMmSchema).max(maxFindingAreas).optional(),
  /** What it is about, which is the same on the next label of the kind: the font, the symbology, the size. */
  name: z.string().max(200).optional(),
  /** What it says on this label, e.g. the barcode's content. */
  text: z.string().max(500).optional(),
})
export type LabelFinding = z.infer<typeof labelFindingSchema>

/** A loss that a person accepted for the labels of a carrier option on one printer. */
export const lossConsentSchema = z.strictObject({
  carrierOptionId: z.int().min(0),
  printerId: z.string().min(1).max(64),
  kind: findingKindSchema,
  /** The `name` of the finding. */
  name: z.string().max(200).optional(),
  /** The page that may come out blank: for `page-blank`. */
  page: z.int().positive().optional(),
  /** Where ink may be lost: for `ink-cut` and `page-blank`, which hold again when ink is lost elsewhere. */
  areas: z.array(boxMmSchema).max(maxFindingAreas).optional(),
})
export type LossConsent = z.infer<typeof lossConsentSchema>
