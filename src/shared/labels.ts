import { z } from 'zod'
import { keysOf } from './keysOf'

/** Symbologies of a label's barcodes by their names, the same in every language. GS1-128 is Code 128 with FNC1 first. */
export const symbologyNames = {
  'code-128': 'Code 128',
  'gs1-128': 'GS1-128',
  itf: 'ITF',
  'code-39': 'Code 39',
  'ean-upc': 'EAN/UPC',
  qr: 'QR Code',
  'data-matrix': 'Data Matrix',
  pdf417: 'PDF417',
  aztec: 'Aztec',
  // Only in stored print jobs: it is no longer read.
  maxicode: 'MaxiCode',
}
export type Symbology = keyof typeof symbologyNames

/** From best to worst, as in ISO 15416, which has no E. */
export const gradeSchema = z.enum(['A', 'B', 'C', 'D', 'F'])
export type Grade = z.infer<typeof gradeSchema>

/**
 * One measurement of a symbol in the printed dots. Values: `reading` is 1 when the symbol was read, else 0; `edges` is the share
 * of scan lines with the right number of bars; `decodability` and `error-correction` are 0 to 1; `module` is in dots;
 * `quiet-zone` is in modules.
 */
const symbolMeasureSchema = z.object({
  measure: z.enum(['reading', 'edges', 'decodability', 'module', 'quiet-zone', 'error-correction']),
  value: z.number(),
  grade: gradeSchema,
})
export type SymbolMeasure = z.infer<typeof symbolMeasureSchema>

/** A symbol of the page, and its quality in the dots sent to the printer. */
export const gradedSymbolSchema = z.object({
  symbology: z.enum(keysOf(symbologyNames)),
  /** As read from the page, truncated to 200 characters. */
  text: z.string().max(200),
  /** Page number, from 1. */
  page: z.int().positive(),
  /** The worst of its measures. */
  grade: gradeSchema,
  measures: z.array(symbolMeasureSchema).min(1),
  /** Width of the narrowest bar or of a square. */
  moduleMm: z.number().positive().optional(),
  /** Maximum deviation of a bar's width from its nominal width. */
  deviationDots: z.number().nonnegative().optional(),
})
export type GradedSymbol = z.infer<typeof gradedSymbolSchema>

/** The result of verifying a label's barcodes before printing. */
export const barcodeProofSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('proved'), symbols: z.array(gradedSymbolSchema).max(100) }),
  /** Not verified; the label was printed anyway. */
  z.object({ kind: z.literal('not-proved'), reason: z.enum(['too-slow', 'failed']) }),
])
export type BarcodeProof = z.infer<typeof barcodeProofSchema>

export function worstGrade(grades: readonly Grade[]): Grade | undefined {
  return gradeSchema.options.findLast((grade) => grades.includes(grade))
}

/** Which labels have their barcodes verified before printing. `first`: only the first label of each kind. */
export const proveBarcodesSchema = z.enum(['always', 'first', 'never'])
export type ProveBarcodes = z.infer<typeof proveBarcodesSchema>

/**
 * Kinds of content that a label would lose in print. A new check adds its kind here and its text in both locales
 * (`losses.kinds`), and passes its findings to `check` of the print context.
 */
export const findingKindSchema = z.enum([
  /** Ink outside the printed part of the page, or past the edge of the stock. */
  'ink-cut',
  /** A page with only light ink, which would print blank. */
  'page-blank',
  /** Text in a font that is not embedded and can't be rendered correctly. */
  'font-missing',
  /** ZPL made for another resolution, or for a label of another size. */
  'zpl-size',
  'barcode-lost',
  'barcode-differs',
  /** The printer's queue or driver offers no stock of the label's size and would use another one. */
  'stock-missing',
])
export type FindingKind = z.infer<typeof findingKindSchema>

/** Maximum areas of a finding or a consent. */
export const maxFindingAreas = 50

/** Part of a page as displayed, in millimetres from its top left corner; may extend past the page. */
const boxMmSchema = z.strictObject({
  xMm: z.number(),
  yMm: z.number(),
  widthMm: z.number().nonnegative(),
  heightMm: z.number().nonnegative(),
})
export type BoxMm = z.infer<typeof boxMmSchema>

