import bwip from 'bwip-js/node'
import { expect, it, vi } from 'vitest'
import { loadSymbolReader } from '../../../src/main/printing/barcodes/symbolReader'
import { symbols } from '../../support/printing/corpus/symbols'

it('reads a symbol without fetching its WebAssembly module', async () => {
  const fetched = vi.fn(() => Promise.reject(new Error('no network')))
  vi.stubGlobal('fetch', fetched)
  const read = await loadSymbolReader()
  const { pixs, pixx, pixy } = getModules(symbols.dataMatrix)
  const [side, quiet] = [4, 8]
  const [width, height] = [pixx * side + 2 * quiet, pixy * side + 2 * quiet]
  const pixels = new Uint8Array(width * height).fill(255)
  for (const [index, dark] of pixs.entries()) {
    const [column, row] = [index % pixx, Math.floor(index / pixx)]
    for (let y = 0; dark === 1 && y < side; y += 1) {
      pixels.fill(0, ...toRow(quiet + row * side + y, quiet + column * side))
    }
  }
  function toRow(y: number, x: number): [number, number] {
    return [y * width + x, y * width + x + side]
  }
  expect(await read({ width, height, pixels }, 'dots')).toMatchObject([
    { symbology: 'data-matrix', text: symbols.dataMatrix.text, modules: pixx, unusedCorrection: 1 },
  ])
  expect(fetched).not.toHaveBeenCalled()
  vi.unstubAllGlobals()
})

function getModules({ bcid, text }: { bcid: string; text: string }) {
  const [raw] = bwip.raw({ bcid, text })
  if (raw === undefined || !('pixs' in raw)) throw new Error(`no squares for ${text}`)
  return raw
}
