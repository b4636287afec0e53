import { useEffect, useState } from 'react'
import { createStore } from 'zustand/vanilla'
import type { PrintJob } from '../../shared/printing'
import { createStoreHook } from './storeHook'

/** A dialog that several screens open, and its subject. */
export type OpenDialog =
  | { kind: 'resolve'; shipmentId: string; reference: string }
  /** `page` counts from 1; if omitted, the first page without a placement rule. */
  | { kind: 'placement'; jobId: string; page?: number }
  | { kind: 'losses'; jobId: string }
  /** `pages` are those that are shown and printed; all when left out. */
  | { kind: 'preview'; labelIds: readonly string[]; printerId?: string; pages?: PrintJob['pages'] }

interface DialogState {
  current: OpenDialog | null
  open: (dialog: OpenDialog) => void
  close: () => void
}

/** The open dialog; at most one at a time. */
export const useDialogs = createStoreHook(() =>
  createStore<DialogState>((set) => ({
    current: null,
    open: (current) => set({ current }),
    close: () => set({ current: null }),
  })),
)

/** The subject of a kind of dialog; undefined while that dialog is closed. */
export function useDialog<Kind extends OpenDialog['kind']>(kind: Kind) {
  return useDialogs(({ current }) => (hasKind(current, kind) ? current : undefined))
}

function hasKind<Kind extends OpenDialog['kind']>(
  dialog: OpenDialog | null,
  kind: Kind,
): dialog is Extract<OpenDialog, { kind: Kind }> {
  return dialog?.kind === kind
}

/** Whether any dialog is open. The screen's shortcuts are off then. */
export function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"]') !== null
}

/** Calls back once as soon as no dialog is open, at once if none is. @returns what ends the wait */
export function whenNoDialogIsOpen(run: () => void): () => void {
  const check = () => {
    if (isDialogOpen()) return
    observer.disconnect()
    run()
  }
  const observer = new MutationObserver(check)
  observer.observe(document.body, { childList: true, subtree: true })
  check()
  return () => observer.disconnect()
}

/** Whether a dialog that opens by itself may open: it waits until no other one is open. */
export function useDialogTurn(isWaiting: boolean): boolean {
  const [hasTurn, setHasTurn] = useState(false)
  useEffect(() => {
    if (!isWaiting) return
    const stopWaiting = whenNoDialogIsOpen(() => setHasTurn(true))
    return () => {
      stopWaiting()
      setHasTurn(false)
    }
  }, [isWaiting])
  return isWaiting && hasTurn
}

/**
 * A shortcut's handler that does nothing while a dialog is open. A key that is held down counts as one press, so that
 * it does not ship or print again and again.
 */
export function toShortcut(run: () => void): (event: KeyboardEvent) => void {
  return ({ repeat }) => {
    if (!repeat && !isDialogOpen()) run()
  }
}
