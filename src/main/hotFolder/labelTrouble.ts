import type { PrintJob } from '../../shared/printing'
import type { LabelProblem, ShipmentDetails } from '../../shared/shipments'
import type { ResultError } from './ports'

const inHistory = 'Fetch it in History.'
const atCarrier = 'Ask the carrier for it; what came is kept.'

const words: Record<LabelProblem, { code: string; says: string; whatToDo: string }> = {
  'not-fetched': { code: 'label-not-fetched', says: 'could not be fetched', whatToDo: inHistory },
  'not-stored': {
    code: 'label-not-fetched',
    says: 'could not be written to the disk',
    whatToDo: `Make room. ${inHistory}`,
  },
  empty: { code: 'label-unreadable', says: 'came without content', whatToDo: atCarrier },
  undecodable: { code: 'label-unreadable', says: 'could not be decoded', whatToDo: atCarrier },
  'not-a-pdf': { code: 'label-unreadable', says: 'is no PDF', whatToDo: atCarrier },
  'type-unknown': {
    code: 'label-type-unknown',
    says: 'is of a kind that Packbench can not print',
    whatToDo: atCarrier,
  },
  'too-few': { code: 'label-missing', says: 'did not come with the answer', whatToDo: atCarrier },
  'too-many': {
    code: 'label-unreadable',
    says: 'and those after it were not unpacked: the answer holds more labels than a shipment can have',
    whatToDo: 'Nothing was printed: print the right ones from History; the whole answer is kept.',
  },
}

/**
 * Says why labels of a created shipment did not even become print jobs.
 * @param jobs the print jobs, all ended
 * @param print whether labels were to be printed
 * @returns null when nothing is wrong with them
 */
export function labelTrouble(
  { reference, labels }: ShipmentDetails,
  jobs: readonly PrintJob[],
  print: boolean,
): ResultError | null {
  // What was fixed while other labels were printed has a job by now.
  const left = labels.filter((label) => !jobs.some((job) => job.labelId === label.id))
  for (const { problem, position } of left) {
    if (problem !== null) return problemTrouble(reference, problem, position, labels.length)
  }
  if (!print || left.length === 0) return null
  return {
    code: 'no-printer',
    message: `${reference} was created and no printer takes its label. Name one for its carrier option in Settings, then print it from History.`,
  }
}

function problemTrouble(
  reference: string,
  problem: LabelProblem,
  position: number,
  count: number,
): ResultError {
  const { code, says, whatToDo } = words[problem]
  const which = count === 1 ? 'its label' : `label ${position} of ${count}`
  return { code, message: `${reference} was created and ${which} ${says}. ${whatToDo}` }
}
