import { useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { createStore } from 'zustand/vanilla'
import { type ManifestDetails, preAlertRequestSchema } from '../../../shared/consignments'
import type { AppError } from '../../../shared/errors'
import type { PagePicture } from '../../../shared/printing'
import { createStoreHook } from '../../ui/storeHook'
import { numberText } from '../../ui/validation'
import { useStorePage } from './queries'

/** An air waybill's PDF, with a picture of its first page. */
export interface ChosenPdf {
  fileName: string
  bytes: ArrayBuffer
  pages: number
  picture: PagePicture
}

const { estimatedTimeOfArrival, grossWeight } = preAlertRequestSchema.shape

/** The fields of the pre-alert form, and their conversion into a request. */
export const preAlertForm = z.object({
  eta: estimatedTimeOfArrival,
  weight: numberText(grossWeight),
  /** The manifest was uploaded with another program. */
  elsewhere: z.boolean(),
})
export type TypedPreAlert = z.input<typeof preAlertForm>

/** The form of an air waybill's pre-alert, kept while another tab or screen is shown. */
interface PreAlertDraft {
  typed: TypedPreAlert
  pdf: ChosenPdf | null
  /** The file that was chosen last; null before the first one. */
  chosen: File | null
  /** Why the last attempt failed. */
  error: AppError | null
}

const blank: PreAlertDraft = {
  typed: { eta: '', weight: '', elsewhere: false },
  pdf: null,
  chosen: null,
  error: null,
}

interface PreAlertState {
  /** By id of the air waybill. */
  drafts: Readonly<Record<string, PreAlertDraft>>
  change: (manifestId: string, part: Partial<PreAlertDraft>) => void
  /** Applies a page with a new outcome: clears the error and, if the pre-alert was accepted, the PDF. */
  applyPage: (page: ManifestDetails) => void
}

export function findDraft({ drafts }: Pick<PreAlertState, 'drafts'>, manifestId: string): PreAlertDraft {
  return drafts[manifestId] ?? blank
}

/** Pre-alerts that are typed and not sent. */
export const usePreAlerts = createStoreHook(() =>
  createStore<PreAlertState>((set, get) => {
    const change: PreAlertState['change'] = (manifestId, part) =>
      set({ drafts: { ...get().drafts, [manifestId]: { ...findDraft(get(), manifestId), ...part } } })
    return {
      drafts: {},
      change,
      applyPage({ id, preAlerts }) {
        change(id, { error: null, ...(preAlerts[0]?.state === 'accepted' && { pdf: null }) })
      },
    }
  }),
)

/** Stores the page of an air waybill after its pre-alert got an outcome. */
export function useStorePreAlertPage(): (page: ManifestDetails) => void {
  const drafts = usePreAlerts.getStore(useQueryClient())
  const storePage = useStorePage()
  return (page) => {
    storePage(page)
    drafts.getState().applyPage(page)
  }
}
