import type { customsMethods } from '../../shared/customs'
import { appError } from '../../shared/errors'
import { err, ok } from '../../shared/result'
import type { HandlerDeps } from './handlerParts'
import type { Handlers } from './registrar'
import { whileWorking } from './whileWorking'

/** The handlers for customs data. */
export function customsHandlers(deps: HandlerDeps): Pick<Handlers, keyof typeof customsMethods> {
  return { ...catalogueHandlers(deps), ...invoiceHandlers(deps) }
}

function catalogueHandlers(deps: HandlerDeps) {
  const on = whileWorking(deps)
  return {
    searchProducts: ({ text, limit, offset }) =>
      on(async ({ consignments }) => ok(await consignments.customs.searchProducts(text, limit, offset))),
    findProduct: ({ code }) =>
      on(async ({ consignments }) => ok((await consignments.customs.findProduct(code)) ?? null)),
    saveProduct: (product) =>
      on(async ({ consignments }) => {
        await consignments.customs.putProducts([product])
        return ok(product)
      }),
    removeProduct: ({ code }) =>
      on(async ({ consignments }) => {
        await consignments.customs.removeProduct(code)
        return ok(undefined)
      }),
    importProducts: ({ fileName, bytes }) =>
      on(({ consignments }) => consignments.catalogue.importFile(fileName, bytes)),
    saveCatalogue: ({ kind }) =>
      on(async ({ consignments }) =>
        deps.saveFile(`products.${kind}`, await consignments.catalogue.toFile(kind)),
      ),
    listSenderProfiles: () =>
      on(async ({ consignments }) => ok(await consignments.customs.listSenderProfiles())),
    saveSenderProfile: (profile) =>
      on(async ({ consignments }) => {
        await consignments.customs.saveSenderProfile(profile)
        return ok(profile)
      }),
    removeSenderProfile: ({ id }) =>
      on(async ({ consignments }) => {
        await consignments.customs.removeSenderProfile(id)
        return ok(undefined)
      }),
  } satisfies Partial<Handlers>
}

const digitsOfInvoiceNumbers = 5

function invoiceHandlers(deps: HandlerDeps) {
  const on = whileWorking(deps)
  return {
    suggestInvoiceNumber: () =>
      on(async ({ consignments, settings }) => {
        const { invoicePrefix } = settings.current().customs
        const next = (await consignments.customs.getLastInvoiceNumber(invoicePrefix)) + 1
        return ok(`${invoicePrefix}${String(next).padStart(digitsOfInvoiceNumbers, '0')}`)
      }),
    previewInvoice: ({ shipmentId, language }) =>
      on(async (features) => {
        const made = await features.invoices.make(shipmentId, language)
        if (!made.ok) return made
        const drawn = await deps.rasterizer.renderGrey(made.value.pdf, invoicePreviewDotsPerMm)
        if (!drawn.ok) return drawn
        const [first] = drawn.value
        if (first === undefined) return err(notThere())
        const { width, height, pixels } = first
        const { unprintable } = made.value
        return ok({ pages: drawn.value.length, width, height, pixels: pixels.buffer, unprintable })
      }),
    printInvoice: ({ shipmentId, language }) =>
      on(async ({ printing }) => {
        const job = await printing.printInvoice(shipmentId, language)
        return job.ok ? ok(job.value.printerName) : job
      }),
    saveInvoice: ({ shipmentId, language }) =>
      on(async (features) => {
        const made = await features.invoices.make(shipmentId, language)
        return made.ok ? deps.saveFile(made.value.fileName, made.value.pdf) : made
      }),
  } satisfies Partial<Handlers>
}

const invoicePreviewDotsPerMm = 5

function notThere() {
  return appError('shipment-not-found')
}
