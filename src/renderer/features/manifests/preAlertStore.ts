import { useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { createStore } from 'zustand/vanilla'
import { type ManifestDetails, preAlertRequestSchema } from '../../../shared/consignments'
import type { AppError } from '../../../shared/errors'
import type { PagePicture } from '../../../shared/printing'
import { storeHook } from '../../ui/storeHook'
import { numberText } from '../../ui/validation'
import { useTakePage } from './queries'

/** An air waybill's PDF, and its first page. */
export interface ChosenPdf {
  fileName: string
  bytes: ArrayBuffer
  pages: number
  picture: PagePicture
}

const { estimatedTimeOfArrival, grossWeight } = preAlertRequestSchema.shape

/** What a person types into a pre-alert, and the request that it becomes. */
export const preAlertForm = z.object({
  eta: estimatedTimeOfArrival,
  weight: numberText(grossWeight),
  /** The manifest was uploaded with another program. */
  elsewhere: z.boolean(),
})
export type TypedPreAlert = z.input<typeof preAlertForm>

/** An air waybill's pre-alert while another tab or screen is looked at. */
interface PreAlertDraft {
  typed: TypedPreAlert
  pdf: ChosenPdf | null
  /** Why the last one could not be sent. */
  error: AppError | null
}

const blank: PreAlertDraft = { typed: { eta: '', weight: '', elsewhere: false }, pdf: null, error: null }

interface PreAlertState {
  /** By the air waybill. */
  drafts: Readonly<Record<string, PreAlertDraft>>
  change: (manifestId: string, part: Partial<PreAlertDraft>) => void
  /** What became of one of them is known: its error goes, and the next one has a PDF of its own. */
  applyPage: (page: ManifestDetails) => void
}

/** What is kept of an air waybill's pre-alert. */
export function findDraft({ drafts }: Pick<PreAlertState, 'drafts'>, manifestId: string): PreAlertDraft {
  return drafts[manifestId] ?? blank
}

/** The pre-alerts that are typed and not sent. */
export const usePreAlerts = storeHook(() =>
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

/** Takes the page of an air waybill whose pre-alert has an outcome. */
export function useTakePreAlert(): (page: ManifestDetails) => void {
  const drafts = usePreAlerts.of(useQueryClient())
  const takePage = useTakePage()
  return (page) => {
    takePage(page)
    drafts.getState().applyPage(page)
  }
}
