import type { z } from 'zod'
import { arePrefixesAlike, toBareBadge } from '../../shared/scanner'
import { doFoldersMeet, type Settings, type SettingsChange } from '../../shared/settings'

/** One error in a file that a person wrote: where it is and how to fix it. */
export interface InputIssue {
  /** Key path such as `printers[0].port`; empty for the whole file. */
  path: string
  /** The rest of the sentence that begins with the path. */
  problem: string
}

type Issue = z.core.$ZodIssue

/** English texts for the message codes of the shared schemas. */
const codeWords: Record<string, string> = {
  required: 'must not be empty',
  host: 'must be a host such as labels.example or 192.0.2.10, without https:// and without a port',
  country: 'must be a real two-letter country code in capitals, such as NL',
  'control-character': 'must not contain line breaks, tabs or other control characters',
  'past-sheet-edge': 'is more than fit on the sheet with this stock, margin and gap: correct one of them',
  pin: 'must be 4 to 12 digits in quotes',
  'tls-off': 'can be off only if the host is this computer itself; set it to verify',
  'absolute-path': 'must be a full path on this computer, not on a share',
  certificates: 'must contain certificates in PEM: -----BEGIN CERTIFICATE----- …',
  'private-key': 'must not contain a private key: remove it, certificates are enough',
  'proxy-place': 'must be host:port, such as proxy.example:3128',
  'name-required': 'is missing: give a company name, a first name or a last name',
}

const typeWords: Record<string, string> = {
  string: 'text in quotes',
  number: 'a number without quotes',
  int: 'a whole number without quotes',
  boolean: 'true or false',
  object: 'an object in { }',
  record: 'an object in { }',
  array: 'a list in [ ]',
}

/** A path in dotted notation: `printers[0].port`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else text += text === '' ? String(part) : `.${String(part)}`
  }
  return text
}

/** The issue as one line. Never contains a value of the file, because that could be a password. */
export function issueLine(issue: InputIssue, whole = ''): string {
  return issue.path === '' ? `${whole}${issue.problem}` : `${issue.path}: ${issue.problem}`
}

/**
 * Converts schema errors to issues in plain English.
 * @param error of the schema
 * @param input the parsed value, to distinguish a missing value from a wrong one
 * @returns one issue per error, and one per unknown key
 */
export function listIssues(error: z.ZodError, input: unknown): InputIssue[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: pathText([...issue.path, key]),
        problem: 'is not known here; correct its name or remove it',
      }))
    }
    return [{ path: pathText(issue.path), problem: describeIssue(issue, getValueAt(input, issue.path)) }]
  })
}

/** The value at a path; undefined when the path does not exist. */
export function getValueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, part)
  }
  return value
}

function describeIssue(issue: Issue, value: unknown): string {
  const words = codeWords[issue.message]
  if (words !== undefined) return words
  if (value === undefined) return 'is missing; add it'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeWords[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return describeAllowedValues(issue.values)
    case 'invalid_union':
      return describeUnion(issue)
    case 'too_small':
      return describeLimit(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)
    case 'too_big':
      return describeLimit(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)
    default:
      return issue.message
  }
}

function describeLimit(origin: string, bound: string, limit: number | bigint): string {
  if (origin === 'string') return limit === 1 ? 'must not be empty' : `must have ${bound} ${limit} characters`
  if (origin === 'array') return `must have ${bound} ${limit} entries`
  return `must be ${bound} ${limit}`
}

function describeUnion(issue: z.core.$ZodIssueInvalidUnion): string {
  if ('options' in issue && Array.isArray(issue.options)) return describeAllowedValues(issue.options)
  const values = issue.errors
    .flat()
    .flatMap((inner) => (inner.code === 'invalid_value' && inner.path.length === 0 ? inner.values : []))
  return values.length > 0 ? describeAllowedValues(values) : issue.message
}

