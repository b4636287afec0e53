import { createStore } from 'zustand/vanilla'
import { storeHook } from './storeHook'

/** A dialog that several screens open, and its subject. */
export type DialogInFront =
  | { kind: 'resolve'; shipmentId: string; reference: string }
  /** `page` counts from 1; if omitted, the first page without a placement rule. */
  | { kind: 'placement'; jobId: string; page?: number }
  | { kind: 'losses'; jobId: string }
  | { kind: 'preview'; labelIds: readonly string[]; printerId?: string }

interface DialogState {
  inFront: DialogInFront | null
  open: (dialog: DialogInFront) => void
  close: () => void
}

/** The open dialog; at most one at a time. */
export const useDialogs = storeHook(() =>
  createStore<DialogState>((set) => ({
    inFront: null,
    open: (inFront) => set({ inFront }),
    close: () => set({ inFront: null }),
  })),
)

/** The subject of a kind of dialog; undefined while that dialog is closed. */
export function useDialog<Kind extends DialogInFront['kind']>(kind: Kind) {
  return useDialogs(({ inFront }) => (isOfKind(inFront, kind) ? inFront : undefined))
}

function isOfKind<Kind extends DialogInFront['kind']>(
  dialog: DialogInFront | null,
  kind: Kind,
): dialog is Extract<DialogInFront, { kind: Kind }> {
  return dialog?.kind === kind
}

/** Whether any dialog is open. The screen's shortcuts are off then. */
export function dialogInFront(): boolean {
  return document.querySelector('[role="dialog"]') !== null
}
