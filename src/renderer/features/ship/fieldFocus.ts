import type { KeyboardEvent } from 'react'

function toFields(form: HTMLElement): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>('input[data-field]')].filter((field) => !field.disabled)
}

function isEmptyText(field: HTMLInputElement): boolean {
  return field.type !== 'checkbox' && field.value.trim() === ''
}

/** The field that Enter moves to: after the reference the next empty field, otherwise the next field. */
function nextField(
  fields: readonly HTMLInputElement[],
  from: HTMLInputElement,
): HTMLInputElement | undefined {
  const later = fields.slice(fields.indexOf(from) + 1)
  if (from.dataset.field === 'reference') {
    return later.find(isEmptyText) ?? fields.find((field) => field.dataset.field === 'weight')
  }
  return later[0]
}

/** Enter moves through the form and never submits it, because scanners end every code with Enter. */
export function moveOnEnter(event: KeyboardEvent<HTMLElement>): void {
  const { target } = event
  if (event.key !== 'Enter' || !(target instanceof HTMLInputElement)) return
  if (target.dataset.field === undefined) return
  event.preventDefault()
  const next = nextField(toFields(event.currentTarget), target)
  next?.focus()
  next?.select()
}

/**
 * Focuses a field and selects its text. `next` focuses the field that Enter would move to, `end` puts the cursor at
 * the end.
 */
export function focusField(form: HTMLElement | null, name: string, cursor?: 'next' | 'end'): void {
  const field = form?.querySelector<HTMLInputElement>(
    `input:is([data-field="${name}"], [data-part="${name}"])`,
  )
  if (!form || !field) return
  const wanted = cursor === 'next' ? (nextField(toFields(form), field) ?? field) : field
  wanted.focus()
  if (cursor === 'end') wanted.setSelectionRange(wanted.value.length, wanted.value.length)
  else wanted.select()
}
