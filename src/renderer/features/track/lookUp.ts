import { skipToken, useQuery } from '@tanstack/react-query'
import { createStore } from 'zustand/vanilla'
import type { MethodInput } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { LookUp, TrackingOptions } from '../../../shared/tracking'
import { askMain, followAnswer, queryKey } from '../../bridge'
import { useNavigation } from '../../ui/navigation'
import { storeHook } from '../../ui/storeHook'

interface TrackState {
  code: string
  codeMissing: boolean
  options: TrackingOptions
  /** What was looked up last. */
  asked: MethodInput<'trackCode'> | null
  setCode: (code: string) => void
  /** Another language asks again for what was asked for last. */
  setOptions: (change: Partial<TrackingOptions>) => void
  /** Looks up what stands in the field. */
  lookUpTyped: () => void
}

/** What is typed on Track and how the service is asked; it outlasts the screen. */
export const useTrack = storeHook((client) => {
  const track = createStore<TrackState>((set, get) => {
    const ask = (code: string) => {
      // The answer to a look-up belongs to the screen until the next one.
      client.removeQueries({ queryKey: queryKey('trackCode') })
      set({ asked: { lookUpId: crypto.randomUUID(), code, options: get().options } })
    }
    return {
      code: '',
      codeMissing: false,
      options: { flightTracking: 'include', language: 'en', type: 'barcode', details: 'full' },
      asked: null,
      setCode: (code) => set({ code, codeMissing: false }),
      setOptions(change) {
        const { options: before, asked } = get()
        set({ options: { ...before, ...change } })
        // Also what is under way: its answer would come in the language before.
        if (asked !== null && get().options.language !== before.language) ask(asked.code)
      },
      lookUpTyped() {
        const code = get().code.trim()
        set({ code, codeMissing: code === '' })
        if (code !== '') ask(code)
      },
    }
  })
  const { setCode, setOptions, lookUpTyped } = track.getState()
  followAnswer(client, 'getSettings', ({ language }) => setOptions({ language }))
  window.packbench.on('lookUpProgressed', ({ lookUpId, lookUp }) => {
    const { asked } = track.getState()
    if (asked?.lookUpId !== lookUpId) return
    const key = queryKey('trackCode', asked)
    // Events and answers come on ways of their own: one that was overtaken by the answer must not take its place.
    if (client.isFetching({ queryKey: key }) > 0) client.setQueryData<LookUp>(key, lookUp)
  })
  const navigation = useNavigation.of(client)
  const lookUpAsked = () => {
    const { asked } = navigation.getState()
    if (asked === null) return
    setCode(asked.code)
    lookUpTyped()
  }
  lookUpAsked()
  navigation.subscribe((state, before) => {
    if (state.asked !== before.asked) lookUpAsked()
  })
  return track
})

/** What is known of the code that was looked up last: what is stored at once, then what the service says. */
export function useLookUp() {
  const asked = useTrack((state) => state.asked)
  const { data, error, isFetching } = useQuery<LookUp, AppError>({
    queryKey: queryKey('trackCode', asked ?? undefined),
    queryFn: asked === null ? skipToken : () => askMain('trackCode', asked),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retryOnMount: false,
  })
  const { code = '', tracked = null, stored = null } = data ?? {}
  // What the service said before is worth more to the operator than that it has forgotten it.
  const isStored = stored !== null && tracked?.found !== true
  const answered = tracked === null ? null : { ...tracked, code }
  return {
    busy: isFetching,
    error: error ?? data?.error ?? null,
    result: isStored ? stored.tracked : answered,
    /** Since when and in which language the result is known, when it is not the service's answer of this moment. */
    stored: isStored ? stored : null,
    /** The service has just said that it does not know what is stored. */
    isLost: isStored && tracked !== null,
    ours: data?.ours ?? null,
    otherParcels: data?.otherParcels ?? [],
  }
}
