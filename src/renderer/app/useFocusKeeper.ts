import { useEffect } from 'react'
import { dialogInFront } from '../ui/dialogs'

const focusable =
  'input:not(:disabled, [type="file"], [type="hidden"]), button:not(:disabled), select:not(:disabled), textarea:not(:disabled), a[href], [tabindex="0"]'

/** Time for a dialog or a list to place the focus itself, in milliseconds. */
const graceMs = 50

/**
 * Keeps the focus from getting lost with the element that has it: to a button that was disabled for a while it returns,
 * and from one that is gone, with its row or its dialog, it goes to what is nearest on the screen.
 */
export function useFocusKeeper(): void {
  useEffect(() => {
    let last: HTMLElement | null = null
    let around: Element[] = []
    let timer: ReturnType<typeof setTimeout> | undefined

    const focusIn = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return
      last = target
      around = listAncestors(target)
    }
    const focusOut = ({ target, relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) return
      // An element that is being removed says so while it is still there; afterwards one sees what it was.
      setTimeout(() => {
        const isThere = target instanceof Element && target.isConnected && !target.matches(':disabled')
        // Who clicks beside everything wants the focus nowhere.
        if (isThere && target === last && document.hasFocus()) last = null
      })
    }
    const restore = () => {
      if (last === null || !isLost()) return
      if (last.isConnected && !last.matches(':disabled')) last.focus()
      else if (!last.isConnected) nearest(around)?.focus()
    }
    const observer = new MutationObserver(() => {
      if (last === null || !isLost()) return
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

function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}

function listAncestors(element: Element): Element[] {
  const found: Element[] = []
  for (let each = element.parentElement; each; each = each.parentElement) found.push(each)
  return found
}

/** What has the focus next: something in what held the lost element, else where the work on the screen begins. */
function nearest(around: readonly Element[]): HTMLElement | null | undefined {
  if (dialogInFront()) return document.querySelector<HTMLElement>(`[role="dialog"] :is(${focusable})`)
  const main = document.querySelector('main')
  const holder = around.find((each) => each.isConnected && each.querySelector(focusable) !== null)
  const screen = main?.querySelector('[data-screen]') ?? main
  const isOnScreen = holder !== undefined && holder !== screen && screen?.contains(holder) === true
  if (isOnScreen) return holder.querySelector<HTMLElement>(focusable)
  return screen?.querySelector<HTMLElement>('[data-home]') ?? screen?.querySelector<HTMLElement>(focusable)
}
