import { type QueryClient, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import type { ManifestDetails } from '../../../shared/consignments'
import { maxTableMegabytes } from '../../../shared/inputIssues'
import { askMain, callMain, queryKey, useBridgeMutation, useBridgeQuery } from '../../bridge'
import { readChosen } from '../../ui/FileChoice'
import { type OpenManifest, untouched, useOpenManifest } from './openManifest'

/**
 * The page of the open air waybill. It is asked for when it is opened; from then on the answers to its changes and main's
 * events keep it, so that nothing comes between what is typed and the lines that it belongs to.
 */
export function useOpenPage(): ManifestDetails | undefined {
  const manifestId = useOpenManifest((state) => state.manifestId)
  const enabled = manifestId !== null
  const kept = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY }
  return useBridgeQuery('getManifest', { manifestId: manifestId ?? '' }, { enabled, ...kept }).data
}

/** What the calls of one page have in common: they are known by it until it is left, whichever tab is shown. */
export function ofManifest(manifestId: string | null) {
  return { meta: { manifestId }, gcTime: Number.POSITIVE_INFINITY }
}

/** Whether a call of a page is under way, and why the last one failed; null for the list's own. */
export function useCalls(manifestId: string | null) {
  const calls = useMutationState({
    filters: { predicate: ({ meta }) => meta?.manifestId === manifestId },
    select: ({ state }) => state,
  })
  return { busy: calls.some(({ status }) => status === 'pending'), error: calls.at(-1)?.error ?? null }
}

/** Drops what came of a page's calls, but not those that are under way. */
export function forgetCalls(client: QueryClient, manifestId: string | null): void {
  const cache = client.getMutationCache()
  const predicate = ({ meta }: { meta?: Record<string, unknown> | undefined }) =>
    meta?.manifestId === manifestId
  for (const call of cache.findAll({ predicate })) if (call.state.status !== 'pending') cache.remove(call)
}

/** Turns to an air waybill's page as main told it, or to the list. */
export function useTurnTo(): (page: ManifestDetails | null) => void {
  const client = useQueryClient()
  const takePage = useTakePage()
  return (page) => {
    const open = useOpenManifest.of(client)
    const manifestId = page?.id ?? null
    for (const each of [null, manifestId, open.getState().manifestId]) forgetCalls(client, each)
    if (page !== null) takePage(page)
    open.setState({ manifestId, ...untouched })
  }
}

/** Takes the page of an air waybill as it is now. */
export function useTakePage(): (page: ManifestDetails) => void {
  const client = useQueryClient()
  return (page) => client.setQueryData(queryKey('getManifest', { manifestId: page.id }), page)
}

/** Changes what is under way on a page, if that page is still the open one. */
export function useOpenState(manifestId: string) {
  const store = useOpenManifest.of(useQueryClient())
  return (change: Partial<OpenManifest>): boolean => {
    const isOpen = store.getState().manifestId === manifestId
    if (isOpen) store.setState(change)
    return isOpen
  }
}

/** Asks for a page again. */
export function useReload(manifestId: string): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: queryKey('getManifest', { manifestId }) })
}

/** Reads a file for the lines of a page; one whose page was left meanwhile is dropped. */
export function useReadFile(manifestId: string) {
  const client = useQueryClient()
  const setOpen = useOpenState(manifestId)
  return useMutation({
    ...ofManifest(manifestId),
    mutationFn: async (file: File) => {
      const read = await readChosen(file, maxTableMegabytes, 'table-unreadable')
      if (!read.ok) return Promise.reject(read.error)
      return askMain('readManifestFile', { fileName: file.name, bytes: read.value })
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

/** Sends the whole manifest, and has the service's answer ready when that is through. */
export function useUpload(manifestId: string) {
  const client = useQueryClient()
  const setOpen = useOpenState(manifestId)
  const takePage = useTakePage()
  const reload = useReload(manifestId)
  return useBridgeMutation('uploadManifest', {
    ...ofManifest(manifestId),
    onSuccess: async (page) => {
      setOpen({ progress: null })
      takePage(page)
      const [latest] = page.uploads
      if (latest !== undefined) await client.prefetchQuery(answerQuery(latest.id))
    },
    onError: async () => {
      setOpen({ progress: null })
      // What blocked it may not be on the page yet.
      await reload()
    },
  })
}

function answerQuery(uploadId: string) {
  const queryFn = () => askMain('getUploadAnswer', { uploadId })
  return { queryKey: queryKey('getUploadAnswer', { uploadId }), queryFn }
}

/** What the service answered to an upload, once that was asked for. */
export function useAnswer(uploadId: string) {
  return useBridgeQuery('getUploadAnswer', { uploadId }, { enabled: false, gcTime: Number.POSITIVE_INFINITY })
}
