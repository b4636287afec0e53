import { describe, expect, it } from 'vitest'
import { fitToScreens, readWindowPlace, writeWindowPlace } from '../../../src/main/app/windowPlace'

const main = { x: 0, y: 0, width: 1920, height: 1040 }
const right = { x: 1920, y: -200, width: 1280, height: 1024 }
const place = (x: number, y: number, width = 1280, height = 800) => ({
  bounds: { x, y, width, height },
  maximised: false,
})

describe('the place of a window', () => {
  it('is restored while a person can grab the window there', () => {
    for (const before of [place(100, 50), place(1700, 900), place(-1100, 0), place(2000, -150, 1200)]) {
      expect(fitToScreens(before, [main, right])).toEqual(before)
    }
  })

  it('is the middle of the main screen when its own screen is gone or its edge is out of view', () => {
    const middle = place(320, 120)
    expect(fitToScreens(place(2000, -150), [main])).toEqual(middle)
    expect(fitToScreens(place(100, -60), [main])).toEqual(middle)
    expect(fitToScreens(place(100, 1030), [main])).toEqual(middle)
    expect(fitToScreens(place(-1200, 100), [main])).toEqual(middle)
  })

  it('is limited to the size of the screen, and stays maximised', () => {
    const large = { ...place(0, 0, 3840, 2160), maximised: true }
    expect(fitToScreens(large, [main])).toEqual({ bounds: main, maximised: true })
  })

  it('is ignored when it can’t be read, and a failed write causes no error', async () => {
    const fails = () => {
      throw new Error('ENOSPC')
    }
    expect(readWindowPlace({ read: fails })).toBeUndefined()
    expect(readWindowPlace({ read: () => ({ bounds: { x: 'left' }, maximised: true }) })).toBeUndefined()
    expect(readWindowPlace({ read: () => place(1, 2) })).toEqual(place(1, 2))
    await expect(writeWindowPlace({ write: async () => fails() }, place(1, 2))).resolves.toBeUndefined()
  })
})
