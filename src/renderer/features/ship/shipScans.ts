import type { ShipContext, ShipState } from './shipState'

type ScanActions = Pick<ShipState, 'catchKey' | 'endCatching' | 'dropKept'>

/** What is scanned while a shipment is being created belongs to the next parcel, never to the draft under way. */
export function scanActions({ get, set }: Pick<ShipContext, 'get' | 'set'>): ScanActions {
  function keep(): void {
    const { kept, catching } = get()
    const code = catching.trim()
    set({ kept: code === '' || kept.includes(code) ? kept : [...kept, code], catching: '' })
  }
  return {
    catchKey(key) {
      if (key === 'Enter') keep()
      else set({ catching: get().catching + key })
    },
    endCatching: keep,
    dropKept: (code) => set({ kept: get().kept.filter((each) => each !== code) }),
  }
}

/** What the next parcel begins with: the oldest scan that was kept, or one that is still being typed. */
export function nextReference({ kept, catching }: Pick<ShipState, 'kept' | 'catching'>): Pick<
  ShipState,
  'kept' | 'catching' | 'focus'
> & {
  reference: string
} {
  const [reference, ...others] = kept
  if (reference !== undefined) {
    return { reference, kept: others, catching, focus: { field: 'reference', cursor: 'next' } }
  }
  if (catching === '') return { reference: '', kept: [], catching, focus: { field: 'reference' } }
  // The scanner types the rest behind it.
  return { reference: catching, kept: [], catching: '', focus: { field: 'reference', cursor: 'end' } }
}
