import { createStore } from 'zustand/vanilla'
import type { ColumnMapping, DecimalMark, ImportPreview, UploadProgress } from '../../../shared/consignments'
import { createStoreHook } from '../../ui/storeHook'

export const manifestTabs = ['lines', 'checks', 'send', 'preAlert', 'history'] as const
export type ManifestTab = (typeof manifestTabs)[number]

/** A file that was read, and the mapping as the operator edits it. */
export interface ImportForm {
  preview: ImportPreview
  mapping: ColumnMapping
  decimalMark: DecimalMark
  replace: boolean
}

export interface OpenManifest {
  /** Null while the list is shown. */
  manifestId: string | null
  tab: ManifestTab
  importing: ImportForm | null
  /** Result of «add shipments». */
  added: { added: number; passedOver: number } | null
  progress: UploadProgress | null
}

/** State of a page that was just opened. */
export const initialPageState = { tab: 'lines', importing: null, added: null, progress: null } as const

/** The open air waybill and the state of its page. Data from main is in the query cache (`queries.ts`). */
export const useOpenManifest = createStoreHook(() => {
  const store = createStore<OpenManifest>(() => ({ manifestId: null, ...initialPageState }))
  window.packbench.on('uploadProgressed', (progress) => {
    if (progress.manifestId === store.getState().manifestId)
      store.setState({ progress: progress.phase === 'done' ? null : progress })
  })
  return store
})
