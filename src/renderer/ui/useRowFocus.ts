import { type RefObject, useEffect, useRef } from 'react'

const fields = 'input:not([type="hidden"]), select, textarea'

/**
 * Moves the focus with rows that buttons add and remove: to the first field of a new row; after a removal to the
 * first field of the neighbouring row, the button that unfolds it, the button that adds a row, or the first field beside
 * the rows. Rows that come from elsewhere, e.g. a scan, do not move the focus.
 * @param keys the rows' keys, in the order of the elements with `data-row`
 * @returns the ref of the element that contains the rows and the add button
 */
export function useRowFocus<Holder extends HTMLElement>(keys: readonly string[]): RefObject<Holder | null> {
  const holder = useRef<Holder>(null)
  const before = useRef(keys)
  useEffect(() => {
    const old = before.current
    before.current = keys
    const focused = document.activeElement
    const added = keys.findIndex((key) => !old.includes(key))
    const isByButton = focused instanceof HTMLButtonElement && holder.current?.contains(focused) === true
    if (keys.length > old.length && isByButton) focusRow(holder.current, added)
    // The remove button disappears with its row, so the focus is on the body.
    if (keys.length < old.length && (focused === document.body || isByButton)) {
      const removed = old.findIndex((key) => !keys.includes(key))
      focusRow(holder.current, Math.min(removed, keys.length - 1))
    }
  })
  return holder
}

function focusRow(holder: HTMLElement | null, index: number): void {
  const row = holder?.querySelectorAll('[data-row]')[index]
  const next =
    row?.querySelector<HTMLElement>(fields) ??
    (row ?? holder)?.querySelector<HTMLElement>('button') ??
    holder?.querySelector<HTMLElement>(fields)
  next?.focus()
}
