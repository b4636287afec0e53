import { type LabelledShipment, type LabelState, labelStateOf } from '../../shared/labelState'
import type { PrinterStatus } from '../../shared/printing'
import { useStatus } from '../bridge'

const none: readonly PrinterStatus[] = []

/** Where the label of a shipment is now, by its jobs and by what is known of the printers. */
export function useLabelState(shipment: LabelledShipment): LabelState {
  const printers = useStatus((status) => status.printers) ?? none
  return labelStateOf(shipment, printers)
}
