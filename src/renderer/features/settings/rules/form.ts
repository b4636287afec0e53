import { z } from 'zod'
import { type OrderRule, orderRuleSchema } from '../../../../shared/orders'
import { err, ok } from '../../../../shared/result'
import { readNumber } from '../../../ui/fieldValues'
import { decodeWith, type TabForm, withKey } from '../form'

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
  read(values) {
    const read = decodeWith(rulesSchema, values)
    if (read.ok) return ok({ orderRules: read.value.orderRules })
    return err(Object.fromEntries(Object.entries(read.error).map(([path, issue]) => [toField(path), issue])))
  },
}

export function newRule(): RuleRow {
  return withKey(toTexts({ name: '', when: {}, set: {} }))
}

function toRule(texts: RuleTexts): z.input<typeof orderRuleSchema> {
  const { name, minWeight, maxWeight, minValue, maxValue, columnName, columnMatch, columnText } = texts
  const countries = toList(texts.countries.toUpperCase(), /[\s,;]+/)
  const skus = toList(texts.skus, /[,;\n]+/)
  const postalCodes = toList(texts.postalCodes, /[,;\n]+/).map(toPostalCodes)
  const weight = toRange(minWeight, maxWeight)
  const value = toRange(minValue, maxValue)
  const hasColumn = columnName.trim() !== '' || columnText.trim() !== ''
  return {
    name,
    when: {
      ...(countries.length > 0 && { countries }),
      ...(postalCodes.length > 0 && { postalCodes }),
      ...(weight !== undefined && { weight }),
      ...(value !== undefined && { value }),
      ...(skus.length > 0 && { skus }),
      ...(hasColumn && { column: { name: columnName, match: columnMatch, text: columnText } }),
    },
    set: {
      ...toNumberField('carrierOptionId', texts.carrierOptionId),
      ...toNumberField('numberOfPackages', texts.numberOfPackages),
      ...toNumberField('weight', texts.weight),
      ...(texts.content.trim() !== '' && { content: texts.content }),
      ...(texts.signatureRequired !== '' && { signatureRequired: texts.signatureRequired === 'yes' }),
      ...toTextField('printer', texts.printer),
      ...toTextField('invoiceTerms', texts.invoiceTerms),
      ...toTextField('invoiceCurrency', texts.invoiceCurrency),
      ...toTextField('invoiceReason', texts.invoiceReason),
    },
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
    skus: (when.skus ?? []).join(', '),
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

function toList(text: string, separator: RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
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

function toRange(min: string, max: string): { min?: number; max?: number } | undefined {
  if (min.trim() === '' && max.trim() === '') return undefined
  return {
    ...(min.trim() !== '' && { min: readNumber(min) }),
    ...(max.trim() !== '' && { max: readNumber(max) }),
  }
}

function toTextField<Name extends string>(name: Name, text: string): { [Key in Name]?: string } {
  const field: { [Key in Name]?: string } = {}
  return text.trim() === '' ? field : { ...field, [name]: text }
}

function toNumberField<Name extends string>(name: Name, text: string): { [Key in Name]?: number } {
  const field: { [Key in Name]?: number } = {}
  return text.trim() === '' ? field : { ...field, [name]: readNumber(text) }
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
