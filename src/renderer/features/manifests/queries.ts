import { type QueryClient, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import type { ManifestDetails } from '../../../shared/consignments'
import { maxTableMegabytes } from '../../../shared/inputIssues'
import { callMain, callMainOrThrow, queryKey, useBridgeMutation, useBridgeQuery } from '../../bridge'
import { readChosen } from '../../ui/FileChoice'
import { initialPageState, type OpenManifest, useOpenManifest } from './openManifestStore'

/**
 * The page of the open air waybill. It is fetched once, when it is opened. Afterwards only answers to its own changes
 * and main's events update it, so that no refetch interferes with typing.
 */
export function useOpenPage(): ManifestDetails | undefined {
  const manifestId = useOpenManifest((state) => state.manifestId)
  const enabled = manifestId !== null
  const kept = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY }
  return useBridgeQuery('getManifest', { manifestId: manifestId ?? '' }, { enabled, ...kept }).data
}

/** Options shared by the calls of one page. The id in `meta` identifies them until the page is left, on any tab. */
export function pageCallOptions(manifestId: string | null) {
  return { meta: { manifestId }, gcTime: Number.POSITIVE_INFINITY }
}

/** Whether a call of a page is in flight, and the error of the last one. Null stands for the list. */
export function useCallState(manifestId: string | null) {
  const calls = useMutationState({
    filters: { predicate: ({ meta }) => meta?.manifestId === manifestId },
    select: ({ state }) => state,
  })
  return { busy: calls.some(({ status }) => status === 'pending'), error: calls.at(-1)?.error ?? null }
}

/** Drops the finished calls of a page. */
export function dropFinishedCalls(client: QueryClient, manifestId: string | null): void {
  const cache = client.getMutationCache()
  const predicate = ({ meta }: { meta?: Record<string, unknown> | undefined }) =>
    meta?.manifestId === manifestId
  for (const call of cache.findAll({ predicate })) if (call.state.status !== 'pending') cache.remove(call)
}

/** Opens the page of an air waybill, or the list. */
export function useShowManifest(): (page: ManifestDetails | null) => void {
  const client = useQueryClient()
  const storePage = useStorePage()
  return (page) => {
    const open = useOpenManifest.getStore(client)
    const manifestId = page?.id ?? null
    for (const each of [null, manifestId, open.getState().manifestId]) dropFinishedCalls(client, each)
    if (page !== null) storePage(page)
    open.setState({ manifestId, ...initialPageState })
  }
}

/** Stores a newer page of an air waybill in the cache. */
export function useStorePage(): (page: ManifestDetails) => void {
  const client = useQueryClient()
  return (page) => client.setQueryData(queryKey('getManifest', { manifestId: page.id }), page)
}

/** Changes the state of a page if it is still open; returns whether it is. */
export function useSetOpenState(manifestId: string) {
  const store = useOpenManifest.getStore(useQueryClient())
  return (change: Partial<OpenManifest>): boolean => {
    const isOpen = store.getState().manifestId === manifestId
    if (isOpen) store.setState(change)
    return isOpen
  }
}

export function useReload(manifestId: string): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: queryKey('getManifest', { manifestId }) })
}

/** Reads a file for the lines of a page. If the page was left meanwhile, the import is dropped. */
export function useReadFile(manifestId: string) {
  const client = useQueryClient()
  const setOpen = useSetOpenState(manifestId)
  return useMutation({
    ...pageCallOptions(manifestId),
    mutationFn: async (file: File) => {
      const read = await readChosen(file, maxTableMegabytes, 'table-unreadable')
      if (!read.ok) return Promise.reject(read.error)
      return callMainOrThrow('readManifestFile', { fileName: file.name, bytes: read.value })
    },
    onSuccess: (preview) => {
      const page = client.getQueryData<ManifestDetails>(queryKey('getManifest', { manifestId }))
      const replace = page?.summary.lines === 0
      const { importId, mapping } = preview
      if (!setOpen({ importing: { preview, mapping, decimalMark: 'automatic', replace } }))
        void callMain('dropManifestFile', { importId })
    },
  })
}

/** Uploads the whole manifest, and prefetches the service's answer. */
export function useUpload(manifestId: string) {
  const client = useQueryClient()
  const setOpen = useSetOpenState(manifestId)
  const storePage = useStorePage()
  const reload = useReload(manifestId)
  return useBridgeMutation('uploadManifest', {
    ...pageCallOptions(manifestId),
    onSuccess: async (page) => {
      setOpen({ progress: null })
      storePage(page)
      const [latest] = page.uploads
      if (latest !== undefined) await client.prefetchQuery(answerQuery(latest.id))
    },
    onError: async () => {
      setOpen({ progress: null })
      // The page may not show yet what blocked the upload.
      await reload()
    },
  })
}

function answerQuery(uploadId: string) {
  const queryFn = () => callMainOrThrow('getUploadAnswer', { uploadId })
  return { queryKey: queryKey('getUploadAnswer', { uploadId }), queryFn }
}

/** The service's answer to an upload; undefined until it was requested. */
export function useAnswer(uploadId: string) {
  return useBridgeQuery('getUploadAnswer', { uploadId }, { enabled: false, gcTime: Number.POSITIVE_INFINITY })
}
