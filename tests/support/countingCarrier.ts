import { vi } from 'vitest'
import type { Services } from '../../src/main/app/compose'
import type { CreationOutcome } from '../../src/main/carrier/createShipment'
import type { OpenCarrier } from '../../src/main/carrier/gateway'
import { appError } from '../../src/shared/errors'
import { ok } from '../../src/shared/result'

/** A service that answers at once with a label for each package, and counts the received requests per reference. */
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
    const { reference, numberOfPackages } = draft
    if (!mayLeave())
      return { ok: false, kind: 'not-sent', error: appError('shipment-too-late'), answer: null }
    this.received.set(reference, (this.received.get(reference) ?? 0) + 1)
    const answer = await this.whileAnswering(reference)
    if (answer === 'refused')
      return { ok: false, kind: 'refused', error: appError('service-refused'), answer: null }
    const barcode = `3S-${reference}-${this.received.get(reference)}`
    const receivedAt = new Date()
    const labels = Array.from({ length: numberOfPackages }, (_, index) =>
      Buffer.from(`^XA^FD${barcode}^FS${index === 0 ? '' : `^FX${index + 1}`}^XZ`),
    )
    const encoded = { barcode, labeltype: 'ZPL', encodeType: 'base64' }
    const content = {
      status: true,
      labels: labels.map((bytes) => ({ ...encoded, content: bytes.toString('base64') })),
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
    return createdWith(barcode, labels, receivedAt)
  }

  /** Replaces the service for a station, and gives it an account, without which its hot folder leaves files to others. */
  serve({ carrier, session }: Services): void {
    session.provision({ baseUrl: 'http://127.0.0.1:1', user: 'bench', password: 'a long password' })
    const { createShipment } = this
    const open = vi.spyOn(carrier, 'open')
    open.mockImplementation(async () => ok({ connect: () => undefined, createShipment, ...notAsked }))
  }
}

/** Operations that no test of the fleet uses. */
const refuseCall = () => Promise.reject(new Error('no test of manifests'))
const notAsked = { uploadManifest: refuseCall, sendPreAlert: refuseCall } satisfies Partial<OpenCarrier>

function createdWith(barcode: string, contents: readonly Buffer[], receivedAt: Date): CreationOutcome {
  const zpl = { barcode, kind: 'zpl' as const, problem: null, shipmentId: null }
  const labels = contents.map((bytes) => ({ ...zpl, bytes }))
  const ids = { serviceShipmentId: null, zendingId: null, subLogId: null, logId: null }
  const texts = { message: null, trackingUrl: null, labelUrl: null, limits: null }
  return ok({
    creation: { labels, labelCount: labels.length, barcodes: [barcode], ...ids, ...texts },
    receivedAt,
  })
}
