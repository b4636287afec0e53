import { createStore } from 'zustand/vanilla'
import type { ColumnMapping, DecimalMark, ImportPreview, UploadProgress } from '../../../shared/consignments'
import { storeHook } from '../../ui/storeHook'

export const manifestTabs = ['lines', 'checks', 'send', 'preAlert', 'history'] as const
export type ManifestTab = (typeof manifestTabs)[number]

/** A file that was read, with the mapping as the operator changes it. */
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
  /** What «add shipments» did. */
  added: { added: number; passedOver: number } | null
  progress: UploadProgress | null
}

/** A page as it is opened. */
export const untouched = { tab: 'lines', importing: null, added: null, progress: null } as const

/** Which air waybill is in front, and what is under way on its page. What main knows of it is in the cache (`queries.ts`). */
export const useOpenManifest = storeHook(() => {
  const store = createStore<OpenManifest>(() => ({ manifestId: null, ...untouched }))
  window.packbench.on('uploadProgressed', (progress) => {
    if (progress.manifestId === store.getState().manifestId)
      store.setState({ progress: progress.phase === 'done' ? null : progress })
  })
  return store
})
