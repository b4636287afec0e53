import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import type {
  ColumnMapping,
  DecimalMark,
  ImportPreview,
  Issue,
  ManifestDetails,
  UploadProgress,
} from '../../../shared/consignments'
import type { AppError } from '../../../shared/errors'
import { maxTableMegabytes } from '../../../shared/inputIssues'
import type { Result } from '../../../shared/result'
import { toResult, withPermission } from '../../bridge'
import { readChosen } from '../../ui/FileChoice'
import type { GridStore } from './gridStore'

export const manifestTabs = ['lines', 'checks', 'send', 'preAlert', 'history'] as const
export type ManifestTab = (typeof manifestTabs)[number]

/** A file that was read, with the mapping as the operator changes it. */
export interface ImportForm {
  preview: ImportPreview
  mapping: ColumnMapping
  decimalMark: DecimalMark
  replace: boolean
}

export interface ManifestsState {
  page: ManifestDetails | null
  tab: ManifestTab
  busy: boolean
  error: AppError | null
  importing: ImportForm | null
  /** What «add shipments» did. */
  added: { added: number; passedOver: number } | null
  issues: Issue[]
  progress: UploadProgress | null
  /** The content of an upload's answer, by the upload's id. */
  answers: Record<string, string>

  create: (airWaybillNumber: string) => Promise<boolean>
  open: (manifestId: string) => Promise<void>
  close: () => void
  remove: () => Promise<void>
  setTab: (tab: ManifestTab) => void
  readFile: (file: File) => Promise<void>
  changeImport: (change: Partial<Pick<ImportForm, 'mapping' | 'decimalMark' | 'replace'>>) => void
  takeImport: () => Promise<void>
  dropImport: () => void
  addShipments: (shipmentIds: string[], packageId: string) => Promise<void>
  saveLines: (kind: 'csv' | 'xlsx') => Promise<void>
  loadIssues: () => Promise<void>
  upload: (options: { lockNumber?: string }) => Promise<void>
  /** Says what became of an upload whose outcome is unknown. */
  resolveUpload: (uploadId: string, verdict: 'accepted' | 'refused') => Promise<void>
  showAnswer: (uploadId: string) => Promise<void>
  /** Takes a page as it is now, if it is still the one that is open. */
  applyPage: (page: ManifestDetails) => void
  applyChecked: (checked: { manifestId: string; summary: ManifestDetails['summary'] }) => void
  applyProgress: (progress: UploadProgress) => void
}

export type ManifestsStore = StoreApi<ManifestsState>

const issuesShown = 300

