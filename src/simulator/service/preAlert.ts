import { z } from 'zod'
import { isBase64Pdf } from '../checker/bodyCheck'
import { isDateText } from '../clock'
import type { JsonObject } from '../json'
import type { ManifestStore } from './manifestStore'

const preAlert = z.object({
  airWaybillPdfBase64: z.string().refine(isBase64Pdf, 'must be a PDF in base64'),
  estimatedTimeOfArrival: z.string().refine(isDateText, 'must be a date YYYY-MM-DD'),
  airWaybillNumber: z.string().min(1),
  grossWeight: z.number().positive(),
})

const AIRLINES: Readonly<Record<string, string>> = {
  '001': 'American Airlines',
  '006': 'Delta Air Lines',
  '016': 'United Airlines',
  '020': 'Lufthansa Cargo',
  '057': 'Air France',
  '074': 'KLM',
  '125': 'British Airways',
  '157': 'Qatar Airways',
  '160': 'Cathay Pacific',
  '172': 'Cargolux',
  '176': 'Emirates',
  '235': 'Turkish Airlines',
  '607': 'Etihad Airways',
  '618': 'Singapore Airlines',
  '784': 'China Southern',
  '999': 'Air China',
}

function refused(message: string): JsonObject {
  return { ok: false, message }
}

/** Takes an air waybill pre-alert (spec, Pre-alert request and response): needs the air waybill's manifest. */
export function takePreAlert(body: unknown, manifests: ManifestStore): JsonObject {
  const parsed = preAlert.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return refused(`Pre-alert not accepted: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`)
  }
  const { airWaybillNumber, estimatedTimeOfArrival, grossWeight } = parsed.data
  const totals = manifests.totals(airWaybillNumber)
  if (totals === undefined) return refused(`No manifest was uploaded for AWB ${airWaybillNumber}`)
  const awbPrefix = airWaybillNumber.slice(0, 3)
  return {
    ok: true,
    message: 'Pre-alert received',
    estimatedTimeOfArrival,
    airWaybillNumber,
    submittedGrossWeight: grossWeight,
    boxes: totals.boxes,
    totalParcels: totals.parcels,
    totalManifestWeight: totals.weight,
    iossManifestLocked: totals.locked,
    carrier: { name: AIRLINES[awbPrefix] ?? 'Unknown carrier', awbPrefix },
  }
}
