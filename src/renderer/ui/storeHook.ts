import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useStore } from 'zustand'
import type { StoreApi } from 'zustand/vanilla'

/** Reads from a store of which each window has one. */
export interface StoreHook<State> {
  <T>(select: (state: State) => T): T
  /** The store itself, for what happens outside of a component. */
  of: (window: QueryClient) => StoreApi<State>
}

/**
 * Makes the hook of a store that lives as long as the window: it is made where it is first used and outlasts the screen
 * that uses it. A window is known by its query client, so that each test has stores of its own.
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
