import { z } from 'zod'
import { isBase64Pdf } from './checker'
import { isDateText, type JsonObject } from './wire'

// Every field must be text; the service evaluates only the named ones.
const manifestLine = z
  .object({
    transportNumber: z.string().min(1),
    packageId: z.string().min(1),
    parcelId: z.string().min(1),
    city: z.string().default(''),
    country: z.string().default(''),
    parcelWeight: z
      .string()
      .regex(/^(\d+(\.\d+)?)?$/, 'must be decimal text')
      .default('0'),
  })
  .catchall(z.string())

const manifestLines = z.array(manifestLine).min(1)

type ManifestLine = z.infer<typeof manifestLine>

/** The manifest of one air waybill. */
interface Manifest {
  uploadedAt: Date
  locked: boolean
  lines: ManifestLine[]
}

/** Totals of a manifest, for the pre-alert. Weights in the manifest's own unit. */
interface ManifestTotals {
  boxes: number
  parcels: number
  weight: number
  locked: boolean
}

/** The manifest line found for a tracking code. */
interface ManifestPlace {
  uploadedAt: Date
  city: string
  country: string
}

function distinct<T>(values: readonly T[]): number {
  return new Set(values).size
}

/** The uploaded manifests by air waybill number. */
export class ManifestStore {
  private readonly manifests = new Map<string, Manifest>()

  /**
   * Accepts an upload as a whole or not at all; returns the reason of a refusal, or `undefined`. Replaces parcels that were
   * uploaded before and keeps others. Refuses uploads to a locked manifest.
   */
  upload(body: unknown, lock: boolean, at: Date): string | undefined {
    const parsed = manifestLines.safeParse(body)
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      return `Manifest data not accepted: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`
    }
    const numbers = [...new Set(parsed.data.map((line) => line.transportNumber))]
    const locked = numbers.find((number) => this.manifests.get(number)?.locked)
    if (locked !== undefined) return `AWB ${locked} is locked`
    for (const number of numbers) {
      const lines = parsed.data.filter((line) => line.transportNumber === number)
      const renewed = new Set(lines.map((line) => line.parcelId))
      const kept = (this.manifests.get(number)?.lines ?? []).filter((line) => !renewed.has(line.parcelId))
      const uploadedAt = this.manifests.get(number)?.uploadedAt ?? at
      this.manifests.set(number, { uploadedAt, locked: lock, lines: [...kept, ...lines] })
    }
    return undefined
  }

  /** Totals of an air waybill's manifest; `undefined` when none was uploaded. */
  totals(transportNumber: string): ManifestTotals | undefined {
    const manifest = this.manifests.get(transportNumber)
    if (manifest === undefined) return undefined
    // A parcel with several items has several lines, each with the weight of the whole parcel.
    const weights = new Map(manifest.lines.map((line) => [line.parcelId, Number(line.parcelWeight)]))
    const total = [...weights.values()].reduce((sum, value) => sum + value, 0)
    return {
      boxes: distinct(manifest.lines.map((line) => line.packageId)),
      parcels: weights.size,
      weight: Math.round(total * 1000) / 1000,
      locked: manifest.locked,
    }
  }

  /** Finds an air waybill, a box or a parcel by its code. */
  find(code: string, by: 'transportNumber' | 'packageId' | 'parcelId'): ManifestPlace | undefined {
    for (const manifest of this.manifests.values()) {
      const line = manifest.lines.find((candidate) => candidate[by] === code)
      if (line !== undefined)
        return { uploadedAt: manifest.uploadedAt, city: line.city, country: line.country }
    }
    return undefined
  }
}

const preAlert = z.object({
  airWaybillPdfBase64: z.string().refine(isBase64Pdf, 'must be a PDF in base64'),
  estimatedTimeOfArrival: z.string().refine(isDateText, 'must be a date YYYY-MM-DD'),
  airWaybillNumber: z.string().min(1),
  grossWeight: z.number().positive(),
})

const airlines: Readonly<Record<string, string>> = {
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

/** Handles a pre-alert (spec, Pre-alert request and response); requires the air waybill's manifest. */
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
    carrier: { name: airlines[awbPrefix] ?? 'Unknown carrier', awbPrefix },
  }
}
