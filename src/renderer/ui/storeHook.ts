import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useStore } from 'zustand'
import type { StoreApi } from 'zustand/vanilla'

/** Selects from a store that exists once per window. */
export interface StoreHook<State> {
  <T>(select: (state: State) => T): T
  /** The store itself, for code outside of components. */
  getStore: (client: QueryClient) => StoreApi<State>
}

/**
 * Creates the hook of a store that lives as long as the window: it is created at its first use and outlives the
 * screens that use it. Stores are kept per query client, which stands for the window, so that each test has its own.
 */
export function createStoreHook<State>(create: (client: QueryClient) => StoreApi<State>): StoreHook<State> {
  const stores = new WeakMap<QueryClient, StoreApi<State>>()
  const getStore = (client: QueryClient) => {
    const known = stores.get(client)
    if (known) return known
    const created = create(client)
    stores.set(client, created)
    return created
  }
  return Object.assign(<T>(select: (state: State) => T) => useStore(getStore(useQueryClient()), select), {
    getStore,
  })
}
