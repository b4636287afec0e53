import { storeHook } from '../../ui/storeHook'
import { useCustoms } from '../ship/stores'
import { createSendersStore } from './customs/sendersStore'
import { createPrinterToolsStore } from './printers/printerToolsStore'

/** The sender profiles that are being edited. */
export const useSenders = storeHook((client) =>
  createSendersStore(window.packbench, useCustoms.of(client), () => crypto.randomUUID()),
)

/** What came of trying printers. */
export const usePrinterTools = storeHook(() => createPrinterToolsStore(window.packbench))
