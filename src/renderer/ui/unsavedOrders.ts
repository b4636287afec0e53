import { createStore } from 'zustand/vanilla'
import { createStoreHook } from './storeHook'

/** Ids of the orders with unsaved changes in Orders, for other screens. */
export const useUnsavedOrders = createStoreHook(() => createStore<readonly string[]>(() => []))
