import { useEffect } from 'react'
import { isDialogOpen } from '../ui/dialogs'

const focusable =
  'input:not(:disabled, [type="file"], [type="hidden"]), button:not(:disabled), select:not(:disabled), textarea:not(:disabled), a[href], [tabindex="0"]'

/** Time that a dialog or list has to set the focus itself, in milliseconds. */
const graceMs = 50

/**
 * Restores a lost focus. It returns to a button that was disabled for a while. If the focused element was removed
 * with its row or dialog, the focus goes to the nearest remaining control.
 */
export function useFocusRecovery(): void {
  useEffect(() => {
    let lastFocused: HTMLElement | null = null
    let ancestors: Element[] = []
    let timer: ReturnType<typeof setTimeout> | undefined

    const focusIn = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return
      lastFocused = target
      ancestors = listAncestors(target)
    }
    const focusOut = ({ target, relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) return
      // An element that is being removed loses the focus while it is still connected, so the check is deferred.
      setTimeout(() => {
        const isStillFocusable =
          target instanceof Element && target.isConnected && !target.matches(':disabled')
        // After a click on the background the focus belongs nowhere.
        if (isStillFocusable && target === lastFocused && document.hasFocus()) lastFocused = null
      })
    }
    const restore = () => {
      if (lastFocused === null || !isFocusLost()) return
      if (lastFocused.isConnected && !lastFocused.matches(':disabled')) lastFocused.focus()
      else if (!lastFocused.isConnected) findNextControl(ancestors)?.focus()
    }
    const observer = new MutationObserver(() => {
      if (lastFocused === null || !isFocusLost()) return
      clearTimeout(timer)
      timer = setTimeout(restore, graceMs)
    })
    document.addEventListener('focusin', focusIn)
    document.addEventListener('focusout', focusOut)
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    return () => {
      clearTimeout(timer)
      observer.disconnect()
      document.removeEventListener('focusin', focusIn)
      document.removeEventListener('focusout', focusOut)
    }
  }, [])
}

function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}

function listAncestors(element: Element): Element[] {
  const found: Element[] = []
  for (let each = element.parentElement; each; each = each.parentElement) found.push(each)
  return found
}

/** The next control: in the closest ancestor that still exists, else at the start of the current screen. */
function findNextControl(ancestors: readonly Element[]): HTMLElement | null | undefined {
  if (isDialogOpen()) return document.querySelector<HTMLElement>(`[role="dialog"] :is(${focusable})`)
  const main = document.querySelector('main')
  const holder = ancestors.find((each) => each.isConnected && each.querySelector(focusable) !== null)
  const screen = main?.querySelector('[data-screen]') ?? main
  const isOnScreen = holder !== undefined && holder !== screen && screen?.contains(holder) === true
  if (isOnScreen) return holder.querySelector<HTMLElement>(focusable)
  return screen?.querySelector<HTMLElement>('[data-home]') ?? screen?.querySelector<HTMLElement>(focusable)
}
