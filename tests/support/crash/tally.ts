import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { createPrintJobRepository } from '../../../src/main/printing/queue/repository'
import { ShipmentRepository } from '../../../src/main/shipments/repository'
import { createShipmentFiles } from '../../../src/main/shipments/shipmentFiles'
import type { OpenDatabase } from '../../../src/main/storage/database'
import type { PrintJob } from '../../../src/shared/printing'
import type { ShipmentDetails } from '../../../src/shared/shipments'
import type { Simulator } from '../../../src/simulator/simulator'
import { scanDots } from '../printing/scanner'

/** The data compared after all kills: of the station, of the service, and of the printers. */
export interface Evidence {
  data: string
  exchange: string
  database: OpenDatabase
  simulator: Pick<Simulator, 'ledger' | 'getLabel'>
  references: readonly string[]
  /** Jobs that a network printer has printed; undefined for a folder. */
  printed: readonly string[] | undefined
  /** Ids of shipments whose answer the app had stored. */
  kept: ReadonlySet<string>
  /** The maximum number of creations that kills can have interrupted. */
  maxCutOff: number
}

/** Counts by subject. */
export type Tally = Record<
  | 'orders'
  | 'requests'
  | 'secondRequests'
  | 'created'
  | 'unknown'
  | 'lostLabels'
  | 'handedOver'
  | 'falselyHandedOver'
  | 'unconfirmed'
  | 'physicalLabels'
  | 'printedTwice'
  | 'inLimbo',
  number
>

const resultSchema = z.object({
  results: z.array(
    z.object({ reference: z.string(), outcome: z.string(), jobs: z.array(z.object({ state: z.string() })) }),
  ),
})

