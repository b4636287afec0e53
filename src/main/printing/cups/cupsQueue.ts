import { type AppError, appError } from '../../../shared/errors'
import type { LabelFinding } from '../../../shared/labels'
import { type PrinterRemark, toOwnWords } from '../../../shared/printerRemarks'
import {
  type Dpi,
  getPrinterName,
  type Printer,
  printHeads,
  type SystemPrinter,
} from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { findSystemProgram, runProgram } from '../../lib/programs'
import { type Margins, type PageSize, sameSize, sizeInWords } from '../layout/geometry'
import { toMissingStock } from '../layout/labelLayout'
import { getMarginsAt } from '../raster/sheetPdf'
import {
  askAboutQueue,
  getFlag,
  getResolution,
  type IppAttribute,
  type IppGroup,
  type IppValue,
  type PrintServer,
  printerStopped,
  toNumber,
  toText,
  toTexts,
  toValues,
} from './ipp'

const rawFormat = 'application/vnd.cups-raw'
const isRaw = /\braw printer\b/i
// No attribute shows that a queue accepts ZPL; only the name of a raw queue or of a label printer's driver does. The
// name shows Zebra's other languages as well.
const mayTakeZpl = /\braw printer\b|zpl|zebra|\btsc\b|honeywell|citizen|sato|godex/i
const isZebra = /zpl|zebra/i
const otherLanguage = /\b(epl[12]?|cpcl)\b/i
/** Drivers state the resolution of a print head with this deviation; 300 and 305 dpi are five apart. */
const toleranceDpi = 2

/** The attributes of a queue that printing a label needs. */
export interface CupsQueue {
  server: PrintServer
  /** The names of supported media. */
  media: string[]
  /** Whether raw ZPL sent to it reaches a printer that reads ZPL. */
  takesZpl: boolean
  /** Whether it passes bytes on unchanged. The app must draw labels then, since nothing behind the queue reads PDF. */
  isRaw: boolean
  /** The print head's resolution, if the printer certainly reads ZPL; undefined when either is unknown. */
  zplHead: Dpi | undefined
  /** The resolution of its driver; undefined when it states none. */
  dpi: number | undefined
  /** Why it prints none of its jobs; undefined when it is not stopped. */
  stopped: PrinterRemark[] | undefined
}

/**
 * Reads the attributes of a printer's queue.
 * @returns the errors `printer-failed` without CUPS, `printer-unreachable` when it does not answer,
 * `printer-not-found` without such a queue, `printer-stopped` when the queue takes no jobs
 */
export async function findCupsQueue(printer: SystemPrinter, signal: AbortSignal): Promise<Result<CupsQueue>> {
  const found = await findPrintServer()
  if (!found.ok) {
    return err(found.error === 'missing' ? withoutCups(printer) : noAnswer(printer, found.error.words))
  }
  const server = found.value
  const wanted = [
    'media-supported',
    'document-format-supported',
    'printer-make-and-model',
    'printer-resolution-default',
    'printer-is-accepting-jobs',
    'printer-state',
    'printer-state-message',
  ]
  const answer = await askAboutQueue(server, printer.queue, wanted, signal)
  if (!answer.ok) {
    return err(
      answer.error.kind === 'not-found' ? noSuchQueue(printer) : noAnswer(printer, answer.error.reason),
    )
  }
  const attributes = answer.value
  if (getFlag(attributes, 'printer-is-accepting-jobs') === false) return err(rejecting(printer, attributes))
  const model = toText(attributes, 'printer-make-and-model') ?? ''
  const takesZpl =
    toTexts(attributes, 'document-format-supported').includes(rawFormat) &&
    mayTakeZpl.test(model) &&
    !otherLanguage.test(model)
  const dpi = getResolution(attributes, 'printer-resolution-default')
  return ok({
    server,
    media: toTexts(attributes, 'media-supported'),
    takesZpl,
    dpi,
    isRaw: isRaw.test(model),
    stopped:
      toNumber(attributes, 'printer-state') === printerStopped
        ? [{ code: 'paused' }, ...quoteState(attributes)]
        : undefined,
    zplHead:
      takesZpl && isZebra.test(model)
        ? printHeads.find((head) => Math.abs(head - (dpi ?? 0)) <= toleranceDpi)
        : undefined,
  })
}

