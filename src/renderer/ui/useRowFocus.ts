import { type RefObject, useEffect, useRef } from 'react'

const fields = 'input:not([type="hidden"]), select, textarea'

/**
 * Lets the focus follow rows that are added and removed by buttons: into the first field of a new row, and after a
 * removal to the first field of its neighbour, the button that unfolds it, or the one that adds a row. A row that came otherwise, by a scan for
 * example, leaves the focus where it is.
 * @param keys the rows' keys, in the order of the elements with `data-row` in the list
 * @returns goes on the element that holds the rows and the button that adds one
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
    // The button that removed its row is gone with it, and the focus with both.
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
    row?.querySelector<HTMLElement>(fields) ?? (row ?? holder)?.querySelector<HTMLElement>('button')
  next?.focus()
}
