import { arePrefixesAlike } from '../../shared/scanner'
import type { Settings } from '../../shared/settings'
import type { InputIssue } from './issues'

/**
 * Checks what no single field shows: printer ids, carrier options, operators, badges and names of mappings occur once,
 * and the routing and the hot folder name what exists.
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
    ...sharingIssues(settings),
  ]
}

/**
 * Checks that a scan can be told: with one prefix beginning with the other, a badge would be read as a command. Not asked
 * of settings that are in use already, since a station must not fail to start for it.
 */
export function findPrefixIssues({ scanner }: Pick<Settings, 'scanner'>): InputIssue[] {
  if (!arePrefixesAlike(scanner)) return []
  const problem = `«${scanner.badgePrefix}» and the commandPrefix «${scanner.commandPrefix}» begin alike, so that a scan of one would be taken for the other; choose prefixes of which neither begins with the other`
  return [{ path: 'scanner.badgePrefix', problem }]
}

function listCarrierIssues(carriers: Settings['carriers']): InputIssue[] {
  const first = new Map<string, number>()
  return carriers.flatMap(({ carrierId, carrierOptionId }, index) => {
    const key = `${carrierId}/${carrierOptionId}`
    const earlier = first.get(key)
    if (earlier === undefined) {
      first.set(key, index)
      return []
    }
    return [
      {
        path: `carriers[${index}]`,
        problem: `has the same carrierId and carrierOptionId as carriers[${earlier}]; remove one of them`,
      },
    ]
  })
}

function printerIssues(printers: Settings['printers']): InputIssue[] {
  const first = new Map<string, number>()
  return printers.flatMap(({ id }, index) => {
    const earlier = first.get(id)
    if (earlier === undefined) {
      first.set(id, index)
      return []
    }
    return [
      {
        path: `printers[${index}].id`,
        problem: `is the same as that of printers[${earlier}] («${id}»); give each printer its own id`,
      },
    ]
  })
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
        : [
            {
              path: `routing[${index}].${key}`,
              problem: `names the printer «${id}», which is not among the printers; add that printer or name another`,
            },
          ],
    )
  })
}

/** Whose badge it is, and whose name stands on a shipment, must be certain. */
function operatorIssues(operators: Settings['people']['operators']): InputIssue[] {
  return (['name', 'badge'] as const).flatMap((field) => {
    const first = new Map<string, number>()
    return operators.flatMap(({ [field]: text }, index) => {
      if (text === undefined) return []
      const key = field === 'name' ? text.toLowerCase() : text
      const earlier = first.get(key)
      if (earlier === undefined) {
        first.set(key, index)
        return []
      }
      const problem = `is the same as that of people.operators[${earlier}]; give each operator their own`
      return [{ path: `people.operators[${index}].${field}`, problem }]
    })
  })
}

/** What waits in the list waits at one station: whoever took its file would be the only one to see it. */
function sharingIssues({ hotFolder }: Pick<Settings, 'hotFolder'>): InputIssue[] {
  if (hotFolder?.shared !== true || hotFolder.mode !== 'hold') return []
  const problem = 'is not possible where orders wait in To ship (mode «hold»); leave one of the two out'
  return [{ path: 'hotFolder.shared', problem }]
}

/** A file of the hot folder must be read one way only. */
function mappingIssues({
  hotFolder,
  importMappings,
}: Pick<Settings, 'hotFolder' | 'importMappings'>): InputIssue[] {
  const names = importMappings.map(({ name }) => name)
  const twice = names.flatMap((name, index): InputIssue[] => {
    const earlier = names.indexOf(name)
    if (earlier === index) return []
    const problem = `is the same as that of importMappings[${earlier}] («${name}»); give each mapping its own name`
    return [{ path: `importMappings[${index}].name`, problem }]
  })
  const wanted = hotFolder?.mapping
  if (wanted === undefined || names.includes(wanted)) return twice
  const problem = `names the mapping «${wanted}», which is not among importMappings; add that mapping or name another`
  return [...twice, { path: 'hotFolder.mapping', problem }]
}