/** The resolution at which the app draws PDF labels for a queue; undefined when CUPS draws them. */
export function getDrawingDpi(queue: CupsQueue, { dpi, language }: SystemPrinter): Dpi | undefined {
  const isRaw = queue.isRaw || language !== undefined
  return isRaw ? (dpi ?? queue.zplHead ?? 203) : queue.zplHead && (dpi ?? queue.zplHead)
}

/**
 * The `media` option for a printer's stock, or for its sheet of labels. Without it, or with a value that the queue does
 * not offer, CUPS lays the label on Letter without an error.
 * @returns the finding that the queue does not offer the stock, with the stocks that it offers
 */
export function findMedia(queue: CupsQueue, printer: SystemPrinter): Result<string, LabelFinding> {
  const { paper, sheet, stock } = printer
  const size = sheet ?? stock
  const media =
    paper === undefined ? chooseMedia(queue.media, size) : queue.media.find((each) => each === paper)
  return media === undefined
    ? err(toMissingStock({ paper, stock: size }, queue.media.map(mediaInWords)))
    : ok(media)
}

/** The `media` option for a custom size. A queue that does not accept it uses its default. */
export function toCustomMedia({ widthMm, heightMm }: PageSize): string {
  return `Custom.${widthMm}x${heightMm}mm`
}

/** The named media of a queue, without the bounds of custom sizes. */
export function listNamedMedia(media: readonly string[]): { paper: string; size: PageSize | null }[] {
  return media
    .filter((each) => !bounds.test(each))
    .map((paper) => ({ paper, size: toMediaSize(paper) ?? null }))
}

/** The error when CUPS' programs are not installed. */
export function withoutCups(printer: SystemPrinter): AppError {
  return appError('print-service-missing', { printer: getPrinterName(printer) })
}

export function noSuchQueue(printer: SystemPrinter): AppError {
  return appError('printer-not-found', {
    case: 'no-queue',
    printer: getPrinterName(printer),
    queue: printer.queue,
  })
}

function noAnswer(printer: SystemPrinter, reason: string): AppError {
  return appError('printer-unreachable', { case: 'spooler', printer: getPrinterName(printer) }, [
    { code: 'spooler-silent', words: reason },
  ])
}

function rejecting(printer: SystemPrinter, attributes: IppGroup | undefined): AppError {
  const details = { printer: getPrinterName(printer), queue: printer.queue }
  return appError('printer-stopped', details, quoteState(attributes))
}

function quoteState(attributes: IppGroup | undefined): PrinterRemark[] {
  const words = toText(attributes, 'printer-state-message') ?? ''
  return words === '' ? [] : [toOwnWords(words)]
}

function mediaInWords(media: string): string {
  const size = toMediaSize(media)
  return size === undefined ? media : sizeInWords(size)
}

const defaultPort = 631
const timeoutMs = 5000
/**
 * Starting a program takes a third of the time of a print job. A change of client.conf takes effect after this time.
 */
const cacheMs = 60_000

let cached: { environment: string; until: number; server: PrintServer } | undefined

/**
 * The print server that `lp` uses. CUPS' programs choose it from CUPS_SERVER and from client.conf of the user and of
 * the system, so `lpstat` is asked. When it does not answer in time, as on a busy computer, its previous answer is
 * used.
 * @returns `missing` when CUPS is not installed, or the words of a program that failed
 */