/** Compares all data. Returns one sentence per violation of the promises. */
export async function tallyCrashes(evidence: Evidence): Promise<{ tally: Tally; violations: string[] }> {
  const { data, exchange, database, simulator, references, kept, maxCutOff } = evidence
  const shipmentRepository = new ShipmentRepository(database)
  const jobs = createPrintJobRepository(database, () => new Date())
  const files = createShipmentFiles(join(data, 'labels'))
  const violations: string[] = []
  const physical = await countPhysical(evidence, violations)
  const tally: Tally = {
    ...{ orders: references.length, requests: 0, secondRequests: 0, created: 0, unknown: 0, lostLabels: 0 },
    ...{ handedOver: 0, falselyHandedOver: 0, unconfirmed: 0, printedTwice: 0, inLimbo: 0 },
    physicalLabels: [...physical.values()].reduce((sum, count) => sum + count, 0),
  }
  const violate = (count: keyof Tally | undefined, sentence: string) => {
    if (count !== undefined) tally[count] += 1
    violations.push(sentence)
  }

  async function checkLabels({ id, reference }: { id: string; reference: string }): Promise<void> {
    const made = simulator.ledger.listByReference(reference).flatMap(({ barcodes }) => barcodes)
    const labels = await shipmentRepository.listLabels(id)
    for (const barcode of made) {
      const label = labels.find((each) => each.barcode === barcode)
      const { file = null, sha256 = null } = label ?? {}
      const read = file === null || sha256 === null ? undefined : await files.read(file, sha256)
      const own = simulator.getLabel(barcode)
      if (read?.ok !== true || own === undefined || !read.value.equals(own))
        violate('lostLabels', `${reference}: the label ${barcode} is not on the disk`)
    }
    const ownJobs = await jobs.listByShipment(id)
    if (ownJobs.length !== made.length)
      violate('lostLabels', `${reference}: ${ownJobs.length} print jobs for ${made.length} labels`)
    for (const job of ownJobs) checkJob(job)
  }

  function checkJob({ reference, barcode, state }: PrintJob): void {
    const count = physical.get(barcode) ?? 0
    if (state === 'done' || state === 'handed-over') {
      tally.handedOver += 1
      if (count === 0) violate('falselyHandedOver', `${reference}: ${state}, and no printer has ${barcode}`)
    } else if (state === 'unconfirmed') tally.unconfirmed += 1
    else violate('inLimbo', `${reference}: its print job is ${state}`)
  }

  for (const { id, reference, state } of await shipmentRepository.listInStates(['intended', 'sent']))
    violate('inLimbo', `${reference}: ${id} is ${state} at the end`)
  for (const reference of references) {
    const requests = simulator.ledger.listByReference(reference).length
    tally.requests += requests
    if (requests > 1) violate('secondRequests', `${reference}: ${requests} requests`)
    const [shipment, ...others] = await shipmentRepository.listEarlier(reference)
    if (shipment === undefined) {
      violate('inLimbo', `${reference}: the station knows nothing of it after ${requests} requests`)
      continue
    }
    if (others.length > 0) violate('inLimbo', `${reference}: ${others.length + 1} shipments`)
    if (shipment.state === 'created') {
      tally.created += 1
      await checkLabels({ id: shipment.id, reference })
    } else {
      tally.unknown += 1
      if (kept.has(shipment.id)) violate('lostLabels', `${reference}: its answer was kept, and it is unknown`)
    }
    await checkResults(reference, shipment.state)
  }

  async function checkResults(reference: string, state: ShipmentDetails['state']): Promise<void> {
    for (const name of [reference, `${reference}-again`]) {
      const found = await readResult(exchange, name)
      if (found === undefined) continue
      const ends = found.results.map(({ outcome }) => outcome)
      const isRight =
        ends.length === 1 && (ends[0] === state || (state === 'created' && ends[0] === 'duplicate'))
      if (!isRight) violate('inLimbo', `${name}: the result says ${ends.join(', ')}, the journal ${state}`)
    }
  }

  for (const place of ['in', 'work']) {
    for (const name of await readdir(join(exchange, place)).catch(() => []))
      violate('inLimbo', `${name} lies in ${place}/`)
  }
  for (const [barcode, count] of physical)
    if (count > 1) violate('printedTwice', `${barcode} came out ${count} times`)
  if (tally.unknown > maxCutOff)
    violate(undefined, `${tally.unknown} unknown outcomes of ${maxCutOff} cut off`)
  if (tally.unconfirmed > maxCutOff)
    violate(undefined, `${tally.unconfirmed} unconfirmed of ${maxCutOff} cut off`)
  return { tally, violations }
}

async function readResult(exchange: string, name: string): Promise<z.infer<typeof resultSchema> | undefined> {
  for (const place of ['done', 'failed']) {
    const text = await readFile(join(exchange, place, `${name}.result.json`), 'utf8').catch(() => undefined)
    if (text !== undefined) return resultSchema.parse(JSON.parse(text))
  }
  return undefined
}

/** How often each label was printed, by barcode. */
async function countPhysical(
  { data, simulator, printed }: Evidence,
  violations: string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const known = simulator.ledger.entries.flatMap(({ barcodes }) => barcodes)
  const count = (barcode: string | undefined, what: string) => {
    if (barcode === undefined) violations.push(`a label came out that is nobody's: ${what}`)
    else counts.set(barcode, (counts.get(barcode) ?? 0) + 1)
  }
  if (printed !== undefined) {
    for (const job of printed) {
      const texts = (await scanDots(Buffer.from(job, 'latin1'))).flat()
      count(
        known.find((barcode) => texts.includes(barcode)),
        texts.join(', '),
      )
    }
    return counts
  }
  for (const name of await readdir(join(data, 'out')).catch(() => [])) {
    const bytes = await readFile(join(data, 'out', name))
    const barcode = known.find((each) => name.includes(each))
    const own = barcode === undefined ? undefined : simulator.getLabel(barcode)
    if (own === undefined || !bytes.equals(own))
      violations.push(`the file ${name} is not the label that it says`)
    count(barcode, name)
  }
  return counts
}