function describeAllowedValues(values: readonly unknown[]): string {
  const [only] = values
  if (values.length === 1) return `must be ${JSON.stringify(only)}`
  return `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
}

/**
 * Checks across fields: printer ids, carrier options, operators, badges and mapping names must be unique, and routing and hot
 * folder must refer to existing printers and mappings.
 */
export function findCrossIssues(
  settings: Pick<Settings, 'carriers' | 'printers' | 'routing' | 'people' | 'hotFolder' | 'importMappings'>,
): InputIssue[] {
  return [
    ...listCarrierIssues(settings.carriers),
    ...printerIssues(settings.printers),
    ...routingIssues(settings),
    ...operatorIssues(settings.people.operators),
    ...mappingIssues(settings),
  ]
}

/**
 * Checks that each scan has one meaning, and each dropped file one taker, once the settings are changed. Not applied to settings
 * in use, because a station must not fail to start for it.
 * @param change its parts are checked
 * @param changed the settings with the change
 */
export function findChangeIssues(
  change: SettingsChange,
  changed: Pick<Settings, 'scanner' | 'people' | 'hotFolder' | 'orderImport'>,
): InputIssue[] {
  const { scanner, people } = changed
  return [
    ...(change.scanner === undefined ? [] : listPrefixIssues(scanner)),
    ...(change.scanner === undefined && change.people === undefined ? [] : listBadgeIssues(people, scanner)),
    ...(change.hotFolder === undefined && change.orderImport === undefined ? [] : listFolderIssues(changed)),
  ]
}

function listFolderIssues(changed: Pick<Settings, 'hotFolder' | 'orderImport'>): InputIssue[] {
  if (!doFoldersMeet(changed)) return []
  const problem =
    'is the hot folder, or a folder inside one of them in which the other would take its files; choose another folder'
  return [{ path: 'orderImport.path', problem }]
}

/** Neither scan prefix may begin with the other: a badge would be read as a command. */
function listPrefixIssues(scanner: Settings['scanner']): InputIssue[] {
  if (!arePrefixesAlike(scanner)) return []
  const problem = `«${scanner.badgePrefix}» and the commandPrefix «${scanner.commandPrefix}» overlap, so that a scan of one could be taken for the other; choose prefixes of which neither begins with the other`
  return [{ path: 'scanner.badgePrefix', problem }]
}

/** No two badges may differ only by the badge prefix: either would sign in the same operator. */
function listBadgeIssues({ operators }: Settings['people'], scanner: Settings['scanner']): InputIssue[] {
  const repeated = findRepeated(operators, ({ badge }) =>
    badge === undefined ? undefined : toBareBadge(badge, scanner),
  )
  return repeated
    .filter(({ value, earlier }) => value.badge !== operators[earlier]?.badge)
    .map(({ index, earlier }) => ({
      path: `people.operators[${index}].badge`,
      problem: `differs from that of people.operators[${earlier}] only by the badgePrefix «${scanner.badgePrefix}»; give each operator their own`,
    }))
}

/**
 * Checks that the printer of invoices exists. Not applied to settings in use, because a printer may be removed while its
 * invoices are no longer needed.
 */
export function findDocumentPrinterIssues(
  { documentPrinter: id }: Settings['customs'],
  printers: Settings['printers'],
): InputIssue[] {
  if (id === null || printers.some((printer) => printer.id === id)) return []
  return [{ path: 'customs.documentPrinter', problem: describeUnknownPrinter(id) }]
}

function describeUnknownPrinter(id: string): string {
  return `names the printer «${id}», which is not among the printers; add that printer or name another`
}

/** Finds values whose key an earlier value has, with both indexes; values without a key are never equal. */
function findRepeated<Value>(
  values: readonly Value[],
  toKey: (value: Value) => string | undefined,
): { value: Value; index: number; earlier: number }[] {
  const keys = values.map(toKey)
  return values.flatMap((value, index) => {
    const key = keys[index]
    const earlier = key === undefined ? index : keys.indexOf(key)
    return earlier === index ? [] : [{ value, index, earlier }]
  })
}

function listCarrierIssues(carriers: Settings['carriers']): InputIssue[] {
  const repeated = findRepeated(
    carriers,
    ({ carrierId, carrierOptionId }) => `${carrierId}/${carrierOptionId}`,
  )
  return repeated.map(({ index, earlier }) => ({
    path: `carriers[${index}]`,
    problem: `has the same carrierId and carrierOptionId as carriers[${earlier}]; remove one of them`,
  }))
}

function printerIssues(printers: Settings['printers']): InputIssue[] {
  return findRepeated(printers, ({ id }) => id).map(({ value, index, earlier }) => ({
    path: `printers[${index}].id`,
    problem: `is the same as that of printers[${earlier}] («${value.id}»); give each printer its own id`,
  }))
}

function routingIssues({ printers, routing }: Pick<Settings, 'printers' | 'routing'>): InputIssue[] {
  const known = new Set(printers.map((printer) => printer.id))
  return routing.flatMap((rule, index) => {
    const named = [
      { key: 'printer', id: rule.printer },
      { key: 'standby', id: rule.standby },
    ]
    return named.flatMap(({ key, id }) =>
      id === undefined || known.has(id)
        ? []
        : [{ path: `routing[${index}].${key}`, problem: describeUnknownPrinter(id) }],
    )
  })
}

/** Names and badges must identify one operator, because shipments store the name. */
function operatorIssues(operators: Settings['people']['operators']): InputIssue[] {
  return (['name', 'badge'] as const).flatMap((field) => {
    const toKey = (operator: (typeof operators)[number]) =>
      field === 'name' ? operator.name.toLowerCase() : operator.badge
    return findRepeated(operators, toKey).map(({ index, earlier }) => ({
      path: `people.operators[${index}].${field}`,
      problem: `is the same as that of people.operators[${earlier}]; give each operator their own`,
    }))
  })
}

/** Mapping names must be unique, so that the hot folder's mapping is unambiguous. */
function mappingIssues({
  hotFolder,
  importMappings,
}: Pick<Settings, 'hotFolder' | 'importMappings'>): InputIssue[] {
  const names = importMappings.map(({ name }) => name)
  const twice = findRepeated(names, (name) => name).map(({ value, index, earlier }) => ({
    path: `importMappings[${index}].name`,
    problem: `is the same as that of importMappings[${earlier}] («${value}»); give each mapping its own name`,
  }))
  const wanted = hotFolder?.mapping
  if (wanted === undefined || names.includes(wanted)) return twice
  const problem = `names the mapping «${wanted}», which is not among importMappings; add that mapping or name another`
  return [...twice, { path: 'hotFolder.mapping', problem }]
}
