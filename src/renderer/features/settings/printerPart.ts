import { useStore } from 'zustand'
import { useStores } from '../../app/storesContext'
import { useFaultText } from '../../ui/useFaultText'
import type { PrinterRow } from './printersForm'

export interface PrinterPartProps {
  printer: PrinterRow
  /** Changes some of the printer's fields. */
  set: (change: Partial<PrinterRow>) => void
  /** What is wrong with a field of the printer. */
  fault: (path: string, label: string) => string | undefined
  /** Whether anything is wrong in one of these parts of the printer. */
  isFaulty: (parts: readonly string[]) => boolean
}

/** What the parts of one printer's card need to show and change it. */
export function usePrinterPart(printer: PrinterRow, index: number): PrinterPartProps {
  const { tabs } = useStores()
  const edit = useStore(tabs.printers, (state) => state.edit)
  const faults = useStore(tabs.printers, (state) => state.faults)
  const faultText = useFaultText()
  return {
    printer,
    set: (change) =>
      edit((values) => ({
        ...values,
        printers: values.printers.map((each) => (each.id === printer.id ? { ...each, ...change } : each)),
      })),
    fault: (path, label) => faultText(faults[`printers.${index}.${path}`], label),
    isFaulty: (parts) =>
      parts.some((name) => {
        const path = `printers.${index}.${name}`
        return Object.keys(faults).some((each) => each === path || each.startsWith(`${path}.`))
      }),
  }
}
