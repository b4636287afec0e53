import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient, MethodInput } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { Board, WatchedParcel, WatchStatus } from '../../../shared/tracking'
import { toResult } from '../../bridge'

export type BoardFilter = MethodInput<'listWatchedParcels'>['only']

export interface BoardState {
  board: Board | null
  only: BoardFilter
  parcels: readonly WatchedParcel[]
  total: number
  error: AppError | null
  asking: boolean
  refresh: () => Promise<void>
  show: (only: BoardFilter) => Promise<void>
  more: () => Promise<void>
  askNow: () => Promise<void>
  applyWatch: (watch: WatchStatus) => void
}

export type BoardStore = StoreApi<BoardState>

const pageOfParcels = 50

/** The board of watched parcels: its counts, and the list that is being looked at. */
export function createBoardStore(bridge: BridgeClient): BoardStore {
  return createStore<BoardState>((set, get) => {
    /** Only the newest question may write: the answer to an older one is of a list that is not shown any more. */
    let turn = 0

    async function list(offset: number, limit: number): Promise<void> {
      turn += 1
      const mine = turn
      const listed = await toResult(bridge.listWatchedParcels({ only: get().only, limit, offset }))
      if (turn !== mine) return
      if (!listed.ok) {
        set({ error: listed.error })
        return
      }
      const before = offset === 0 ? [] : get().parcels
      const parcels = new Map([...before, ...listed.value.parcels].map((parcel) => [parcel.code, parcel]))
      set({ parcels: [...parcels.values()], total: listed.value.total })
    }
    async function loadBoard(): Promise<void> {
      const board = await toResult(bridge.getTrackingBoard(undefined))
      set(board.ok ? { board: board.value, error: null } : { error: board.error })
    }

    return {
      board: null,
      only: { by: 'any-trouble' },
      parcels: [],
      total: 0,
      error: null,
      asking: false,
      async refresh() {
        await loadBoard()
        const shown = Math.min(500, Math.max(pageOfParcels, get().parcels.length))
        await list(0, shown)
      },
      async show(only) {
        set({ only, parcels: [], total: 0 })
        await list(0, pageOfParcels)
      },
      more: () => list(get().parcels.length, pageOfParcels),
      async askNow() {
        if (get().asking) return
        set({ asking: true })
        const asked = await toResult(bridge.askWatchedParcels(undefined))
        set({ asking: false })
        await get().refresh()
        if (!asked.ok) set({ error: asked.error })
      },
      applyWatch(watch) {
        const { board } = get()
        if (board !== null) set({ board: { ...board, watch } })
        if (watch.state !== 'asking') void get().refresh()
      },
    }
  })
}

/** How many watched parcels need someone. */
export function troubleCount(board: Board | null): number {
  return board?.troubles.reduce((total, { count }) => total + count, 0) ?? 0
}