export const labelFindingSchema = z.strictObject({
  kind: findingKindSchema,
  /** From 1. */
  page: z.int().positive(),
  /** Where on the page, if known. */
  areas: z.array(boxMmSchema).max(maxFindingAreas).optional(),
  /** The font, symbology or size concerned, which is the same on other labels of this kind. */
  name: z.string().max(200).optional(),
  /** Content on this label, e.g. of the barcode. */
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
  /** Where ink may be lost: for `ink-cut` and `page-blank`, which are reported again when ink is lost elsewhere. */
  areas: z.array(boxMmSchema).max(maxFindingAreas).optional(),
})
export type LossConsent = z.infer<typeof lossConsentSchema>

/** A width and a height in millimetres. */
export const sizeMmSchema = z.strictObject({
  widthMm: z.number().positive().max(5000),
  heightMm: z.number().positive().max(5000),
})
export type SizeMm = z.infer<typeof sizeMmSchema>

/** A clockwise rotation in degrees. */
export const turnSchema = z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)])
export type Turn = z.infer<typeof turnSchema>

/** Part of a page as displayed, in millimetres from its top left corner. */
export const areaSchema = sizeMmSchema.extend({
  xMm: z.number().min(-10).max(5000),
  yMm: z.number().min(-10).max(5000),
})
export type Area = z.infer<typeof areaSchema>

/**
 * How pages of one size are placed on stock of one size, as a person chose it: which areas are labels, in print order, their
 * rotation and their scale.
 */
export const placementRuleSchema = z.strictObject({
  carrierOptionId: z.int().min(0),
  /** The page as displayed. */
  page: sizeMmSchema,
  /** The stock in reading orientation, without the printer's own rotation. */
  stock: sizeMmSchema,
  areas: z.array(areaSchema).min(1).max(24),
  turn: turnSchema.default(0),
  /** 1 prints at actual size. */
  scale: z.number().min(0.2).max(5).default(1),
  /** Where the page had ink outside the areas when they were chosen; ink elsewhere on a later page is a loss. */
  leftOut: z.array(areaSchema).max(1000).optional(),
})
export type PlacementRule = z.infer<typeof placementRuleSchema>

/** ZPL commands beyond drawing that a person allowed for the labels of a carrier option. */
export const zplConsentSchema = z.strictObject({
  carrierOptionId: z.int().min(0),
  /** The printer that may receive them; default: any. */
  printerId: z.string().min(1).max(64).optional(),
  commands: z.array(z.string().min(1).max(20)).min(1).max(200),
})
export type ZplConsent = z.infer<typeof zplConsentSchema>

/** A person's saved decisions about labels. */
export const labelRulesSchema = z.strictObject({
  placements: z.array(placementRuleSchema).max(1000).default([]),
  zplCommands: z.array(zplConsentSchema).max(1000).default([]),
  losses: z.array(lossConsentSchema).max(1000).default([]),
})
export type LabelRules = z.infer<typeof labelRulesSchema>

/** How a scanned code must match a label's barcode. */
export const scanRuleSchema = z.discriminatedUnion('kind', [
  /** The scanned code is this prefix followed by the barcode. */
  z.strictObject({ kind: z.literal('prefix'), prefix: z.string().trim().min(1).max(40) }),
  /** Only the first `length` characters of both are compared. */
  z.strictObject({ kind: z.literal('length'), length: z.int().min(4).max(200) }),
  /** One is part of the other and has at least `least` characters. */
  z.strictObject({ kind: z.literal('part'), least: z.int().min(4).max(200) }),
])
export type ScanRule = z.infer<typeof scanRuleSchema>

/** Whether operators scan labels after printing, and how differing codes are compared. */
export const scanBackSchema = z.strictObject({
  on: z.boolean().default(false),
  /** Whether the next shipment waits until the label was scanned, or the scan was skipped with a reason. */
  required: z.boolean().default(false),
  rules: z
    .array(z.strictObject({ carrierOptionId: z.int().min(0), match: scanRuleSchema }))
    .max(200)
    .default([]),
})
export type ScanBack = z.infer<typeof scanBackSchema>
