import type { Stock } from '../../../shared/printing'

/** Label sizes that packing stations use most, close to each other and not equal. */
const presets = {
  '100x150': { widthMm: 100, heightMm: 150 },
  '102x152': { widthMm: 102, heightMm: 152 },
  a6: { widthMm: 105, heightMm: 148 },
  '102x203': { widthMm: 102, heightMm: 203 },
  '59x191': { widthMm: 59, heightMm: 191 },
  a5: { widthMm: 148, heightMm: 210 },
  a4: { widthMm: 210, heightMm: 297 },
} as const satisfies Record<string, Stock>

export const customStock = 'custom'
export type StockPreset = keyof typeof presets | typeof customStock
export const stockPresets: readonly StockPreset[] = [
  '100x150',
  '102x152',
  'a6',
  '102x203',
  '59x191',
  'a5',
  'a4',
  customStock,
]

/** Whether a text names a preset. */
export function isStockPreset(text: string): text is StockPreset {
  return stockPresets.some((preset) => preset === text)
}

/** The size of a preset in millimetres; undefined for a custom size. */
export function sizeOfPreset(preset: StockPreset): Stock | undefined {
  return preset === customStock ? undefined : presets[preset]
}

/** The preset that has exactly this size, else the custom one. */
export function presetOf(stock: Stock): StockPreset {
  const found = stockPresets.find((preset) => {
    const size = sizeOfPreset(preset)
    return size?.widthMm === stock.widthMm && size.heightMm === stock.heightMm
  })
  return found ?? customStock
}
