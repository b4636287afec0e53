import { skipToken, useQuery } from '@tanstack/react-query'
import { createStore } from 'zustand/vanilla'
import type { MethodInput } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { LookUp, TrackedCode, TrackingOptions } from '../../../shared/tracking'
import { callMainOrThrow, queryKey, subscribeToAnswer } from '../../bridge'
import { useNavigation } from '../../ui/navigation'
import { createStoreHook } from '../../ui/storeHook'

interface TrackState {
  code: string
  codeMissing: boolean
  options: TrackingOptions
  /** The last look-up. */
  asked: MethodInput<'trackCode'> | null
  setCode: (code: string) => void
  /** Another language repeats the last look-up. */
  setOptions: (change: Partial<TrackingOptions>) => void
  /** Looks up the code in the field. */
  lookUpTyped: () => void
  /** Looks up a parcel that another screen or a result names: the kind that was chosen for typed codes does not apply to it. */
  lookUpParcel: (barcode: string) => void
}

/** The input of Track and the query parameters; they outlive the screen. */
export const useTrack = createStoreHook((client) => {
  const track = createStore<TrackState>((set, get) => {
    const ask = (code: string, options = get().options) => {
      // The answer to a look-up stays on the screen until the next one.
      client.removeQueries({ queryKey: queryKey('trackCode') })
      set({ asked: { lookUpId: crypto.randomUUID(), code, options } })
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
        // Also if it is in flight: its answer would come in the previous language.
        const { language } = get().options
        if (asked !== null && language !== before.language) ask(asked.code, { ...asked.options, language })
      },
      lookUpTyped() {
        const code = get().code.trim()
        set({ code, codeMissing: code === '' })
        if (code !== '') ask(code)
      },
      lookUpParcel(barcode) {
        const code = barcode.trim()
        get().setCode(code)
        ask(code, { ...get().options, type: 'barcode' })
      },
    }
  })
  const { setOptions, lookUpParcel } = track.getState()
  let stationLanguage: TrackingOptions['language'] | undefined
  subscribeToAnswer(client, 'getSettings', ({ language }) => {
    // Any other change of the settings keeps the language that was chosen on Track.
    if (language === stationLanguage) return
    stationLanguage = language
    setOptions({ language })
  })
  window.packbench.on('lookUpProgressed', ({ lookUpId, lookUp }) => {
    const { asked } = track.getState()
    if (asked?.lookUpId !== lookUpId) return
    const key = queryKey('trackCode', asked)
    // Events and answers are not ordered: a progress event after the answer must not replace it.
    if (client.isFetching({ queryKey: key }) > 0) client.setQueryData<LookUp>(key, lookUp)
  })
  const navigation = useNavigation.getStore(client)
  const lookUpRequested = () => {
    const { codeToLookUp } = navigation.getState()
    if (codeToLookUp !== null) lookUpParcel(codeToLookUp.code)
  }
  lookUpRequested()
  navigation.subscribe((state, before) => {
    if (state.codeToLookUp !== before.codeToLookUp) lookUpRequested()
  })
  return track
})

/** The result of the last look-up: what is stored at once, then the service's answer. */
export function useLookUp() {
  const asked = useTrack((state) => state.asked)
  const { data, error, isFetching } = useQuery<LookUp, AppError>({
    queryKey: queryKey('trackCode', asked ?? undefined),
    queryFn: asked === null ? skipToken : () => callMainOrThrow('trackCode', asked),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retryOnMount: false,
  })
  const { code = '', tracked = null, stored = null } = data ?? {}
  const isSilent =
    tracked?.found === true && asked?.options.details === 'full' && stored !== null && isEmpty(tracked)
  // A stored timeline is more useful than the service's «not found», or an answer that says nothing.
  const isStored = stored !== null && (tracked?.found !== true || (isSilent && !isEmpty(stored.tracked)))
  const answered = tracked === null ? null : { ...tracked, code }
  return {
    busy: isFetching,
    error: error ?? data?.error ?? null,
    result: isStored ? stored.tracked : answered,
    /** Time and language of a stored result; null if the result is the service's current answer. */
    stored: isStored ? stored : null,
    /** The service no longer knows the stored code. */
    isLost: isStored && tracked?.found === false,
    /** The service knows the stored code, and says nothing of it. */
    isSilent: isStored && isSilent,
    ours: data?.ours ?? null,
    otherParcels: data?.otherParcels ?? [],
  }
}

/** Whether an answer has neither a status nor events. */
function isEmpty({ lastStatus, events }: TrackedCode): boolean {
  return lastStatus === null && events.length === 0
}
