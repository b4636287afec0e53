import { vi } from 'vitest'
import type { Services } from '../../src/main/app/compose'
import type { CreationOutcome } from '../../src/main/carrier/createShipment'
import type { OpenCarrier } from '../../src/main/carrier/gateway'
import { appError } from '../../src/shared/errors'
import { ok } from '../../src/shared/result'

/** A service that answers at once and counts the received requests per reference. */
export class CountingCarrier {
  readonly received = new Map<string, number>()
  /** Called before a request is answered, after its reference was counted. */
  whileAnswering: (reference: string) => Promise<'created' | 'refused'> = async () => 'created'

  private readonly createShipment: OpenCarrier['createShipment'] = async (
    draft,
    delivery,
    keep,
    mayLeave,
  ) => {
    const { reference } = draft
    if (!mayLeave())
      return { ok: false, kind: 'not-sent', error: appError('shipment-too-late'), answer: null }
    this.received.set(reference, (this.received.get(reference) ?? 0) + 1)
    const answer = await this.whileAnswering(reference)
    if (answer === 'refused')
      return { ok: false, kind: 'refused', error: appError('service-refused'), answer: null }
    const barcode = `3S-${reference}-${this.received.get(reference)}`
    const receivedAt = new Date()
    const bytes = Buffer.from(`^XA^FD${barcode}^FS^XZ`)
    const content = {
      status: true,
      labels: [{ barcode, labeltype: 'ZPL', encodeType: 'base64', content: bytes.toString('base64') }],
      Barcode: barcode,
    }
    const answered = {
      host: 'carrier.example',
      delivery,
      status: 200,
      text: null,
      isCut: false,
      labelUrl: null,
    }
    await keep({ ...answered, receivedAt, content })
    return createdWith(barcode, bytes, receivedAt)
  }

  /** Replaces the service for a station. */
  serve({ carrier }: Services): void {
    const { createShipment } = this
    const open = vi.spyOn(carrier, 'open')
    open.mockImplementation(async () => ok({ connect: () => undefined, createShipment, ...notAsked }))
  }
}

/** Operations that no test of the fleet uses. */
const refuseCall = () => Promise.reject(new Error('no test of manifests'))
const notAsked = { uploadManifest: refuseCall, sendPreAlert: refuseCall } satisfies Partial<OpenCarrier>

function createdWith(barcode: string, bytes: Buffer, receivedAt: Date): CreationOutcome {
  const label = { barcode, kind: 'zpl' as const, bytes, problem: null, shipmentId: null }
  const ids = { serviceShipmentId: null, zendingId: null, subLogId: null, logId: null }
  const texts = { message: null, trackingUrl: null, labelUrl: null, limits: null }
  return ok({
    creation: { labels: [label], labelCount: 1, barcodes: [barcode], ...ids, ...texts },
    receivedAt,
  })
}
