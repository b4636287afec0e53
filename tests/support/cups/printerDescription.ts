import {
  groupTag,
  type IppAttribute,
  type IppGroup,
  type IppValue,
  valueTag,
} from '../../../src/main/printing/cups/ipp'

/** A label size: its PWG name, and its dimensions in hundredths of a millimetre. */
export interface Media {
  name: string
  width: number
  height: number
}

/** The most common stocks of label printers: 100x150 mm, 4x6 inch and A6. */
export const labelMedia: Media[] = [
  { name: 'oe_label-100x150_100x150mm', width: 10_000, height: 15_000 },
  { name: 'na_index-4x6_4x6in', width: 10_160, height: 15_240 },
  { name: 'iso_a6_105x148mm', width: 10_500, height: 14_800 },
]

/** Bounds within which a printer accepts any size, in hundredths of a millimetre. */
export interface AnySize {
  width: [number, number]
  height: [number, number]
}

interface Description {
  uri: string
  media: Media[]
  anySize: AnySize | undefined
  formats: string[]
  /** `none`, or the reason why the printer has stopped. */
  reason: string
}

const dpi = { x: 203, y: 203 }
const state = { idle: 3, stopped: 5 }

/** The attributes from which CUPS creates a queue for a printer (IPP Everywhere, PWG 5100.14). */
export function describePrinter({ uri, media, anySize, formats, reason }: Description): IppGroup {
  const names = media.map((each) => each.name)
  const stopped = reason !== 'none'
  return {
    tag: groupTag.printer,
    attributes: [
      attribute('printer-uri-supported', valueTag.uri, uri),
      attribute('uri-security-supported', valueTag.keyword, 'none'),
      attribute('uri-authentication-supported', valueTag.keyword, 'none'),
      attribute('printer-name', valueTag.name, 'fake'),
      attribute('printer-info', valueTag.text, 'Pretended label printer'),
      attribute('printer-make-and-model', valueTag.text, 'Packbench Pretended Label Printer'),
      attribute('printer-uuid', valueTag.uri, 'urn:uuid:6c0f3a52-6a55-4b83-9f4a-0a4c16a7e8d1'),
      attribute('printer-state', valueTag.enumeration, stopped ? state.stopped : state.idle),
      attribute('printer-state-reasons', valueTag.keyword, reason),
      attribute('printer-is-accepting-jobs', valueTag.boolean, true),
      attribute('queued-job-count', valueTag.integer, 0),
      attribute('ipp-versions-supported', valueTag.keyword, '1.1', '2.0'),
      attribute('ipp-features-supported', valueTag.keyword, 'ipp-everywhere'),
      attribute('operations-supported', valueTag.enumeration, 2, 4, 5, 6, 8, 9, 10, 11),
      attribute('charset-configured', valueTag.charset, 'utf-8'),
      attribute('charset-supported', valueTag.charset, 'utf-8'),
      attribute('natural-language-configured', valueTag.language, 'en'),
      attribute('generated-natural-language-supported', valueTag.language, 'en'),
      attribute('compression-supported', valueTag.keyword, 'none'),
      attribute('document-format-default', valueTag.mimeType, ...formats.slice(0, 1)),
      attribute('document-format-supported', valueTag.mimeType, ...formats),
      attribute('color-supported', valueTag.boolean, false),
      attribute('print-color-mode-supported', valueTag.keyword, 'monochrome'),
      attribute('print-color-mode-default', valueTag.keyword, 'monochrome'),
      attribute('sides-supported', valueTag.keyword, 'one-sided'),
      attribute('sides-default', valueTag.keyword, 'one-sided'),
      attribute('copies-supported', valueTag.range, { lower: 1, upper: 99 }),
      attribute('copies-default', valueTag.integer, 1),
      attribute('orientation-requested-supported', valueTag.enumeration, 3, 4, 5, 6),
      attribute('print-quality-supported', valueTag.enumeration, 4),
      attribute('print-quality-default', valueTag.enumeration, 4),
      attribute('print-scaling-supported', valueTag.keyword, 'none'),
      attribute('printer-resolution-supported', valueTag.resolution, dpi),
      attribute('printer-resolution-default', valueTag.resolution, dpi),
      attribute('pwg-raster-document-resolution-supported', valueTag.resolution, dpi),
      attribute('pwg-raster-document-type-supported', valueTag.keyword, 'sgray_8', 'black_1'),
      attribute('media-supported', valueTag.keyword, ...names, ...boundNames(anySize)),
      attribute('media-default', valueTag.keyword, ...names.slice(0, 1)),
      attribute('media-ready', valueTag.keyword, ...names.slice(0, 1)),
      attribute('media-source-supported', valueTag.keyword, 'main-roll'),
      attribute('media-type-supported', valueTag.keyword, 'labels'),
      ...['bottom', 'left', 'right', 'top'].map((side) =>
        attribute(`media-${side}-margin-supported`, valueTag.integer, 0),
      ),
      attribute('media-col-supported', valueTag.keyword, 'media-size', 'media-source', 'media-type'),
      attribute('media-size-supported', valueTag.collection, ...media.map(toSize), ...sizeRange(anySize)),
      attribute('media-col-default', valueTag.collection, ...media.slice(0, 1).map(mediaCollection)),
      attribute('media-col-ready', valueTag.collection, ...media.slice(0, 1).map(mediaCollection)),
      attribute('media-col-database', valueTag.collection, ...media.map(mediaCollection)),
    ],
  }
}

function toSize(media: Media): IppAttribute[] {
  return [
    attribute('x-dimension', valueTag.integer, media.width),
    attribute('y-dimension', valueTag.integer, media.height),
  ]
}

function boundNames(anySize: AnySize | undefined): string[] {
  if (anySize === undefined) return []
  const [min, max] = [0, 1].map(
    (end) => `${(anySize.width[end] ?? 0) / 100}x${(anySize.height[end] ?? 0) / 100}mm`,
  )
  return [`custom_min_${min}`, `custom_max_${max}`]
}

function sizeRange(anySize: AnySize | undefined): IppAttribute[][] {
  if (anySize === undefined) return []
  const range = ([lower, upper]: [number, number]) => ({ lower, upper })
  return [
    [
      attribute('x-dimension', valueTag.range, range(anySize.width)),
      attribute('y-dimension', valueTag.range, range(anySize.height)),
    ],
  ]
}

function mediaCollection(media: Media): IppAttribute[] {
  return [
    attribute('media-size', valueTag.collection, toSize(media)),
    ...['bottom', 'left', 'right', 'top'].map((side) =>
      attribute(`media-${side}-margin`, valueTag.integer, 0),
    ),
    attribute('media-source', valueTag.keyword, 'main-roll'),
    attribute('media-type', valueTag.keyword, 'labels'),
  ]
}

function attribute(name: string, tag: number, ...values: IppValue[]): IppAttribute {
  return { name, tag, values }
}
