import type { ScanBack, ScanRule } from '../../../shared/labels'
import { readNumber } from '../../ui/fieldValues'
import type { TabFaults } from './tabStore'

/** A matching rule for one carrier option as typed; `prefix` and `signs` are used where the kind has them. */
export interface ScanRuleRow {
  /** Tells rows apart while they are edited. */
  key: string
  carrierOptionId: string
  kind: ScanRule['kind']
  prefix: string
  /** How many signs are compared, or how many must be the same. */
  signs: string
}

/** Scanning back as typed. */
export interface ScanBackValues {
  on: boolean
  rules: ScanRuleRow[]
}

/** The rows that settings are edited in. */
export function scanBackRows({ on, rules }: ScanBack): ScanBackValues {
  return {
    on,
    rules: rules.map(({ carrierOptionId, match }, index) => ({
      ...newScanRule(`${index}:${carrierOptionId}`, String(carrierOptionId)),
      kind: match.kind,
      ...(match.kind === 'prefix' ? { prefix: match.prefix } : {}),
      ...(match.kind === 'length' ? { signs: String(match.length) } : {}),
      ...(match.kind === 'part' ? { signs: String(match.least) } : {}),
    })),
  }
}

/** A row for a carrier option, before anything was typed. */
export function newScanRule(key: string, carrierOptionId: string): ScanRuleRow {
  return { key, carrierOptionId, kind: 'prefix', prefix: '', signs: '8' }
}

/** What the rows say, for the schema to judge. */
export function scanBackOf({ on, rules }: ScanBackValues): Record<string, unknown> {
  return {
    on,
    rules: rules.map((row) => ({ carrierOptionId: readNumber(row.carrierOptionId), match: matchOf(row) })),
  }
}

function matchOf({ kind, prefix, signs }: ScanRuleRow): Record<string, unknown> {
  switch (kind) {
    case 'prefix':
      return { kind, prefix }
    case 'length':
      return { kind, length: readNumber(signs) }
    case 'part':
      return { kind, least: readNumber(signs) }
  }
}

/** Rows for a carrier option that an earlier row has a rule for: only the first would ever count. */
export function repeatedScanRules({ rules }: ScanBackValues): TabFaults {
  const faults: TabFaults = {}
  const seen = new Set<string>()
  rules.forEach(({ carrierOptionId }, index) => {
    if (seen.has(carrierOptionId)) faults[`scanBack.rules.${index}.carrierOptionId`] = { code: 'invalid' }
    seen.add(carrierOptionId)
  })
  return faults
}
