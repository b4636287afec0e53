import type { ScanPlace } from './scanRouting'

type TextElement = HTMLInputElement | HTMLTextAreaElement

/** The focused element when a scan began, and its contents. */
export interface FocusSnapshot {
  place: ScanPlace
  element: Element | null
  /** Whether the element's text is a part of the Ship form. */
  isInForm: boolean
  /** The element's text now; null if it has none. */
  readText: () => string | null
  /** Undoes what was typed into the element since then. */
  restore: () => void
  /** Drops the search in a select: its text is the chosen option's again. */
  endSearch: () => void
}

export const nowhere: FocusSnapshot = {
  place: 'nowhere',
  element: null,
  isInForm: false,
  readText: () => null,
  restore: () => undefined,
  endSearch: () => undefined,
}

/** Records the focused element; null for a secret field, into which nothing may be scanned. */
export function snapshotFocus(element: Element | null): FocusSnapshot | null {
  const isOwn = element !== null && element.closest('[data-scan="own"]') !== null
  if (isText(element)) {
    if (isSecret(element)) return null
    const { value, selectionStart: start, selectionEnd: end } = element
    const takesAll = isOwn || element instanceof HTMLTextAreaElement || element.closest('[role="dialog"]')
    const isNumber = element.inputMode === 'decimal' || element.inputMode === 'numeric'
    const isChoice = element.dataset.scan === 'none'
    const isListOpen = element.dataset.expanded !== undefined
    const endSearch = () => {
      if (isChoice) pressEscape(element)
    }
    return {
      place: takesAll
        ? 'own'
        : element.dataset.scan === 'label'
          ? 'label'
          : element.dataset.field === 'reference'
            ? 'reference'
            : isNumber || isChoice
              ? 'no-code'
              : 'text',
      element,
      isInForm: element.dataset.field !== undefined && !isChoice,
      readText: () => element.value,
      restore() {
        writeText(element, value, 0, element.value.length)
        element.setSelectionRange(start, end)
        // The scanned text has opened the field's list. A list that was open belongs to a search that continues.
        if (!isListOpen) endSearch()
      },
      endSearch,
    }
  }
  if (element instanceof HTMLSelectElement) {
    const { value } = element
    return {
      ...nowhere,
      element,
      restore() {
        if (element.value === value) return
        element.value = value
        element.dispatchEvent(new Event('change', { bubbles: true }))
      },
    }
  }
  return {
    ...nowhere,
    place: isOwn ? 'own' : 'nowhere',
    element,
    restore() {
      const editor = document.activeElement
      // The first character has opened the editor of a cell.
      if (isOwn && isText(editor) && element.contains(editor)) pressEscape(editor)
    },
  }
}

function pressEscape(element: TextElement): void {
  element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
}

/** Whether the element is a text field that a scan can be removed from; false for number and date inputs. */
function isText(element: Element | null): element is TextElement {
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
  return isField && element.selectionStart !== null && !element.readOnly
}

/** Passwords and PINs, even while they are visible: nobody would see what a scanner changes there. */
function isSecret(element: TextElement): boolean {
  return (
    element instanceof HTMLInputElement &&
    (element.type === 'password' ||
      element.autocomplete === 'one-time-code' ||
      element.closest('[data-secret]') !== null)
  )
}

/** Replaces a part of a field's text as if it was typed. */
function writeText(element: TextElement, text: string, from: number, to: number): void {
  const whole = element.value.slice(0, from) + text + element.value.slice(to)
  // Bypasses React's own value setter; otherwise React would ignore the input event.
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value')?.set?.call(element, whole)
  element.setSelectionRange(from + text.length, from + text.length)
  element.dispatchEvent(new InputEvent('input', { bubbles: true }))
}

const focusable =
  ':is(input, select, textarea, button, a[href], [tabindex="0"]):not(:disabled, [tabindex="-1"])'

/** Dispatches a key that was held back. */
export function replayKey(key: string): void {
  const target = dispatchKey(key)
  if (key === 'Enter' && target instanceof HTMLInputElement) target.form?.requestSubmit()
  else if (key === 'Tab' && target instanceof HTMLElement) focusNext(target)
  else if (key.length === 1 && isText(target)) {
    const { value, selectionStart, selectionEnd } = target
    writeText(target, key, selectionStart ?? value.length, selectionEnd ?? value.length)
  }
}

/** Dispatches the held back end key of a scan that stays in its field: in a form it goes to the next field, and submits nothing. */
export function replayScanEnd(key: string): void {
  const target = dispatchKey(key)
  const isInForm = target instanceof HTMLInputElement && target.form !== null
  if (target instanceof HTMLElement && (key === 'Tab' || isInForm)) focusNext(target)
}

/** @returns the focused element; null if it has handled the key */
function dispatchKey(key: string): Element | null {
  const target = document.activeElement ?? document.body
  return target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    ? target
    : null
}

function focusNext(from: HTMLElement): void {
  const all = [...document.querySelectorAll<HTMLElement>(focusable)].filter(
    (each) => each === from || each.checkVisibility(),
  )
  all[all.indexOf(from) + 1]?.focus()
}