export async function findPrintServer(): Promise<Result<PrintServer, 'missing' | { words: string }>> {
  const environment = process.env.CUPS_SERVER ?? ''
  const known = cached?.environment === environment ? cached : undefined
  if (known !== undefined && known.until > Date.now()) return ok(known.server)
  const end = await runProgram(findSystemProgram('lpstat'), ['-H'], { timeoutMs })
  if (end.kind === 'missing') return err('missing')
  if (end.kind !== 'success') {
    if (end.kind === 'killed' && known !== undefined) return ok(known.server)
    return err({ words: end.words === '' ? 'lpstat -H' : end.words })
  }
  const server = parsePrintServer(end.output.trim())
  if (server === undefined) return err({ words: end.output.trim().slice(0, maxServerWords) })
  cached = { environment, until: Date.now() + cacheMs, server }
  return ok(server)
}

/** A server's name is short; of other output only this many characters are quoted. */
const maxServerWords = 100

/** Reads the output of `lpstat -H`: `/run/cups/cups.sock`, `localhost:631` or `[::1]:631`. */
export function parsePrintServer(text: string): PrintServer | undefined {
  if (text.startsWith('/')) return { socketPath: text }
  const match = /^(?:\[(?<six>[^\]]+)\]|(?<name>[^:]+))(?::(?<port>\d+))?$/.exec(text)
  const host = match?.groups?.six ?? match?.groups?.name
  return host === undefined ? undefined : { host, port: Number(match?.groups?.port ?? defaultPort) }
}

const mmPerInch = 25.4
// A self-describing media name (PWG 5101.1): class, name, and size with its unit.
const selfDescribing =
  /^(?<kind>[a-z0-9]+)_(?<name>[a-z0-9.-]+)_(?<width>[\d.]+)x(?<height>[\d.]+)(?<unit>mm|in)$/

/** The names that bound custom sizes. A PPD's own names, such as DYMO's, may also begin with «custom». */
const bounds = /^custom_(min|max)_/

/** The size in a media name; undefined when the name states none. */
export function toMediaSize(media: string): PageSize | undefined {
  const groups = selfDescribing.exec(media)?.groups
  if (groups === undefined) return undefined
  const scale = groups.unit === 'in' ? mmPerInch : 1
  return { widthMm: Number(groups.width) * scale, heightMm: Number(groups.height) * scale }
}

/**
 * The value of CUPS' `media` option for a stock, or undefined when the queue does not offer the size. The nearest named
 * size within 1 mm comes first, then a custom size, if the queue accepts it.
 * @param supported the queue's media-supported
 */
export function chooseMedia(supported: string[], stock: PageSize): string | undefined {
  const near = supported
    .filter((media) => !bounds.test(media))
    .flatMap((media) => {
      const size = toMediaSize(media)
      return size !== undefined && sameSize(size, stock) ? [{ media, distance: distance(size, stock) }] : []
    })
    .sort((one, other) => one.distance - other.distance)
  if (near[0] !== undefined) return near[0].media
  return acceptsCustomSize(supported, stock) ? toCustomMedia(stock) : undefined
}

/** Whether a size lies between a queue's `custom_min_…` and `custom_max_…`. */
function acceptsCustomSize(supported: string[], stock: PageSize): boolean {
  const bound = (name: string) => {
    const media = supported.find((each) => each.startsWith(`custom_${name}_`))
    return media === undefined ? undefined : toMediaSize(media)
  }
  const min = bound('min')
  const max = bound('max')
  if (min === undefined || max === undefined) return false
  return (
    stock.widthMm >= min.widthMm &&
    stock.heightMm >= min.heightMm &&
    stock.widthMm <= max.widthMm &&
    stock.heightMm <= max.heightMm
  )
}

function distance(one: PageSize, other: PageSize): number {
  return Math.abs(one.widthMm - other.widthMm) + Math.abs(one.heightMm - other.heightMm)
}

/** IPP states sizes and margins in hundredths of a millimetre. */
const perMm = 100
/** The same tolerance as for the medium of a stock. */
const toleranceMm = 1
/** Short, because a person waits for it. */
const maxWaitMs = 2000

