import { onTestFinished, vi } from 'vitest'

/** Gives lists that draw only the rows in sight so much height, in pixels: nothing here has a size of its own. */
export function giveRoom(pixels: number): void {
  const height = vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(pixels)
  const width = vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(1000)
  onTestFinished(() => {
    height.mockRestore()
    width.mockRestore()
  })
}
