import type { Settings } from '../../shared/settings'
import type { Fault } from './faults'

/**
 * Checks what no single field shows: printer ids and carrier options occur once, and the routing names printers that
 * exist.
 */
export function crossFaults(settings: Pick<Settings, 'carriers' | 'printers' | 'routing'>): Fault[] {
  return [
    ...carrierFaults(settings.carriers),
    ...printerFaults(settings.printers),
    ...routingFaults(settings),
  ]
}

function carrierFaults(carriers: Settings['carriers']): Fault[] {
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

function printerFaults(printers: Settings['printers']): Fault[] {
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

function routingFaults({ printers, routing }: Pick<Settings, 'printers' | 'routing'>): Fault[] {
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
