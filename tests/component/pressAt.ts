import { act, fireEvent } from '@testing-library/react'

/** Presses a key at a time, in milliseconds, like a browser: the text goes into the focused field unless the page prevents it. */
export function pressAt(key: string, time: number): void {
  const target = document.activeElement ?? document.body
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
  Object.defineProperty(event, 'timeStamp', { value: time })
  act(() => {
    if (!target.dispatchEvent(event)) return
    const isField = target instanceof HTMLInputElement && !target.readOnly
    if (!isField || key.length !== 1) return
    const { selectionStart, selectionEnd, value } = target
    const text = value.slice(0, selectionStart ?? undefined) + key + value.slice(selectionEnd ?? value.length)
    fireEvent.input(target, { target: { value: text } })
  })
}
