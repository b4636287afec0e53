import bwip from 'bwip-js/node'
import { z } from 'zod'

const symbolSchema = z.tuple([z.object({ sbs: z.array(z.number().positive()) })])

/** A bar of a symbol: where it begins and how wide it is, in modules from the symbol's left edge. */
interface Bar {
  start: number
  width: number
}

/** The bars of a Code 128 symbol, without quiet zones, and its whole width in modules. */
export interface Code128 {
  bars: Bar[]
  modules: number
}

/** Encodes ASCII text as Code 128, with the code sets that make it shortest. */
export function encodeCode128(text: string): Code128 {
  const [{ sbs }] = symbolSchema.parse(bwip.raw({ bcid: 'code128', text }))
  const bars: Bar[] = []
  let position = 0
  for (const [index, width] of sbs.entries()) {
    if (index % 2 === 0) bars.push({ start: position, width })
    position += width
  }
  return { bars, modules: position }
}
