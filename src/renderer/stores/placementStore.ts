import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../shared/bridge'
import type { AppError } from '../../shared/errors'
import type { Area, PlacementRule } from '../../shared/labelRules'
import type { PlacementQuestion, PrintPreview } from '../../shared/printingBridge'
import { toResult } from './toResult'

/** What a person has chosen so far. */
export type PlacementDraft = Pick<PlacementRule, 'areas' | 'turn' | 'scale'>

export type PlacementSuggestion = PlacementQuestion['suggestions'][number]

/** What a suggestion says of the placement, without what it would lose. */
export function draftOf({ areas, turn, scale }: PlacementSuggestion): PlacementDraft {
  return { areas, turn, scale }
}

/** The suggestion that a draft is; undefined once a person changed it. */
export function suggestionOf(
  { suggestions }: PlacementQuestion,
  draft: PlacementDraft,
): PlacementSuggestion | undefined {
  return suggestions.find((each) => JSON.stringify(draftOf(each)) === JSON.stringify(draft))
}

export interface PlacementState {
  question: PlacementQuestion | null
  draft: PlacementDraft | null
  /** How the draft will come out; null while it is drawn. */
  preview: PrintPreview | null
  busy: boolean
  error: AppError | null
  /** @param page from 1; the first page without a rule when left out */
  open: (jobId: string, page?: number) => Promise<void>
  choose: (draft: PlacementDraft) => void
  save: () => Promise<void>
  /** Prints pages of this size on another printer instead. */
  printElsewhere: (printerId: string, remember: boolean) => Promise<void>
  close: () => void
}

export type PlacementStore = StoreApi<PlacementState>

const closed = { question: null, draft: null, preview: null, busy: false, error: null }

/** The dialog in which a person chooses how a page goes on a label. */
export function createPlacementStore(bridge: BridgeClient): PlacementStore {
  let asked = 0
  return createStore<PlacementState>((set, get) => {
    async function draw(): Promise<void> {
      const { question, draft } = get()
      if (!question || !draft) return
      asked += 1
      const mine = asked
      const result = await toResult(
        bridge.tryPlacement({
          jobId: question.jobId,
          rule: ruleOf(question, draft),
          page: question.pageNumber,
        }),
      )
      if (mine !== asked || !get().question) return
      set(result.ok ? { preview: result.value, error: null } : { preview: null, error: result.error })
    }
    return {
      ...closed,
      async open(jobId, page) {
        set({ ...closed, busy: true })
        const result = await toResult(bridge.askPlacement({ jobId, ...(page !== undefined && { page }) }))
        if (!result.ok) {
          set({ busy: false, error: result.error })
          return
        }
        const [first] = result.value.suggestions
        const whole: Area = { xMm: 0, yMm: 0, ...result.value.page }
        set({
          busy: false,
          question: result.value,
          draft: first ? draftOf(first) : { areas: [whole], turn: 0, scale: 1 },
        })
        await draw()
      },
      choose(draft) {
        set({ draft })
        void draw()
      },
      async save() {
        const { question, draft } = get()
        if (!question || !draft) return
        set({ busy: true })
        const seen = { jobId: question.jobId, page: question.pageNumber }
        const result = await toResult(bridge.savePlacement({ rule: ruleOf(question, draft), seen }))
        set(result.ok ? closed : { busy: false, error: result.error })
      },
      async printElsewhere(printerId, remember) {
        const { question } = get()
        if (!question) return
        set({ busy: true })
        const { jobId, pageNumber: page } = question
        const result = await toResult(bridge.printPageElsewhere({ jobId, page, printerId, remember }))
        set(result.ok ? closed : { busy: false, error: result.error })
      },
      close() {
        asked += 1
        set(closed)
      },
    }
  })
}

function ruleOf({ carrierOptionId, page, stock }: PlacementQuestion, draft: PlacementDraft): PlacementRule {
  return { carrierOptionId, page, stock, ...draft }
}