/** The air waybill that is open, and what is under way on it. */
export function createManifestsStore(bridge: BridgeClient, grid: GridStore): ManifestsStore {
  return createStore<ManifestsState>((set, get) => {
    const isOpen = (manifestId: string) => get().page?.id === manifestId

    /** Runs a call with the busy mark on; a failure gives undefined, and is shown on the page that it is of. */
    async function run<T>(call: Promise<Result<T, AppError>>): Promise<T | undefined> {
      const before = get().page?.id
      set({ busy: true, error: null })
      const result = await toResult(call)
      set({ busy: false })
      if (result.ok) return result.value
      if (get().page?.id === before) set({ error: result.error })
      return undefined
    }

    function show(page: ManifestDetails): void {
      set({ page })
      grid.getState().open(page.id, page.summary, page.lock === 'locked')
      if (get().tab === 'checks') void get().loadIssues()
    }

    /** Opens another page than the one before. */
    function turnTo(page: ManifestDetails): void {
      set({ tab: 'lines', added: null, importing: null, issues: [], progress: null })
      show(page)
    }

    async function reload(manifestId: string): Promise<void> {
      const result = await toResult(bridge.getManifest({ manifestId }))
      if (result.ok) get().applyPage(result.value)
    }

    return {
      page: null,
      tab: 'lines',
      busy: false,
      error: null,
      importing: null,
      added: null,
      issues: [],
      progress: null,
      answers: {},

      async create(airWaybillNumber) {
        const page = await run(bridge.createManifest({ airWaybillNumber }))
        if (page === undefined) return false
        turnTo(page)
        return true
      },
      async open(manifestId) {
        const page = await run(bridge.getManifest({ manifestId }))
        if (page !== undefined) turnTo(page)
      },
      close() {
        set({ page: null, importing: null, error: null })
      },
      async remove() {
        const { page } = get()
        if (page === null) return
        const result = await toResult(bridge.removeManifest({ manifestId: page.id }))
        if (!isOpen(page.id)) return
        if (result.ok) get().close()
        else set({ error: result.error })
      },
      setTab(tab) {
        set({ tab })
        if (tab === 'checks') void get().loadIssues()
      },
      async readFile(file) {
        const { page } = get()
        if (page === null) return
        const bytes = await run(readChosen(file, maxTableMegabytes, 'table-unreadable'))
        if (bytes === undefined) return
        const preview = await run(bridge.readManifestFile({ fileName: file.name, bytes }))
        if (preview === undefined) return
        if (!isOpen(page.id)) {
          void toResult(bridge.dropManifestFile({ importId: preview.importId }))
          return
        }
        const replace = get().page?.summary.lines === 0
        set({ importing: { preview, mapping: preview.mapping, decimalMark: 'automatic', replace } })
      },
      changeImport(change) {
        const { importing } = get()
        if (importing !== null) set({ importing: { ...importing, ...change }, error: null })
      },
      async takeImport() {
        const { importing, page } = get()
        if (importing === null || page === null) return
        const { preview, mapping, decimalMark, replace } = importing
        const taking = { importId: preview.importId, mapping, decimalMark, replace }
        const summary = await run(bridge.takeManifestFile({ manifestId: page.id, ...taking }))
        if (summary === undefined || !isOpen(page.id)) return
        set({ importing: null })
        await reload(page.id)
      },
      dropImport() {
        const { importing } = get()
        if (importing !== null)
          void toResult(bridge.dropManifestFile({ importId: importing.preview.importId }))
        set({ importing: null, error: null })
      },
      async addShipments(shipmentIds, packageId) {
        const { page } = get()
        if (page === null) return
        const result = await run(
          bridge.addShipmentsToManifest({ manifestId: page.id, shipmentIds, packageId }),
        )
        if (result === undefined || !isOpen(page.id)) return
        set({ added: result })
        await reload(page.id)
      },
      async saveLines(kind) {
        const { page } = get()
        if (page !== null) await run(bridge.saveManifestLines({ manifestId: page.id, kind }))
      },
      async loadIssues() {
        const { page } = get()
        if (page === null) return
        const result = await toResult(
          bridge.listManifestIssues({ manifestId: page.id, offset: 0, limit: issuesShown }),
        )
        if (result.ok && isOpen(page.id)) set({ issues: result.value })
      },
      async upload(options) {
        const { page } = get()
        if (page === null) return
        const after = await run(
          withPermission(() => bridge.uploadManifest({ manifestId: page.id, ...options })),
        )
        if (isOpen(page.id)) set({ progress: null })
        // What blocked it may not be on the page yet.
        if (after === undefined) return reload(page.id)
        get().applyPage(after)
        const [latest] = after.uploads
        if (latest !== undefined) await get().showAnswer(latest.id)
      },
      async resolveUpload(submissionId, verdict) {
        const { page } = get()
        if (page === null) return
        const after = await run(
          withPermission(() => bridge.resolveSubmission({ manifestId: page.id, submissionId, verdict })),
        )
        if (after !== undefined) get().applyPage(after)
      },
      async showAnswer(uploadId) {
        const result = await toResult(bridge.getUploadAnswer({ uploadId }))
        if (result.ok) set({ answers: { ...get().answers, [uploadId]: result.value } })
      },
      applyPage(page) {
        if (isOpen(page.id)) show(page)
      },
      applyChecked({ manifestId, summary }) {
        const { page } = get()
        if (page?.id !== manifestId) return
        set({ page: { ...page, lines: summary.lines, summary } })
        grid.getState().applySummary(summary)
        if (get().tab === 'checks') void get().loadIssues()
      },
      applyProgress(progress) {
        if (progress.manifestId === get().page?.id)
          set({ progress: progress.phase === 'done' ? null : progress })
      },
    }
  })
}
