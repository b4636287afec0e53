import { onTestFinished, vi } from 'vitest'

/**
 * Gives virtualised lists a height in pixels: elements have no size in happy-dom.
 * @param content height of all rows, for a list that is scrolled to its end
 */
export function giveRoom(pixels: number, content = pixels): void {
  const height = vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(pixels)
  const width = vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(1000)
  const scrollHeight = vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(content)
  onTestFinished(() => {
    height.mockRestore()
    width.mockRestore()
    scrollHeight.mockRestore()
  })
}
