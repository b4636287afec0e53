import type { SystemPrinter } from '../../../shared/printing'
import { createCupsDriver } from '../cups/cups'
import type { Rasterizer } from '../raster/rasterizer'
import type { PrinterDriver, PrinterDrivers } from './driver'
import { createFolderDriver } from './folder'
import { createSocketDriver } from './socket'
import { createWindowsDriver } from './windows'
import { loadWindowsPrinting } from './windowsPrinting'

/** What the drivers of a station need. */
export interface PrinterDriversDeps {
  platform: NodeJS.Platform
  /** Absolute; relative folders of folder printers lie in it. */
  dataFolder: string
  /** SumatraPDF's program file outside of the app's archive; used on Windows only. */
  sumatraPdfPath: string
  rasterizer: Rasterizer
}

/** The drivers for the system that the app runs on. */
export function createPrinterDrivers(deps: PrinterDriversDeps): PrinterDrivers {
  return {
    folder: createFolderDriver(deps.dataFolder, deps.rasterizer),
    system: systemDriver(deps),
    socket: createSocketDriver(deps.rasterizer),
  }
}

function systemDriver({
  platform,
  sumatraPdfPath,
  rasterizer,
}: PrinterDriversDeps): PrinterDriver<SystemPrinter> {
  if (platform === 'win32') {
    return createWindowsDriver({ load: loadWindowsPrinting, sumatraPdfPath, rasterizer })
  }
  return createCupsDriver(rasterizer)
}
