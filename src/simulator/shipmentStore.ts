import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type CarrierOption, demoSender, findCarrierOption } from './account'
import { NumberIssuer } from './barcodes'
import { type LabelContent, type PdfOptions, renderLabelPdf, renderLabelZpl } from './label'

const text = z.string().catch('')
const amount = z.number().catch(0)
const flag = z.boolean().catch(false)

// The service is tolerant and fills in defaults; the checker reports the deviations.
const shipmentInput = z.object({
  carrier_id: amount,
  carrier_option_id: amount,
  signature_required: flag,
  number_of_packages: z.number().catch(1),
  weight: amount,
  company_name: text,
  first_name: text,
  last_name: text,
  phone_number: text,
  street: text,
  house_number: text,
  postal_code: text,
  city: text,
  country: text,
  reference: text,
  reference2: text,
  return_label: flag,
})

/** The fields of a shipment creation that the service uses. */
export type ShipmentInput = z.infer<typeof shipmentInput>

/** Reads the body of a shipment creation; missing and wrongly typed fields get empty values. */
export function readShipmentInput(body: unknown): ShipmentInput {
  return shipmentInput.parse(typeof body === 'object' && body !== null ? body : {})
}

/** Format of a label: PDF with options, or ZPL. */
export type LabelStyle = ({ format: 'pdf' } & PdfOptions) | { format: 'zpl' }

/** A parcel of a shipment, with its label. */
interface StoredParcel {
  barcode: string
  label: Uint8Array
}

/** A shipment that exists at the service. */
export interface StoredShipment {
  id: number
  createdAt: Date
  input: ShipmentInput
  option: CarrierOption
  parcels: readonly [StoredParcel, ...StoredParcel[]]
  contents: readonly LabelContent[]
  labelFormat: LabelStyle['format']
  /** The secret part of the label's URL. */
  labelToken: string
}

function describe(
  input: ShipmentInput,
  option: CarrierOption,
  parcel: { barcode: string; number: number; count: number; createdAt: Date },
): LabelContent {
  return {
    barcode: parcel.barcode,
    carrierName: option.carrierName,
    serviceName: option.serviceName,
    routeCode: `${input.country || '--'} ${String(option.carrierOptionId).slice(-3)}`,
    sender: demoSender,
    consigneeName: `${input.first_name} ${input.last_name}`.trim(),
    consigneeCompany: input.company_name,
    consigneeStreet: `${input.street} ${input.house_number}`.trim(),
    consigneePostalCode: input.postal_code,
    consigneeCity: input.city,
    consigneeCountry: input.country,
    consigneePhone: input.phone_number,
    reference: input.reference,
    reference2: input.reference2,
    weight: String(input.weight),
    packageNumber: parcel.number,
    packageCount: parcel.count,
    createdAt: parcel.createdAt,
    signatureRequired: input.signature_required,
    returnLabel: input.return_label,
  }
}

async function render(contents: readonly LabelContent[], style: LabelStyle): Promise<Uint8Array> {
  return style.format === 'pdf'
    ? await renderLabelPdf(contents, style)
    : new Uint8Array(Buffer.from(contents.map(renderLabelZpl).join('')))
}

/** The service's shipments, by barcode and by label URL. */
export class ShipmentStore {
  private readonly numbers = new NumberIssuer()
  private readonly byBarcode = new Map<string, StoredShipment>()
  private readonly byToken = new Map<string, StoredShipment>()

  /** Creates a shipment with one label per package; `number_of_packages` must be at least 1. */
  async create(input: ShipmentInput, createdAt: Date, style: LabelStyle): Promise<StoredShipment> {
    const count = input.number_of_packages
    const option = findCarrierOption(input.carrier_id, input.carrier_option_id)
    const issued = Array.from({ length: count }, () => this.numbers.next(createdAt))
    const contents = issued.map(({ barcode }, index) =>
      describe(input, option, { barcode, number: index + 1, count, createdAt }),
    )
    const parcels = await Promise.all(
      contents.map(async (content) => ({ barcode: content.barcode, label: await render([content], style) })),
    )
    const [first, ...others] = parcels
    if (first === undefined || issued[0] === undefined)
      throw new Error('A shipment needs at least one package')
    const shipment: StoredShipment = {
      id: issued[0].id,
      createdAt,
      input,
      option,
      parcels: [first, ...others],
      contents,
      labelFormat: style.format,
      labelToken: randomBytes(24).toString('hex'),
    }
    for (const { barcode } of parcels) this.byBarcode.set(barcode, shipment)
    this.byToken.set(shipment.labelToken, shipment)
    return shipment
  }

  /** The shipment that has a parcel with this barcode. */
  findByBarcode(barcode: string): StoredShipment | undefined {
    return this.byBarcode.get(barcode)
  }

  /** The shipment whose label URL contains this token. */
  findByLabelToken(token: string): StoredShipment | undefined {
    return this.byToken.get(token)
  }
}

/** All labels of a shipment in one document, as its URL returns them; for one parcel, the stored bytes. */
export async function wholeDocument(shipment: StoredShipment, style?: LabelStyle): Promise<Uint8Array> {
  const [first, ...others] = shipment.parcels
  if (style === undefined && others.length === 0) return first.label
  return await render(shipment.contents, style ?? { format: shipment.labelFormat })
}
