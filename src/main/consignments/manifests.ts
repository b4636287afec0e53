import { type AppError, appError } from '../../shared/errors'
import { type FileFault, faultDetails } from '../../shared/fileFaults'
import type {
  ColumnMapping,
  DecimalMark,
  ImportPreview,
  LineEdit,
  LinesSummary,
  ManifestDetails,
  ManifestSummary,
} from '../../shared/manifest'
import { err, ok, type Result } from '../../shared/result'
import { linesOfShipment, type ShippedParcels } from './fromShipments'
import type { LineWorker } from './lineWorker'
import { listPages, pageOf, recordOf } from './pages'
import type { ManifestRepository } from './repository'
import type { MisreadNumber } from './sheet/toLines'

/** Air waybills and their lines: everything but sending. */
export interface Manifests {
  list(): Promise<ManifestSummary[]>
  /** Makes an air waybill's page; gives the one that is there already when the number is known. */
  create(airWaybillNumber: string): Promise<Result<ManifestDetails>>
  details(manifestId: string): Promise<Result<ManifestDetails>>
  /** Removes an air waybill of which nothing was ever sent. */
  remove(manifestId: string): Promise<Result<undefined>>
  /** Asks the worker about an air waybill's lines. */
  lines<Value>(
    manifestId: string,
    ask: (worker: LineWorker, of: { manifestId: string; airWaybillNumber: string }) => Promise<Value>,
  ): Promise<Result<Value>>
  /** Changes lines; not those of a manifest that the service called locked. */
  edit(manifestId: string, change: LineEdit | 'undo' | 'redo'): Promise<Result<LinesSummary>>
  readFile(fileName: string, bytes: ArrayBuffer): Promise<Result<ImportPreview>>
  /** Forgets a file that was read. */
  dropFile(importId: string): Promise<Result<undefined>>
  takeFile(
    manifestId: string,
    taking: { importId: string; mapping: ColumnMapping; decimalMark: DecimalMark; replace: boolean },
  ): Promise<Result<LinesSummary>>
  addShipments(
    manifestId: string,
    shipments: readonly ShippedParcels[],
    packageId: string,
  ): Promise<Result<{ summary: LinesSummary; added: number; passedOver: number }>>
  /** To be called when the worker has checked changed lines. */
  checked(manifestId: string, summary: LinesSummary): Promise<void>
}

export interface ManifestsDeps {
  repository: ManifestRepository
  worker: LineWorker
  now(): Date
  newId(): string
  onChange(manifest: ManifestSummary): void
}

/** Makes the feature. */
export function createManifests({ repository, worker, now, newId, onChange }: ManifestsDeps): Manifests {
  const details = async (manifestId: string): Promise<Result<ManifestDetails>> => {
    const record = await recordOf(repository, manifestId)
    if (!record.ok) return record
    const { airWaybillNumber } = record.value
    return ok(
      await pageOf(repository, record.value, await worker.call('open', { manifestId, airWaybillNumber })),
    )
  }

  /** Lines of a manifest that may be changed. */
  const changing = async <Value>(
    manifestId: string,
    run: (of: { manifestId: string; airWaybillNumber: string }) => Promise<Result<Value>>,
  ): Promise<Result<Value>> => {
    const page = await details(manifestId)
    if (!page.ok) return page
    if (page.value.lock === 'locked') return err(locked())
    return run({ manifestId, airWaybillNumber: page.value.airWaybillNumber })
  }

  return {
    list: () => listPages(repository),
    async create(airWaybillNumber) {
      const known = await repository.findManifest('airWaybillNumber', airWaybillNumber)
      if (known !== undefined) return details(known.id)
      const id = newId()
      await repository.addManifest(id, airWaybillNumber, now())
      const made = await details(id)
      if (made.ok) onChange(made.value)
      return made
    },
    details,
    async remove(manifestId) {
      const page = await details(manifestId)
      if (!page.ok) return page
      const { uploads, preAlerts, airWaybillNumber } = page.value
      if (uploads.length > 0 || preAlerts.length > 0) return err(wasSent())
      await repository.removeManifest(manifestId)
      await worker.call('remove', { manifestId, airWaybillNumber })
      return ok(undefined)
    },
    async lines(manifestId, ask) {
      const record = await recordOf(repository, manifestId)
      if (!record.ok) return record
      return ok(await ask(worker, { manifestId, airWaybillNumber: record.value.airWaybillNumber }))
    },
    edit: (manifestId, change) =>
      changing(manifestId, async (of) => {
        if (change === 'undo' || change === 'redo') return ok(await worker.call(change, of))
        return ok(await worker.call('edit', { ...of, edit: change }))
      }),
    async readFile(fileName, bytes) {
      const read = await worker.call('readFile', { fileName, bytes })
      if (!read.ok) return err(unreadable(fileName, read.error))
      const { headerKey, ...preview } = read.value
      const remembered = await repository.findMapping(headerKey)
      return ok({
        ...preview,
        mapping: remembered ?? preview.mapping,
        remembered: remembered !== undefined,
      })
    },
    dropFile: async (importId) => ok(await worker.call('dropFile', { importId })),
    takeFile: (manifestId, taking) =>
      changing(manifestId, async (of) => {
        const taken = await worker.call('takeFile', { ...of, ...taking })
        if (!taken.ok) return err(taken.error.kind === 'gone' ? gone() : decimalPoint(taken.error))
        await repository.rememberMapping(taken.value.headerKey, taking.mapping, now())
        return ok(taken.value.summary)
      }),
    addShipments: (manifestId, shipments, packageId) =>
      changing(manifestId, async (of) => {
        const rows = shipments.flatMap((shipment) =>
          linesOfShipment(shipment, of.airWaybillNumber, packageId),
        )
        const { summary, added } = await worker.call('add', { ...of, rows })
        return ok({ summary, added, passedOver: rows.length - added })
      }),
    async checked(manifestId, summary) {
      await repository.noteLines(manifestId, summary.lines, now())
      const page = await details(manifestId)
      if (page.ok) onChange(page.value)
    },
  }
}

function locked(): AppError {
  return appError(
    'manifest-locked',
    'The service said that this manifest is locked: its lines can’t be changed any more.',
  )
}

function wasSent(): AppError {
  return appError('manifest-uploaded', 'Something was sent for this air waybill, so it stays in the history.')
}

function unreadable(file: string, fault: FileFault): AppError {
  return appError('table-unreadable', `${file} can’t be read: ${fault.words}.`, {
    file,
    ...faultDetails(fault),
  })
}

function decimalPoint({ line, column, text }: MisreadNumber): AppError {
  return appError(
    'decimal-mark-differs',
    `Line ${line}, column «${column}»: «${text}» has a point that is no separator of thousands, while the decimal mark is a comma. Nothing was imported. Choose another decimal mark, or correct the file.`,
    { line: String(line), column, text },
  )
}

function gone(): AppError {
  return appError('table-gone', 'The file that was read is not kept any more: choose it again.')
}
