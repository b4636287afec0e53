import { asRecord } from './lenientJson'

const maxElements = 200
const maxFields = 60
const deepest = 6

/**
 * Turns elements of `flightTracking` into names and texts for a person to read. The specification shows no shape, so
 * any is taken: nested names are joined by dots, a bare value stands under an empty name.
 */
export function flightElements(value: unknown): Record<string, string>[] {
  const elements: unknown[] = Array.isArray(value) ? value : Object.values(asRecord(value) ?? {})
  return elements
    .slice(0, maxElements)
    .map((element) => Object.fromEntries(leaves(element, '', 0).slice(0, maxFields)))
    .filter((fields) => Object.keys(fields).length > 0)
}

function leaves(value: unknown, name: string, depth: number): [string, string][] {
  if (value === null || value === undefined || value === '') return []
  if (typeof value !== 'object') return [[name, String(value)]]
  if (depth === deepest) return [[name, '…']]
  return Object.entries(value).flatMap(([key, inner]) =>
    leaves(inner, name === '' ? key : `${name}.${key}`, depth + 1),
  )
}
