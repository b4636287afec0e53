import { createStore } from 'zustand/vanilla'
import { storeHook } from './storeHook'

/** A dialog that more than one screen opens, and what it is about. */
export type DialogInFront =
  | { kind: 'resolve'; shipmentId: string; reference: string }
  /** `page` counts from 1; the first page without a rule when left out. */
  | { kind: 'placement'; jobId: string; page?: number }
  | { kind: 'losses'; jobId: string }
  | { kind: 'preview'; labelIds: readonly string[]; printerId?: string }

interface DialogState {
  inFront: DialogInFront | null
  open: (dialog: DialogInFront) => void
  close: () => void
}

/** The dialog in front; there is one at a time. */
export const useDialogs = storeHook(() =>
  createStore<DialogState>((set) => ({
    inFront: null,
    open: (inFront) => set({ inFront }),
    close: () => set({ inFront: null }),
  })),
)

/** What the dialog of a kind is about; undefined while it is not in front. */
export function useDialog<Kind extends DialogInFront['kind']>(kind: Kind) {
  return useDialogs(({ inFront }) => (isOfKind(inFront, kind) ? inFront : undefined))
}

function isOfKind<Kind extends DialogInFront['kind']>(
  dialog: DialogInFront | null,
  kind: Kind,
): dialog is Extract<DialogInFront, { kind: Kind }> {
  return dialog?.kind === kind
}

/** Whether any dialog is in front: then the screen's own shortcuts must wait. */
export function dialogInFront(): boolean {
  return document.querySelector('[role="dialog"]') !== null
}
