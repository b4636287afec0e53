/**
 * A ref callback that scrolls the main part of the window to the top when a screen or tab opens. An element that
 * takes the focus afterwards is still scrolled into view.
 */
export function scrollToTop(part: HTMLElement | null): void {
  part?.closest('main')?.scrollTo({ top: 0 })
}
