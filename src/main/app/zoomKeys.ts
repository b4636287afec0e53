import type { Input, WebContents } from 'electron'

/** The steps of the zoom, in per cent. */
const zoomSteps = [75, 80, 90, 100, 110, 125, 150, 175, 200]
const usualZoom = 100

type Change = 'larger' | 'smaller' | 'usual'

function changeBy({ type, control, meta, alt, key, code }: Input): Change | undefined {
  if (type !== 'keyDown' || alt || !(control || meta)) return undefined
  if (key === '+' || key === '=' || code === 'NumpadAdd') return 'larger'
  if (key === '-' || key === '_' || code === 'NumpadSubtract') return 'smaller'
  return key === '0' || code === 'Numpad0' ? 'usual' : undefined
}

function nextZoom(percent: number, change: Change): number {
  if (change === 'usual') return usualZoom
  const steps = change === 'larger' ? zoomSteps : zoomSteps.toReversed()
  const isFurther = (step: number) => (change === 'larger' ? step > percent : step < percent)
  return steps.find(isFurther) ?? steps.at(-1) ?? usualZoom
}

/**
 * Changes the size of a page by Ctrl with +, - or 0, or with the mouse wheel: without a menu no one else does. Chromium
 * keeps it for the app's origin, across restarts too.
 * @param onZoom gets the new size in per cent
 */
export function zoomByKeys(contents: WebContents, onZoom: (percent: number) => void): void {
  function zoom(change: Change): void {
    const percent = nextZoom(Math.round(contents.getZoomFactor() * 100), change)
    contents.setZoomFactor(percent / 100)
    onZoom(percent)
  }
  contents.on('before-input-event', (event, input) => {
    const change = changeBy(input)
    if (change === undefined) return
    event.preventDefault()
    zoom(change)
  })
  contents.on('zoom-changed', (_event, direction) => zoom(direction === 'in' ? 'larger' : 'smaller'))
}
