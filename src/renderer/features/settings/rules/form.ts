import { z } from 'zod'
import { readNumber } from '../../../../shared/fields'
import { type OrderRule, orderRuleSchema } from '../../../../shared/orders'
import { decodeWith, omitUndefined, type TabForm, withKey } from '../form'

const textsSchema = z.object({
  name: z.string(),
  /** Country codes, separated by spaces, commas or semicolons. */
  countries: z.string(),
  /** Ranges like «1000..1999», separated by commas. */
  postalCodes: z.string(),
  minWeight: z.string(),
  maxWeight: z.string(),
  minValue: z.string(),
  maxValue: z.string(),
  /** Codes, separated by commas or semicolons. A code that contains one is in quotes, as in CSV. */
  skus: z.string(),
  columnName: z.string(),
  columnMatch: z.enum(['is', 'contains']),
  columnText: z.string(),
  /** Empty for none. */
  carrierOptionId: z.string(),
  numberOfPackages: z.string(),
  weight: z.string(),
  content: z.string(),
  signatureRequired: z.enum(['', 'yes', 'no']),
  /** Empty for the printer of the routing. */
  printer: z.string(),
  invoiceTerms: z.string(),
  invoiceCurrency: z.string(),
  invoiceReason: z.string(),
})
type RuleTexts = z.infer<typeof textsSchema>
export type RuleRow = RuleTexts & { key: string }

const ruleCodec = z.codec(textsSchema, orderRuleSchema, { decode: toRule, encode: toTexts })
const rulesSchema = z.object({ orderRules: z.array(ruleCodec) })

/** The rules tab; an empty condition always matches. */
export const rulesForm: TabForm<{ orderRules: RuleRow[] }> = {
  toValues: ({ orderRules }) => ({ orderRules: orderRules.map((rule) => withKey(toTexts(rule))) }),
  read: (values) => decodeWith(rulesSchema, values, toField),
}

export function newRule(): RuleRow {
  return withKey(toTexts({ name: '', when: {}, set: {} }))
}

function toRule(texts: RuleTexts): z.input<typeof orderRuleSchema> {
  const { name, signatureRequired, columnName, columnMatch, columnText } = texts
  const hasColumn = columnName.trim() !== '' || columnText.trim() !== ''
  return {
    name,
    when: omitUndefined({
      countries: toList(texts.countries.toUpperCase(), /[\s,;]+/),
      postalCodes: toList(texts.postalCodes, /[,;\n]+/)?.map(toPostalCodes),
      weight: toRange(texts.minWeight, texts.maxWeight),
      value: toRange(texts.minValue, texts.maxValue),
      skus: toCodes(texts.skus),
      column: hasColumn ? { name: columnName, match: columnMatch, text: columnText } : undefined,
    }),
    set: omitUndefined({
      carrierOptionId: toNumber(texts.carrierOptionId),
      numberOfPackages: toNumber(texts.numberOfPackages),
      weight: toNumber(texts.weight),
      content: toText(texts.content),
      signatureRequired: signatureRequired === '' ? undefined : signatureRequired === 'yes',
      printer: toText(texts.printer),
      invoiceTerms: toText(texts.invoiceTerms),
      invoiceCurrency: toText(texts.invoiceCurrency),
      invoiceReason: toText(texts.invoiceReason),
    }),
  }
}

function toTexts({ name, when, set }: OrderRule): RuleTexts {
  const text = (value: number | undefined) => (value === undefined ? '' : String(value))
  return {
    name,
    countries: (when.countries ?? []).join(', '),
    postalCodes: (when.postalCodes ?? []).map(fromPostalCodes).join(', '),
    minWeight: text(when.weight?.min),
    maxWeight: text(when.weight?.max),
    minValue: text(when.value?.min),
    maxValue: text(when.value?.max),
    skus: (when.skus ?? []).map(fromCode).join(', '),
    columnName: when.column?.name ?? '',
    columnMatch: when.column?.match ?? 'is',
    columnText: when.column?.text ?? '',
    carrierOptionId: text(set.carrierOptionId),
    numberOfPackages: text(set.numberOfPackages),
    weight: text(set.weight),
    content: set.content ?? '',
    signatureRequired: set.signatureRequired === undefined ? '' : set.signatureRequired ? 'yes' : 'no',
    printer: set.printer ?? '',
    invoiceTerms: set.invoiceTerms ?? '',
    invoiceCurrency: set.invoiceCurrency ?? '',
    invoiceReason: set.invoiceReason ?? '',
  }
}

function toText(typed: string): string | undefined {
  return typed.trim() === '' ? undefined : typed
}

function toNumber(typed: string): number | undefined {
  return typed.trim() === '' ? undefined : readNumber(typed)
}

function toRange(min: string, max: string) {
  if (min.trim() === '' && max.trim() === '') return undefined
  return omitUndefined({ min: toNumber(min), max: toNumber(max) })
}

function toList(typed: string, separator: RegExp): string[] | undefined {
  const parts = typed.split(separator).flatMap((part) => part.trim() || [])
  return parts.length === 0 ? undefined : parts
}

/** Quotes are doubled within quotes. A quote within a code without separators stands for itself. */
function toCodes(typed: string): string[] | undefined {
  const codes = typed.matchAll(/\s*(?:"((?:[^"]|"")*)"\s*(?=[,;\n]|$)|([^,;\n]+))/g)
  const parts = [...codes].flatMap(
    ([, quoted, bare = '']) => (quoted?.replaceAll('""', '"') ?? bare).trim() || [],
  )
  return parts.length === 0 ? undefined : parts
}

function fromCode(code: string): string {
  return /^"|[,;\n]/.test(code) ? `"${code.replaceAll('"', '""')}"` : code
}

const hyphen = /[-–]/

/** «1000..1999», «1000-1999», or one code. Codes that contain a hyphen need the two dots. */
function toPostalCodes(text: string): { from: string; to: string } {
  const [from = '', to = from] = text.split(text.includes('..') ? '..' : hyphen)
  return { from: from.trim(), to: to.trim() }
}

function fromPostalCodes({ from, to }: { from: string; to: string }): string {
  return from === to && !hyphen.test(from) ? from : `${from}..${to}`
}

/** The form field for a path of the contract. */
function toField(path: string): string {
  return path
    .replace(/\.when\.(countries|postalCodes|skus)(\.\d+.*)?$/, '.$1')
    .replace(/\.when\.weight(\.min)?$/, '.minWeight')
    .replace(/\.when\.weight\.max$/, '.maxWeight')
    .replace(/\.when\.value(\.min)?$/, '.minValue')
    .replace(/\.when\.value\.max$/, '.maxValue')
    .replace(/\.when\.column\.name$/, '.columnName')
    .replace(/\.when\.column\.text$/, '.columnText')
    .replace(/\.set\.(\w+)$/, '.$1')
}
