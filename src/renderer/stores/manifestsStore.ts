import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../shared/bridge'
import type { AppError } from '../../shared/errors'
import { largestTableMegabytes } from '../../shared/fileFaults'
import type {
  ColumnMapping,
  DecimalMark,
  ImportPreview,
  Issue,
  ManifestDetails,
  ManifestSummary,
  UploadProgress,
} from '../../shared/manifest'
import type { PagePicture } from '../../shared/printingBridge'
import type { Result } from '../../shared/result'
import { readChosen } from './chosenFile'
import type { GridStore } from './gridStore'
import { settled } from './settled'

export const manifestTabs = ['lines', 'checks', 'send', 'preAlert', 'history'] as const
export type ManifestTab = (typeof manifestTabs)[number]

/** A file that was read, with the mapping as the operator changes it. */
export interface ImportForm {
  preview: ImportPreview
  mapping: ColumnMapping
  decimalMark: DecimalMark
  replace: boolean
}

/** An air waybill's PDF, and its first page. */
export interface ChosenPdf {
  fileName: string
  bytes: ArrayBuffer
  pages: number
  picture: PagePicture
}

/** A pre-alert as it is filled in. */
export interface PreAlertForm {
  pdf: ChosenPdf | null
  eta: string
  weight: string
  /** The manifest was uploaded with another program. */
  elsewhere: boolean
}

const blankPreAlert: PreAlertForm = { pdf: null, eta: '', weight: '', elsewhere: false }

/** What is filled in for an air waybill's pre-alert. */
export function preAlertFormOf(
  { preAlertForms }: Pick<ManifestsState, 'preAlertForms'>,
  manifestId: string,
): PreAlertForm {
  return preAlertForms[manifestId] ?? blankPreAlert
}

export interface ManifestsState {
  list: ManifestSummary[]
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
  /** What is filled in for pre-alerts, by the air waybill: it stays when another tab or screen is looked at. */
  preAlertForms: Record<string, PreAlertForm>

  load: () => Promise<void>
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
  upload: (options: { lockNumber?: string; knownUnknown?: string }) => Promise<void>
  showAnswer: (uploadId: string) => Promise<void>
  editPreAlert: (manifestId: string, change: Partial<PreAlertForm>) => void
  applyPage: (page: ManifestDetails) => void
  applyManifest: (manifest: ManifestSummary) => void
  applyChecked: (checked: { manifestId: string; summary: ManifestDetails['summary'] }) => void
  applyProgress: (progress: UploadProgress) => void
}

export type ManifestsStore = StoreApi<ManifestsState>

const issuesShown = 300

/** Air waybills: the list, the page that is open, and what is under way on it. */
export function createManifestsStore(bridge: BridgeClient, grid: GridStore): ManifestsStore {
  return createStore<ManifestsState>((set, get) => {
    /** Runs a call with the busy mark on; a failure is shown and gives undefined. */
    async function run<T>(call: Promise<Result<T, AppError>>): Promise<T | undefined> {
      set({ busy: true, error: null })
      const result = await settled(call)
      set({ busy: false })
      if (result.ok) return result.value
      set({ error: result.error })
      return undefined
    }

    async function reload(): Promise<void> {
      const { page } = get()
      if (page === null) return
      const result = await settled(bridge.getManifest({ manifestId: page.id }))
      if (result.ok && get().page?.id === page.id) get().applyPage(result.value)
    }

    return {
      list: [],
      page: null,
      tab: 'lines',
      busy: false,
      error: null,
      importing: null,
      added: null,
      issues: [],
      progress: null,
      answers: {},
      preAlertForms: {},

      async load() {
        const list = await run(bridge.listManifests(undefined))
        if (list !== undefined) set({ list })
      },
      async create(airWaybillNumber) {
        const page = await run(bridge.createManifest({ airWaybillNumber }))
        if (page === undefined) return false
        set({ tab: 'lines', added: null, importing: null })
        get().applyPage(page)
        return true
      },
      async open(manifestId) {
        const page = await run(bridge.getManifest({ manifestId }))
        if (page === undefined) return
        set({ tab: 'lines', added: null, importing: null, progress: null })
        get().applyPage(page)
      },
      close() {
        set({ page: null, importing: null, error: null })
        void get().load()
      },
      async remove() {
        const { page } = get()
        if (page === null) return
        const result = await settled(bridge.removeManifest({ manifestId: page.id }))
        if (result.ok) get().close()
        else set({ error: result.error })
      },
      setTab(tab) {
        set({ tab })
        if (tab === 'checks') void get().loadIssues()
      },
      async readFile(file) {
        const bytes = await run(readChosen(file, largestTableMegabytes, 'table-unreadable'))
        if (bytes === undefined) return
        const preview = await run(bridge.readManifestFile({ fileName: file.name, bytes }))
        if (preview === undefined) return
        const replace = (get().page?.summary.lines ?? 0) === 0
        set({ importing: { preview, mapping: preview.mapping, decimalMark: 'automatic', replace } })
      },
      changeImport(change) {
        const { importing } = get()
        if (importing !== null) set({ importing: { ...importing, ...change } })
      },
      async takeImport() {
        const { importing, page } = get()
        if (importing === null || page === null) return
        const { preview, mapping, decimalMark, replace } = importing
        const taking = { importId: preview.importId, mapping, decimalMark, replace }
        const summary = await run(bridge.takeManifestFile({ manifestId: page.id, ...taking }))
        if (summary === undefined) return
        set({ importing: null })
        await reload()
      },
      dropImport() {
        const { importing } = get()
        if (importing !== null)
          void settled(bridge.dropManifestFile({ importId: importing.preview.importId }))
        set({ importing: null })
      },
      async addShipments(shipmentIds, packageId) {
        const { page } = get()
        if (page === null) return
        const result = await run(
          bridge.addShipmentsToManifest({ manifestId: page.id, shipmentIds, packageId }),
        )
        if (result === undefined) return
        set({ added: result })
        await reload()
      },
      async saveLines(kind) {
        const { page } = get()
        if (page !== null) await run(bridge.saveManifestLines({ manifestId: page.id, kind }))
      },
      async loadIssues() {
        const { page } = get()
        if (page === null) return
        const result = await settled(
          bridge.listManifestIssues({ manifestId: page.id, offset: 0, limit: issuesShown }),
        )
        if (result.ok) set({ issues: result.value })
      },
      async upload(options) {
        const { page } = get()
        if (page === null) return
        const after = await run(bridge.uploadManifest({ manifestId: page.id, ...options }))
        set({ progress: null })
        if (after === undefined) return
        get().applyPage(after)
        const [latest] = after.uploads
        if (latest !== undefined) await get().showAnswer(latest.id)
      },
      async showAnswer(uploadId) {
        const result = await settled(bridge.getUploadAnswer({ uploadId }))
        if (result.ok) set({ answers: { ...get().answers, [uploadId]: result.value } })
      },
      editPreAlert(manifestId, change) {
        const form = { ...preAlertFormOf(get(), manifestId), ...change }
        set({ preAlertForms: { ...get().preAlertForms, [manifestId]: form } })
      },
      applyPage(page) {
        set({ page })
        grid.getState().open(page.id, page.summary, page.lock === 'locked')
        if (get().tab === 'checks') void get().loadIssues()
      },
      applyManifest(manifest) {
        set({ list: get().list.map((each) => (each.id === manifest.id ? manifest : each)) })
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
