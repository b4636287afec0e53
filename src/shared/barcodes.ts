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
