import type { PageSize } from '../../layout/stock'
import { sameSize } from '../../layout/stock'

const mmPerInch = 25.4
// A PWG self-describing media name (PWG 5101.1): class, name, and size with its unit.
const selfDescribing =
  /^(?<kind>[a-z0-9]+)_(?<name>[a-z0-9.-]+)_(?<width>[\d.]+)x(?<height>[\d.]+)(?<unit>mm|in)$/

/** Names that bound the sizes without a name. Others begin with «custom», too: a PPD's own, such as DYMO's. */
const bounds = /^custom_(min|max)_/

/** The size that a media name states, in millimetres; undefined when the name states none. */
export function sizeOfMedia(media: string): PageSize | undefined {
  const groups = selfDescribing.exec(media)?.groups
  if (groups === undefined) return undefined
  const scale = groups.unit === 'in' ? mmPerInch : 1
  return { widthMm: Number(groups.width) * scale, heightMm: Number(groups.height) * scale }
}

/**
 * The value of CUPS' `media` option for a stock, or undefined when the queue has no such size. A named size within
 * 1 mm comes first, the nearest of them; then a size of its own, where the queue takes any within a range.
 * @param supported the queue's media-supported
 */
export function chooseMedia(supported: string[], stock: PageSize): string | undefined {
  const near = supported
    .filter((media) => !bounds.test(media))
    .flatMap((media) => {
      const size = sizeOfMedia(media)
      return size !== undefined && sameSize(size, stock) ? [{ media, distance: distance(size, stock) }] : []
    })
    .sort((one, other) => one.distance - other.distance)
  if (near[0] !== undefined) return near[0].media
  return takesAnySize(supported, stock) ? `Custom.${stock.widthMm}x${stock.heightMm}mm` : undefined
}

/** `custom_min_…` and `custom_max_…` bound the sizes that a queue takes without a name. */
function takesAnySize(supported: string[], stock: PageSize): boolean {
  const bound = (name: string) => {
    const media = supported.find((each) => each.startsWith(`custom_${name}_`))
    return media === undefined ? undefined : sizeOfMedia(media)
  }
  const least = bound('min')
  const most = bound('max')
  if (least === undefined || most === undefined) return false
  return (
    stock.widthMm >= least.widthMm &&
    stock.heightMm >= least.heightMm &&
    stock.widthMm <= most.widthMm &&
    stock.heightMm <= most.heightMm
  )
}

function distance(one: PageSize, other: PageSize): number {
  return Math.abs(one.widthMm - other.widthMm) + Math.abs(one.heightMm - other.heightMm)
}
