import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import { type ManifestDetails, maxWaybillMegabytes } from '../../../shared/consignments'
import type { AppError } from '../../../shared/errors'
import type { PagePicture } from '../../../shared/printing'
import type { Result } from '../../../shared/result'
import { toResult, withPermission } from '../../bridge'
import { readChosen } from '../../ui/FileChoice'
import { readNumber } from '../../ui/fieldValues'

/** An air waybill's PDF, and its first page. */
export interface ChosenPdf {
  fileName: string
  bytes: ArrayBuffer
  pages: number
  picture: PagePicture
}

/** What a person puts into a pre-alert. */
interface TypedPreAlert {
  pdf: ChosenPdf | null
  eta: string
  weight: string
  /** The manifest was uploaded with another program. */
  elsewhere: boolean
}

/** A pre-alert as it is filled in, and how sending it goes. */
export interface PreAlertForm extends TypedPreAlert {
  /** Whether sending was tried: from then on it is said what is missing. */
  tried: boolean
  sending: boolean
  error: AppError | null
}

const blank: PreAlertForm = {
  pdf: null,
  eta: '',
  weight: '',
  elsewhere: false,
  tried: false,
  sending: false,
  error: null,
}

export interface PreAlertState {
  /** By the air waybill: what is filled in stays when another tab or screen is looked at. */
  forms: Readonly<Record<string, PreAlertForm>>
  edit: (manifestId: string, change: Partial<Omit<TypedPreAlert, 'pdf'>>) => void
  choosePdf: (manifestId: string, file: File) => Promise<void>
  /** Sends it if it is complete. What was typed stays until the service took it. True when it has an outcome. */
  send: (page: Pick<ManifestDetails, 'id' | 'airWaybillNumber'>) => Promise<boolean>
  /** Says what became of a pre-alert whose outcome is unknown. */
  resolve: (manifestId: string, preAlertId: string, verdict: 'accepted' | 'refused') => Promise<void>
}

export type PreAlertStore = StoreApi<PreAlertState>

/** What is filled in for an air waybill's pre-alert. */
export function toPreAlertForm({ forms }: Pick<PreAlertState, 'forms'>, manifestId: string): PreAlertForm {
  return forms[manifestId] ?? blank
}

/**
 * The pre-alerts that are being filled in and sent.
 * @param onSent told the page of an air waybill whose pre-alert has an outcome
 */
export function createPreAlertStore(
  bridge: BridgeClient,
  onSent: (page: ManifestDetails) => void,
): PreAlertStore {
  return createStore<PreAlertState>((set, get) => {
    const change = (manifestId: string, part: Partial<PreAlertForm>) =>
      set({ forms: { ...get().forms, [manifestId]: { ...toPreAlertForm(get(), manifestId), ...part } } })

    const show = (manifestId: string, result: Result<ManifestDetails>) => {
      change(manifestId, { error: result.ok ? null : result.error })
      if (!result.ok) return
      onSent(result.value)
      // The next one has a PDF of its own.
      if (result.value.preAlerts[0]?.state === 'accepted') change(manifestId, { pdf: null, tried: false })
    }

    return {
      forms: {},
      edit: change,
      async choosePdf(manifestId, file) {
        const read = await readChosen(file, maxWaybillMegabytes, 'pdf-unreadable')
        const preview = read.ok ? await toResult(bridge.previewPdf({ bytes: read.value })) : read
        if (!read.ok || !preview.ok) {
          change(manifestId, { pdf: null, error: preview.ok ? null : preview.error })
          return
        }
        const pdf = {
          fileName: file.name,
          bytes: read.value,
          pages: preview.value.pages,
          picture: preview.value,
        }
        change(manifestId, { pdf, error: null })
      },
      async send({ id: manifestId, airWaybillNumber }) {
        change(manifestId, { tried: true })
        const { pdf, eta, weight, elsewhere, sending } = toPreAlertForm(get(), manifestId)
        const grossWeight = readNumber(weight)
        if (sending || pdf === null || eta === '' || !(grossWeight > 0)) return false
        change(manifestId, { sending: true, error: null })
        const result = await toResult(
          bridge.sendPreAlert({
            manifestId,
            request: { airWaybillNumber, estimatedTimeOfArrival: eta, grossWeight },
            fileName: pdf.fileName,
            bytes: pdf.bytes,
            uploadedElsewhere: elsewhere,
          }),
        )
        change(manifestId, { sending: false })
        show(manifestId, result)
        return result.ok
      },
      async resolve(manifestId, submissionId, verdict) {
        show(
          manifestId,
          await withPermission(() => bridge.resolveSubmission({ manifestId, submissionId, verdict })),
        )
      },
    }
  })
}
