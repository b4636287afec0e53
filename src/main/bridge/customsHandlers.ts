import type { customsMethods } from '../../shared/customsBridge'
import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { InvoicedShipment } from '../customs/invoices'
import type { Features } from '../station/features'
import type { HandlerParts } from './handlerParts'
import type { Handlers } from './registrar'
import { whileWorking } from './whileWorking'

/** The handlers for customs data. */
export function customsHandlers(parts: HandlerParts): Pick<Handlers, keyof typeof customsMethods> {
  return { ...catalogueHandlers(parts), ...invoiceHandlers(parts) }
}

function catalogueHandlers(parts: HandlerParts) {
  const on = whileWorking(parts)
  return {
    searchProducts: ({ text, limit, offset }) =>
      on(async ({ exporter }) => ok(await exporter.customs.search(text, limit, offset))),
    findProduct: ({ code }) => on(async ({ exporter }) => ok((await exporter.customs.find(code)) ?? null)),
    saveProduct: (product) =>
      on(async ({ exporter }) => {
        await exporter.customs.put([product])
        return ok(product)
      }),
    removeProduct: ({ code }) =>
      on(async ({ exporter }) => {
        await exporter.customs.removeProduct(code)
        return ok(undefined)
      }),
    importProducts: ({ fileName, bytes }) => on(({ exporter }) => exporter.catalogue.import(fileName, bytes)),
    saveCatalogue: ({ kind }) =>
      on(async ({ exporter }) => parts.saveFile(`products.${kind}`, await exporter.catalogue.export(kind))),
    listSenderProfiles: () => on(async ({ exporter }) => ok(await exporter.customs.profiles())),
    saveSenderProfile: (profile) =>
      on(async ({ exporter }) => {
        await exporter.customs.saveProfile(profile)
        return ok(profile)
      }),
    removeSenderProfile: ({ id }) =>
      on(async ({ exporter }) => {
        await exporter.customs.removeProfile(id)
        return ok(undefined)
      }),
  } satisfies Partial<Handlers>
}

const digitsOfInvoiceNumbers = 5

function invoiceHandlers(parts: HandlerParts) {
  const on = whileWorking(parts)
  return {
    suggestInvoiceNumber: () =>
      on(async ({ exporter, settings }) => {
        const { invoicePrefix } = settings.current().customs
        const next = (await exporter.customs.lastInvoiceNumber(invoicePrefix)) + 1
        return ok(`${invoicePrefix}${String(next).padStart(digitsOfInvoiceNumbers, '0')}`)
      }),
    previewInvoice: ({ shipmentId, language }) =>
      on(async (features) => {
        const made = await onShipment(features, shipmentId, (shipment) =>
          features.exporter.invoices.make(shipment, language),
        )
        if (!made.ok) return made
        const drawn = await parts.rasterizer.renderGrey(made.value.pdf, invoicePreviewDotsPerMm)
        if (!drawn.ok) return drawn
        const [first] = drawn.value
        if (first === undefined) return err(notThere())
        const { width, height, pixels } = first
        return ok({ pages: drawn.value.length, width, height, pixels: pixels.buffer })
      }),
    printInvoice: ({ shipmentId, language }) =>
      on((features) =>
        onShipment(features, shipmentId, (shipment) => features.exporter.invoices.print(shipment, language)),
      ),
    saveInvoice: ({ shipmentId, language }) =>
      on(async (features) => {
        const made = await onShipment(features, shipmentId, (shipment) =>
          features.exporter.invoices.make(shipment, language),
        )
        return made.ok ? parts.saveFile(made.value.fileName, made.value.pdf) : made
      }),
  } satisfies Partial<Handlers>
}

const invoicePreviewDotsPerMm = 5

async function onShipment<Value>(
  features: Features,
  shipmentId: string,
  run: (shipment: InvoicedShipment) => Promise<Result<Value>>,
): Promise<Result<Value>> {
  const shipment = await features.store.find(shipmentId)
  return shipment === undefined ? err(notThere()) : run(shipment)
}

function notThere() {
  return appError('shipment-not-found', 'This shipment is not in the history any more.')
}
