import { type AppError, appError } from '../../shared/errors'
import { type FileFault, faultDetails, fileFault, tooLarge } from '../../shared/fileFaults'
import type { ManifestDetails } from '../../shared/manifest'
import { maxWaybillMegabytes, type PreAlertRequest } from '../../shared/preAlert'
import { err, ok, type Result } from '../../shared/result'
import type { CarrierGateway, OpenCarrier } from '../carrier/gateway'
import type { GreyPage, Rasterizer } from '../printing/raster/rasterizer'
import { isUnknown } from './pages'
import type { ManifestRepository } from './repository'
import type { Submissions } from './submissions'

/** What the operator filled in. */
export interface PreAlertWish {
  manifestId: string
  request: PreAlertRequest
  fileName: string
  bytes: ArrayBuffer
  uploadedElsewhere: boolean
}

export interface PreAlerts {
  /** Sends a pre-alert once. What became of it stands in the page that comes back. */
  send(wish: PreAlertWish): Promise<Result<ManifestDetails>>
  /** The first page of a PDF, and how many there are; `pdf-unreadable` for anything that is no PDF. */
  preview(bytes: ArrayBuffer): Promise<Result<{ pages: number; first: GreyPage }>>
}

export interface PreAlertsDeps {
  submissions: Submissions
  repository: ManifestRepository
  carrier: Pick<CarrierGateway, 'open'>
  rasterizer: Rasterizer
  now(): Date
  newId(): string
}

/** Enough to tell one air waybill from another on a screen. */
const previewDotsPerMm = 3

/** Makes the feature. */
export function createPreAlerts(deps: PreAlertsDeps): PreAlerts {
  const pdfOf = async (bytes: ArrayBuffer): Promise<Result<{ pdf: Buffer; pages: number }>> => {
    const pdf = Buffer.from(bytes)
    const fault = noPdf(pdf)
    if (fault !== undefined) return err(unusable(fault))
    const pages = await deps.rasterizer.measure(pdf)
    return pages.ok
      ? ok({ pdf, pages: pages.value.length })
      : err(unusable(fileFault('unreadable-pdf', pages.error.message)))
  }

  return {
    async preview(bytes) {
      const checked = await pdfOf(bytes)
      if (!checked.ok) return checked
      const drawn = await deps.rasterizer.renderGrey(checked.value.pdf, previewDotsPerMm)
      const first = drawn.ok ? drawn.value[0] : undefined
      if (first === undefined) {
        return err(unusable(fileFault('unreadable-pdf', 'it has no page that can be drawn')))
      }
      return ok({ pages: checked.value.pages, first })
    },
    send: (wish) =>
      deps.submissions.alone(wish.manifestId, async (page) => {
        if (wish.request.airWaybillNumber !== page.airWaybillNumber) return err(otherNumber())
        if (page.preAlerts.some(isUnknown)) return err(earlierUnknown())
        const uploaded = page.uploads.some((upload) => upload.state === 'accepted')
        if (!uploaded && !wish.uploadedElsewhere) return err(notUploaded(page.airWaybillNumber))
        const checked = await pdfOf(wish.bytes)
        if (!checked.ok) return checked
        const carrier = await deps.carrier.open()
        if (!carrier.ok) return carrier
        await sendOnce(deps, carrier.value, wish, checked.value.pdf)
        return ok(undefined)
      }),
  }
}

/** The intent is on the disk before the first byte leaves, so that a crash leaves a pre-alert of unknown outcome. */
async function sendOnce(
  deps: PreAlertsDeps,
  carrier: OpenCarrier,
  { manifestId, request, fileName }: PreAlertWish,
  pdf: Buffer,
): Promise<void> {
  const id = deps.newId()
  await deps.repository.beginPreAlert({
    id,
    manifestId,
    request,
    fileName,
    byteLength: pdf.length,
    sentAt: deps.now(),
  })
  const outcome = await carrier.sendPreAlert(request, pdf)
  const error = outcome.kind === 'accepted' ? null : outcome.error
  await deps.repository.endPreAlert(id, { state: outcome.kind, answer: outcome.answer, error })
}

function noPdf(bytes: Buffer): FileFault | undefined {
  if (bytes.length === 0) return fileFault('empty', 'it is empty')
  if (bytes.length > maxWaybillMegabytes * 1024 * 1024) return tooLarge(maxWaybillMegabytes)
  // Some programs write a few bytes before the mark; readers allow 1024.
  return bytes.subarray(0, 1024).includes('%PDF-')
    ? undefined
    : fileFault('no-pdf', 'it is no PDF, whatever its name says')
}

function unusable(fault: FileFault): AppError {
  const message = `This file can’t be used as an air waybill: ${fault.words}.`
  return appError('pdf-unreadable', message, faultDetails(fault))
}

function notUploaded(number: string): AppError {
  return appError(
    'manifest-not-uploaded',
    `No manifest of ${number} is known to have been uploaded: upload it first, or say that another program did.`,
  )
}

function otherNumber(): AppError {
  return appError('lock-number-differs', 'The number is not this air waybill’s: nothing was sent.')
}

function earlierUnknown(): AppError {
  return appError(
    'pre-alert-unknown',
    'The outcome of an earlier pre-alert is unknown: nothing was sent. Ask the service, then say what became of it.',
  )
}
