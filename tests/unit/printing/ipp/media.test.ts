import { describe, expect, it } from 'vitest'
import { chooseMedia, toMediaSize } from '../../../../src/main/printing/cups/cupsQueue'

const label = { widthMm: 100, heightMm: 150 }
const range = ['custom_min_25x25mm', 'custom_max_4.25x10in']

describe('toMediaSize', () => {
  it.each([
    ['om_small-photo_100x150mm', 100, 150],
    ['na_index-4x6_4x6in', 101.6, 152.4],
    ['iso_a6_105x148mm', 105, 148],
    ['oe_w288h432_4.25x6.5in', 107.95, 165.1],
  ])('reads the size from the media name %s', (name, widthMm, heightMm) => {
    const size = toMediaSize(name)
    expect(size?.widthMm).toBeCloseTo(widthMm)
    expect(size?.heightMm).toBeCloseTo(heightMm)
  })

  it.each(['auto', 'Letter', 'w288h432', 'iso_a6', 'om x_1x1mm -o raw'])(
    'finds no size in the media name %s',
    (name) => {
      expect(toMediaSize(name)).toBeUndefined()
    },
  )
})

describe('chooseMedia', () => {
  it('chooses the nearest named size within a millimetre', () => {
    const media = ['na_index-4x6_4x6in', 'om_near_100.5x150mm', 'om_exact_100x150mm']
    expect(chooseMedia(media, label)).toBe('om_exact_100x150mm')
    expect(chooseMedia(media.slice(0, 2), label)).toBe('om_near_100.5x150mm')
    expect(chooseMedia(media, { widthMm: 102, heightMm: 152 })).toBe('na_index-4x6_4x6in')
  })

  it('chooses a custom size within the bounds of a queue that accepts custom sizes', () => {
    expect(chooseMedia(['iso_a6_105x148mm', ...range], label)).toBe('Custom.100x150mm')
    expect(chooseMedia(range, { widthMm: 120, heightMm: 150 })).toBeUndefined()
    expect(chooseMedia(range, { widthMm: 100, heightMm: 20 })).toBeUndefined()
  })

  it('chooses a named size of the driver although its name begins with «custom»', () => {
    const media = ['custom_30256-shipping_59.27x101.6mm', 'custom_min_10x10mm', 'custom_max_60x500mm']
    expect(chooseMedia(media, { widthMm: 59, heightMm: 102 })).toBe('custom_30256-shipping_59.27x101.6mm')
  })

  it('chooses nothing when the queue has no such size', () => {
    expect(chooseMedia(['iso_a6_105x148mm', 'na_letter_8.5x11in'], label)).toBeUndefined()
    expect(chooseMedia([], label)).toBeUndefined()
  })
})
