import { z } from 'zod'

/** What a label's barcodes are read as. GS1-128 is Code 128 with GS1's first sign. */
export const symbologySchema = z.enum([
  'code-128',
  'gs1-128',
  'itf',
  'code-39',
  'ean-upc',
  'qr',
  'data-matrix',
  'pdf417',
  'aztec',
  'maxicode',
])
export type Symbology = z.infer<typeof symbologySchema>

/** From the best to the worst, as in ISO 15416; there is no E. */
export const gradeSchema = z.enum(['A', 'B', 'C', 'D', 'F'])
export type Grade = z.infer<typeof gradeSchema>

/**
 * One thing that was measured of a symbol in the dots, with its value: `reading` 1 when it was read, else 0; `edges`
 * the share of scan lines with the right number of bars; `decodability` and `error-correction` from 0 to 1; `module` in
 * dots; `quiet-zone` in modules.
 */
const symbolMeasureSchema = z.object({
  measure: z.enum(['reading', 'edges', 'decodability', 'module', 'quiet-zone', 'error-correction']),
  value: z.number(),
  grade: gradeSchema,
})
export type SymbolMeasure = z.infer<typeof symbolMeasureSchema>

/** A symbol of the page, and how it is in the dots that go to the printer. */
export const gradedSymbolSchema = z.object({
  symbology: symbologySchema,
  /** As read from the page, cut to 200 signs. */
  text: z.string().max(200),
  /** The page from which it was read, from 1. */
  page: z.int().positive(),
  /** The worst of its measures. */
  grade: gradeSchema,
  measures: z.array(symbolMeasureSchema).min(1),
  /** Width of the narrowest bar or of a square. */
  moduleMm: z.number().positive().optional(),
  /** How far a bar's width is from what it should be, at most. */
  deviationDots: z.number().nonnegative().optional(),
})
export type GradedSymbol = z.infer<typeof gradedSymbolSchema>

/** What reading a label's barcodes before printing showed. */
export const barcodeProofSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('proved'), symbols: z.array(gradedSymbolSchema).max(100) }),
  /** The label was printed all the same. */
  z.object({ kind: z.literal('not-proved'), reason: z.enum(['too-slow', 'failed']) }),
])
export type BarcodeProof = z.infer<typeof barcodeProofSchema>

/** The worst of some grades; undefined when there are none. */
export function worstGrade(grades: readonly Grade[]): Grade | undefined {
  return gradeSchema.options.findLast((grade) => grades.includes(grade))
}

/** What people call the symbologies, in every language. */
export const symbologyNames: Record<Symbology, string> = {
  'code-128': 'Code 128',
  'gs1-128': 'GS1-128',
  itf: 'ITF',
  'code-39': 'Code 39',
  'ean-upc': 'EAN/UPC',
  qr: 'QR Code',
  'data-matrix': 'Data Matrix',
  pdf417: 'PDF417',
  aztec: 'Aztec',
  maxicode: 'MaxiCode',
}

/** Which labels have their barcodes read before they are printed: `first` the first one of each kind. */
export const proveBarcodesSchema = z.enum(['always', 'first', 'never'])
export type ProveBarcodes = z.infer<typeof proveBarcodesSchema>

/**
 * What of a label would be lost in print. A new check adds its kind here and its words in both locales (`losses.kinds`), and
 * hands its findings to the `check` of the print context.
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
  /** The printer's queue or driver offers no stock of the label's size, so another one would be taken. */
  'stock-missing',
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
  /** Nothing else is shipped before the label was scanned, or skipped with a reason. */
  required: z.boolean().default(false),
  rules: z
    .array(z.strictObject({ carrierOptionId: z.int().min(0), match: scanRuleSchema }))
    .max(200)
    .default([]),
})
export type ScanBack = z.infer<typeof scanBackSchema>
