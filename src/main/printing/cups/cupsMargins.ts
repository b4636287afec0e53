import type { Printer, SystemPrinter } from '../../../shared/printing'
import type { Margins } from '../layout/stock'
import { drawnDpi, findCupsQueue } from './cupsQueue'
import type { PrintServer } from './ipp/client'
import { askPrintServer, queueUri } from './ipp/client'
import type { IppAttribute, IppValue } from './ipp/message'
import { groupTag, operation } from './ipp/message'

/** IPP states sizes and margins in hundredths of a millimetre. */
const perMm = 100
/** The same as for choosing the medium of a stock. */
const toleranceMm = 1
/** A person waits for the question. */
const maxWaitMs = 2000

/**
 * The edges of a printer's stock that its queue says it can't print on. A size may be there with and without margins; the
 * medium without is named as such and is not asked for.
 * @returns undefined when the queue says nothing of that size
 */
export async function findMargins(server: PrintServer, printer: SystemPrinter): Promise<Margins | undefined> {
  const answer = await askPrintServer(server, {
    operation: operation.getPrinterAttributes,
    target: [queueUri(printer.queue)],
    wanted: ['media-col-database'],
  })
  if (!answer.ok) return undefined
  const attributes = answer.value.groups.find((group) => group.tag === groupTag.printer)?.attributes
  const database = attributes?.find(({ name }) => name === 'media-col-database')
  const found = (database?.values ?? []).flatMap((media) => getMargins(media, printer.stock) ?? [])
  const [first, ...others] = found
  return first && others.reduce(getLargerMargins, first)
}

function getLargerMargins(one: Margins, other: Margins): Margins {
  return {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  }
}

/**
 * The edges of a printer's stock that stay blank, as far as its queue says so.
 * @returns undefined for printers without a CUPS queue, and where the app itself draws every dot
 */
export async function findMarginsOfPrinter(
  printer: Printer,
  platform: NodeJS.Platform,
): Promise<Margins | undefined> {
  if (printer.driver !== 'system' || platform === 'win32') return undefined
  const queue = await findCupsQueue(printer, AbortSignal.timeout(maxWaitMs))
  if (!queue.ok || drawnDpi(queue.value, printer) !== undefined) return undefined
  return findMargins(queue.value.server, printer)
}

/** The margins of one medium, when it has the stock's size. */
function getMargins(media: IppValue, stock: SystemPrinter['stock']): Margins | undefined {
  const members = getMembers(media)
  const size = getMembers(members?.find(({ name }) => name === 'media-size')?.values[0])
  if (!members || !size) return undefined
  const isOfStock =
    matches(getFirst(size, 'x-dimension'), stock.widthMm) &&
    matches(getFirst(size, 'y-dimension'), stock.heightMm)
  if (!isOfStock) return undefined
  const margin = (side: string) => {
    const value = getFirst(members, `media-${side}-margin`)
    return typeof value === 'number' ? value / perMm : 0
  }
  return { left: margin('left'), top: margin('top'), right: margin('right'), bottom: margin('bottom') }
}

/** Whether a size, or a range of them, holds a length. */
function matches(value: IppValue | undefined, millimetres: number): boolean {
  if (typeof value === 'number') return Math.abs(value / perMm - millimetres) <= toleranceMm
  if (typeof value !== 'object' || !('lower' in value)) return false
  return millimetres >= value.lower / perMm && millimetres <= value.upper / perMm
}

function getMembers(value: IppValue | undefined): IppAttribute[] | undefined {
  return Array.isArray(value) ? value : undefined
}

function getFirst(members: readonly IppAttribute[], name: string): IppValue | undefined {
  return members.find((member) => member.name === name)?.values[0]
}
