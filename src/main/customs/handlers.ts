import type { HandlersOf } from '../../shared/bridge'
import type { customsMethods } from '../../shared/customs'
import { appError } from '../../shared/errors'
import { issueDetails } from '../../shared/inputIssues'
import { err, ok } from '../../shared/result'
import type { Desktop } from '../lib/desktop'
import { toReason } from '../lib/toReason'
import type { PrintQueue } from '../printing/queue/printQueue'
import type { Rasterizer } from '../printing/raster/rasterizer'
import type { SettingsStore } from '../settings/settingsStore'
import type { readCatalogue, writeCatalogue } from './catalogue'
import type { Invoices } from './invoices'
import type { CustomsRepository } from './repository'

export interface CustomsHandlerDeps {
  customs: CustomsRepository
  tables: {
    /** Runs `readCatalogue` in a worker thread. */
    readCatalogue(bytes: ArrayBuffer): ReturnType<typeof readCatalogue>
    /** Runs `writeCatalogue` in a worker thread. Rejects when the file can't be made. */
    writeCatalogue: typeof writeCatalogue
  }
  invoices: Invoices
  printing: Pick<PrintQueue, 'printInvoice'>
  settings: Pick<SettingsStore, 'current'>
  rasterizer: Pick<Rasterizer, 'measure' | 'renderGrey'>
  desktop: Pick<Desktop, 'saveFile'>
}

const maxIssuesShown = 100
const digitsOfInvoiceNumbers = 5
const invoicePreviewDotsPerMm = 5

export function createCustomsHandlers(deps: CustomsHandlerDeps): HandlersOf<typeof customsMethods> {
  const { customs, invoices, printing, tables } = deps
  const { saveFile } = deps.desktop
  return {
    searchProducts: async ({ text, limit, offset }) => ok(await customs.searchProducts(text, limit, offset)),
    findProduct: async ({ code }) => ok((await customs.findProduct(code)) ?? null),
    removeProduct: async ({ code }) => {
      await customs.removeProduct(code)
      return ok(undefined)
    },
    importProducts: async ({ fileName, bytes }) => {
      const read = await tables.readCatalogue(bytes)
      if (!read.ok) {
        return err(appError('table-unreadable', { file: fileName, ...issueDetails(read.error) }))
      }
      const { products, issues, codeNumbers, missingColumns } = read.value
      const known = new Set(await customs.listProductCodes())
      const changed = products.filter((product) => known.has(product.code)).length
      await customs.putProducts(products, missingColumns)
      return ok({
        added: products.length - changed,
        changed,
        issues: issues.slice(0, maxIssuesShown),
        linesLeftOut: new Set(issues.map((issue) => issue.line)).size,
        codeNumbers,
        missingColumns,
      })
    },
    saveCatalogue: async ({ kind }) => {
      const { products } = await customs.searchProducts('', Number.MAX_SAFE_INTEGER, 0)
      const fileName = `products.${kind}`
      try {
        return saveFile(fileName, await tables.writeCatalogue(products, kind))
      } catch (error) {
        return err(appError('export-not-saved', { path: fileName, reason: toReason(error) }))
      }
    },
    listSenderProfiles: async () => ok(await customs.listSenderProfiles()),
    saveSenderProfile: async (profile) => {
      await customs.saveSenderProfile(profile)
      return ok(profile)
    },
    removeSenderProfile: async ({ id }) => {
      await customs.removeSenderProfile(id)
      return ok(undefined)
    },
    suggestInvoiceNumber: async () => {
      const { invoicePrefix } = deps.settings.current().customs
      const next = (await customs.getLastInvoiceNumber(invoicePrefix)) + 1
      return ok(`${invoicePrefix}${String(next).padStart(digitsOfInvoiceNumbers, '0')}`)
    },
    previewInvoice: async ({ shipmentId, language }) => {
      const made = await invoices.make(shipmentId, language)
      if (!made.ok) return made
      const { pdf, unprintable } = made.value
      const pages = await deps.rasterizer.measure(pdf)
      if (!pages.ok) return pages
      const drawn = await deps.rasterizer.renderGrey(pdf, invoicePreviewDotsPerMm, 0)
      if (!drawn.ok) return drawn
      const [first] = drawn.value
      if (first === undefined) return err(appError('shipment-not-found'))
      const { width, height, pixels } = first
      return ok({ pages: pages.value.length, width, height, pixels: pixels.buffer, unprintable })
    },
    printInvoice: async ({ shipmentId, language }) => {
      const job = await printing.printInvoice(shipmentId, language)
      return job.ok ? ok(job.value.printerName) : job
    },
    saveInvoice: async ({ shipmentId, language }) => {
      const made = await invoices.make(shipmentId, language)
      return made.ok ? saveFile(made.value.fileName, made.value.pdf) : made
    },
  }
}
