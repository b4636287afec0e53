import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useStore } from 'zustand'
import type { StoreApi } from 'zustand/vanilla'

/** Selects from a store that exists once per window. */
export interface StoreHook<State> {
  <T>(select: (state: State) => T): T
  /** The store itself, for code outside of components. */
  of: (window: QueryClient) => StoreApi<State>
}

/**
 * Creates the hook of a store that lives as long as the window: it is created at its first use and outlives the
 * screens that use it. Stores are kept per query client, which stands for the window, so that each test has its own.
 */
export function storeHook<State>(create: (window: QueryClient) => StoreApi<State>): StoreHook<State> {
  const stores = new WeakMap<QueryClient, StoreApi<State>>()
  const of = (window: QueryClient) => {
    const known = stores.get(window)
    if (known) return known
    const made = create(window)
    stores.set(window, made)
    return made
  }
  return Object.assign(<T>(select: (state: State) => T) => useStore(of(useQueryClient()), select), { of })
}
