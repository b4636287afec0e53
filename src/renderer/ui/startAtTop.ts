/**
 * A ref for what comes in front in the main part of the window, where all screens scroll: it is seen from its top, wherever
 * the one before was left. What takes the focus afterwards still comes into sight.
 */
export function startAtTop(part: HTMLElement | null): void {
  part?.closest('main')?.scrollTo({ top: 0 })
}
