import type { Fault } from './fault'

const MAGIC: ReadonlyArray<readonly [prefix: string, fault: Fault]> = [
  ['REFUSE', { kind: 'refused', message: 'The address was not accepted by the carrier (demo)' }],
  ['LOST', { kind: 'resetAfterReading' }],
  ['SLOW', { kind: 'slow', ms: 4000 }],
  ['NOLABEL', { kind: 'emptyLabels' }],
  ['ZPL', { kind: 'zplLabel' }],
]

/**
 * Lets a person at the demo see errors by typing a reference that begins with one of these words:
 * - `REFUSE`: the service refuses the shipment
 * - `LOST`: the shipment is created, but the connection breaks before the answer
 * - `SLOW`: the answer takes four seconds
 * - `NOLABEL`: the shipment is created, but there is no label in the answer
 * - `ZPL`: the label comes as ZPL instead of PDF
 */
export function magicFault(reference: string): Fault | undefined {
  return MAGIC.find(([prefix]) => reference.startsWith(prefix))?.[1]
}
