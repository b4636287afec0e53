import type { ScanPlace } from './scanRouting'

type TextElement = HTMLInputElement | HTMLTextAreaElement

/** Where the cursor stood when a scan began, and what stood there. */
export interface PlaceBefore {
  place: ScanPlace
  element: Element | null
  /** Takes what was typed since then out of the field again. */
  restore: () => void
}

export const nowhere: PlaceBefore = {
  place: 'nowhere',
  element: null,
  restore: () => undefined,
}

/** Remembers the place of the cursor; null in a field for secrets, where nothing is scanned. */
export function notePlace(element: Element | null): PlaceBefore | null {
  const isOwn = element !== null && element.closest('[data-scan="own"]') !== null
  if (isText(element)) {
    if (isSecret(element)) return null
    const { value, selectionStart: start, selectionEnd: end } = element
    const takesAll = isOwn || element instanceof HTMLTextAreaElement || element.closest('[role="dialog"]')
    const isNumber = element.inputMode === 'decimal' || element.inputMode === 'numeric'
    const isChoice = element.dataset.scan === 'none'
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
      restore() {
        writeText(element, value, 0, element.value.length)
        element.setSelectionRange(start, end)
        // What was scanned has opened its list.
        if (isChoice) element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
      },
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
  return { ...nowhere, place: isOwn ? 'own' : 'nowhere', element }
}

/** Whether text can be typed and taken out again; not so in a field of numbers or dates. */
function isText(element: Element | null): element is TextElement {
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
  return isField && element.selectionStart !== null && !element.readOnly
}

/** Passwords and PINs, also while they are shown: what a scanner adds or takes there can't be seen. */
function isSecret(element: TextElement): boolean {
  return (
    element instanceof HTMLInputElement &&
    (element.type === 'password' ||
      element.autocomplete === 'one-time-code' ||
      element.closest('[data-secret]') !== null)
  )
}

/** Replaces part of what stands in a field, as if it was typed. */
function writeText(element: TextElement, text: string, from: number, to: number): void {
  const whole = element.value.slice(0, from) + text + element.value.slice(to)
  // Past the setter with which React notes what it wrote itself: this is to count as typed.
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value')?.set?.call(element, whole)
  element.setSelectionRange(from + text.length, from + text.length)
  element.dispatchEvent(new InputEvent('input', { bubbles: true }))
}

const focusable =
  ':is(input, select, textarea, button, a[href], [tabindex="0"]):not(:disabled, [tabindex="-1"])'

/** Gives a key to the window that was held back from it. */
export function pressKey(key: string): void {
  const target = document.activeElement ?? document.body
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
  if (!target.dispatchEvent(event)) return
  if (key === 'Enter' && target instanceof HTMLInputElement) target.form?.requestSubmit()
  else if (key === 'Tab' && target instanceof HTMLElement) focusNext(target)
  else if (key.length === 1 && isText(target)) {
    const { value, selectionStart, selectionEnd } = target
    writeText(target, key, selectionStart ?? value.length, selectionEnd ?? value.length)
  }
}

function focusNext(from: HTMLElement): void {
  const all = [...document.querySelectorAll<HTMLElement>(focusable)].filter(
    (each) => each === from || each.checkVisibility(),
  )
  all[all.indexOf(from) + 1]?.focus()
}