/**
 * The unprintable margins of a printer's stock, or of its sheet of labels, from its queue. A queue may list a size with
 * and without margins: the larger margins count, since a borderless medium has a name of its own, which the app does not
 * ask for.
 * @returns undefined when the queue does not list the size
 */
export async function findMargins(server: PrintServer, printer: SystemPrinter): Promise<Margins | undefined> {
  const { sheet, stock } = printer
  const answer = await askAboutQueue(server, printer.queue, ['media-col-database'])
  if (!answer.ok) return undefined
  const database = toValues(answer.value, 'media-col-database')
  const found = database.flatMap((media) => getMargins(media, sheet ?? stock) ?? [])
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
 * The unprintable margins of a printer's stock, from its queue; for sheets of labels, the widest that a label on any
 * place has.
 * @returns undefined for printers without a CUPS queue, and when the app draws every dot itself
 */
export async function findMarginsOfPrinter(
  printer: Printer,
  platform: NodeJS.Platform,
): Promise<Margins | undefined> {
  if (printer.driver !== 'system' || platform === 'win32') return undefined
  const queue = await findCupsQueue(printer, AbortSignal.timeout(maxWaitMs))
  if (!queue.ok || getDrawingDpi(queue.value, printer) !== undefined) return undefined
  const margins = await findMargins(queue.value.server, printer)
  const { sheet, stock } = printer
  if (margins === undefined || sheet === undefined) return margins
  const last = sheet.columns * sheet.rows - 1
  const layout = { sheet, stock }
  return getLargerMargins(getMarginsAt(0, margins, layout), getMarginsAt(last, margins, layout))
}

/** The margins of a medium; undefined when it does not have the stock's size. */
function getMargins(media: IppValue, stock: PageSize): Margins | undefined {
  const members = getMembers(media)
  const size = getMembers(members?.find(({ name }) => name === 'media-size')?.values[0])
  if (!members || !size) return undefined
  const hasStockSize =
    matchesLength(getFirst(size, 'x-dimension'), stock.widthMm) &&
    matchesLength(getFirst(size, 'y-dimension'), stock.heightMm)
  if (!hasStockSize) return undefined
  const margin = (side: string) => {
    const value = getFirst(members, `media-${side}-margin`)
    return typeof value === 'number' ? value / perMm : 0
  }
  return { left: margin('left'), top: margin('top'), right: margin('right'), bottom: margin('bottom') }
}

/** Whether an IPP length, or a range of lengths, matches a length. */
function matchesLength(value: IppValue | undefined, millimetres: number): boolean {
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

const maxDarkness = 30
/** Larger speeds are in mm/s: no label printer prints 16 in/s. */
const maxInches = 15
/** The maximum relative deviation of a speed in mm/s from the setting. */
const maxDeviation = 0.05
/**
 * The option names for darkness and speed in CUPS' own drivers (Zebra, Intellitech, DYMO) and those of manufacturers.
 */
const profileOptions = {
  darkness: {
    names:
      /^(cupsdarkness|darkness|darknesslevel|printdarkness|inprintdensity|dymoprintdensity|printdensity|density)$/i,
    choose: chooseDarkness,
  },
  speed: { names: /^(zeprintrate|inprintrate|printrate|printspeed|speed)$/i, choose: chooseSpeed },
}

interface QueueOption {
  name: string
  choices: string[]
}

/**
 * The `lp` options for the darkness and speed of a printer's settings.
 * @returns none when the settings state neither; `darkness-not-supported` or `speed-not-supported` for a value that the
 *   queue does not offer, `setting-needs-language` for a setting that needs the printer's language
 */
export async function findProfileOptions(printer: SystemPrinter): Promise<Result<string[]>> {
  const refused = findSettingWithoutLanguage(printer)
  if (refused !== undefined) return err(refused)
  const stated = listProfile(printer)
  if (stated.length === 0) return ok([])
  const end = await runProgram(findSystemProgram('lpoptions'), ['-p', printer.queue, '-l'], { timeoutMs })
  const options = end.kind === 'success' ? parseQueueOptions(end.output) : []
  const found: string[] = []
  for (const { setting, value } of stated) {
    const { names, choose } = profileOptions[setting]
    const option = options.find(({ name }) => names.test(name))
    const choice = option && choose(option.choices, value)
    if (option === undefined || choice === undefined)
      return err(notSupported({ setting, value }, printer, option))
    found.push(`${option.name}=${choice}`)
  }
  return ok(found)
}

interface StatedProfile {
  setting: 'darkness' | 'speed'
  value: number
}

/** The darkness and speed that a printer's settings state. */
export function listProfile(printer: SystemPrinter): StatedProfile[] {
  return (['darkness', 'speed'] as const).flatMap((setting) => {
    const value = printer[setting]
    return value === undefined ? [] : [{ setting, value }]
  })
}

/** Reads the lines of `lpoptions -l`: `Darkness/Darkness: *-1 1 2 3`. */
export function parseQueueOptions(output: string): QueueOption[] {
  return output.split('\n').flatMap((line) => {
    const { name, choices } = /^(?<name>[^/:\s]+)(?:\/[^:]*)?:(?<choices>.*)$/.exec(line)?.groups ?? {}
    if (name === undefined || choices === undefined) return []
    return [
      {
        name,
        choices: choices.split(/\s+/).flatMap((each) => (each === '' ? [] : [each.replace(/^\*/, '')])),
      },
    ]
  })
}

/**
 * The driver's choice for a darkness from 0 to 30: the same number, the number shifted to -15…15, or its quarter among
 * DYMO's four words.
 */
export function chooseDarkness(choices: readonly string[], darkness: number): string | undefined {
  const words = choices.filter((choice) => /^(light|medium|normal|dark)$/i.test(choice))
  if (words.length === 4) return words[Math.floor((darkness * words.length) / (maxDarkness + 1))]
  const centred = choices.includes('-15') && choices.includes('15')
  return choices.find((choice) => choice === String(centred ? darkness - maxDarkness / 2 : darkness))
}

/** The driver's choice for a speed in in/s; if the driver uses mm/s, the nearest within 5 %. */
export function chooseSpeed(choices: readonly string[], inches: number): string | undefined {
  const speeds = choices.flatMap((choice) => {
    const value = /^(\d+(?:\.\d+)?)/.exec(choice)?.[1]
    return value === undefined ? [] : [{ choice, value: Number(value) }]
  })
  const inMm = speeds.some(({ value }) => value > maxInches)
  const wanted = inMm ? inches * mmPerInch : inches
  const allowed = inMm ? wanted * maxDeviation : 0
  return speeds
    .filter(({ value }) => Math.abs(value - wanted) <= allowed)
    .toSorted((one, other) => Math.abs(one.value - wanted) - Math.abs(other.value - wanted))[0]?.choice
}

/** The error for a setting that needs the printer's language, which a queue that draws labels itself does not have. */
export function findSettingWithoutLanguage(printer: SystemPrinter): AppError | undefined {
  const setting = languageSettings.find((name) => printer[name] !== undefined)
  if (setting === undefined) return undefined
  return appError('setting-needs-language', {
    printer: getPrinterName(printer),
    queue: printer.queue,
    setting,
  })
}

const languageSettings = ['stockTracking', 'printMode', 'darknessChange'] as const

/** The error for a darkness or speed that a queue does not offer. */
export function notSupported(
  { setting, value }: StatedProfile,
  printer: SystemPrinter,
  option?: QueueOption,
): AppError {
  const supported = option?.choices.join(', ') ?? ''
  return appError(`${setting}-not-supported`, {
    printer: getPrinterName(printer),
    queue: printer.queue,
    value: String(value),
    supported,
  })
}
