import { type BrightnessDecoder, openBrightness } from './jpegBrightness'
import { objectType } from './pageObjects'
import { type PdfiumApi, readFloats, withMemory } from './pdfiumApi'

/** A4 at 600 dpi has 35 million. */
const maxPixels = 40_000_000
/** How far before its data a stream's dictionary is looked for. */
const maxDictionaryBytes = 4096
/** FPDFBitmap_Gray */
const greyFormat = 1
/** Text that only programs read, such as that of a scan. */
const unseenMode = 3

/** Of a dot: what is nearer to the edge of one is at it, because PDFium counts in single precision. */
const nearEdge = 1 / 32
const stepsOfDot = 64
/** A picture that is askew by more is left to PDFium. */
const maxSkewDots = 0.25

/** The trial is drawn in so many times fewer dots, in this grey, which is in the middle of no rounding. */
const trialScale = 8
const trialGrey = 100
const white = 255
/** Units of a page by which a picture is moved out of sight; a page has 14,400 at most. */
const outOfSight = 1_000_000

/** A loaded page, the PDF that it is in, and how it is drawn. */
interface Page {
  api: PdfiumApi
  handle: number
  /** From 0. */
  number: number
  /** Where its PDF is in PDFium's memory. */
  pdf: { address: number; length: number }
  /** Flags of PDFium's drawing. */
  flags: number
}

interface Size {
  width: number
  height: number
}

/**
 * Draws a page of which nothing is seen but one JPEG, as scans and rendered labels are: decoded to grey and made smaller as
 * PDFium does it, dot for dot, in a third of its time. All that is not plain is left to PDFium: other things on or above the
 * picture, masks, ranges, profiles, progressive or damaged JPEGs, pictures that are askew or to be made larger.
 * @param page without forms
 * @param size in dots
 * @returns its grey pixels, row by row; undefined when PDFium has to draw it
 */
export function drawOnlyPicture(page: Page, size: Size): Uint8Array<ArrayBuffer> | undefined {
  const { api, handle, pdf } = page
  const image = findLastImage(api, handle)
  const place = image === undefined ? undefined : findPlace(api, handle, image.object, size)
  if (image === undefined || place === undefined || place.width * place.height * 2 < size.width * size.height)
    return undefined
  if (!isUnclipped(api, image.object)) return undefined
  const jpeg = readData(api, image.object, pdf.length)
  const decoder = jpeg && openBrightness(jpeg)
  if (jpeg === undefined || decoder === undefined || decoder.bytes > maxPixels) return undefined
  const turned = place.isOnSide ? { width: place.height, height: place.width } : place
  if (decoder.width < turned.width || decoder.height < turned.height) return undefined
  if (!isPlain(Buffer.from(api.HEAPU8.buffer, pdf.address, pdf.length), jpeg, decoder)) return undefined
  if (!isAllThatIsSeen(page, image.index, place, size)) return undefined
  const pixels = new Uint8ClampedArray(decoder.bytes)
  return decoder.decode(pixels) ? put(shrink(pixels, decoder, turned), place, size) : undefined
}

/** The one picture of a page, when nothing is drawn above it; what is drawn below it may be covered. */
function findLastImage(api: PdfiumApi, page: number): { object: number; index: number } | undefined {
  if (api._FPDFPage_GetAnnotCount(page) > 0) return undefined
  for (let index = api._FPDFPage_CountObjects(page) - 1; index >= 0; index -= 1) {
    const object = api._FPDFPage_GetObject(page, index)
    if (api._FPDFPageObj_GetType(object) === objectType.image) return { object, index }
    if (!isUnseenText(api, object)) return undefined
  }
  return undefined
}

function isUnseenText(api: PdfiumApi, object: number): boolean {
  if (api._FPDFPageObj_GetType(object) !== objectType.text) return false
  return api._FPDFTextObj_GetTextRenderMode(object) === unseenMode
}

/** Where a picture comes to lie, in dots, which may be beyond the page's edges. */
interface Place extends Size {
  left: number
  top: number
  /** Its rows run down the page, or up. */
  isOnSide: boolean
  /** Its columns begin at the right, or at the bottom when it is on its side. */
  areColumnsTurned: boolean
  /** Its rows begin at the bottom, or at the right when it is on its side. */
  areRowsTurned: boolean
}

/** Where the corners of a picture come to lie, in dots: its first, that to its right and that above. */
function findCorners(api: PdfiumApi, page: number, image: number, { width, height }: Size) {
  return withMemory(api, 24, (scratch) => {
    if (api._FPDFPageObj_GetMatrix(image, scratch) === 0) return undefined
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = readFloats(api, scratch, 6)
    const toDots = (x: number, y: number) => {
      const [wide, high] = [width * stepsOfDot, height * stepsOfDot]
      api._FPDF_PageToDevice(page, 0, 0, wide, high, 0, x, y, scratch, scratch + 4)
      const point = new DataView(api.HEAPU8.buffer, scratch, 8)
      return { x: point.getInt32(0, true) / stepsOfDot, y: point.getInt32(4, true) / stepsOfDot }
    }
    return { corner: toDots(e, f), right: toDots(a + e, b + f), top: toDots(c + e, d + f) }
  })
}

/** @returns undefined when it is askew */
function findPlace(api: PdfiumApi, page: number, image: number, size: Size): Place | undefined {
  const corners = findCorners(api, page, image, size)
  if (corners === undefined) return undefined
  const { corner, right, top } = corners
  const [across, up] = [
    { x: right.x - corner.x, y: right.y - corner.y },
    { x: top.x - corner.x, y: top.y - corner.y },
  ]
  const isOnSide = Math.abs(across.x) < Math.abs(across.y)
  const skew = isOnSide ? [across.x, up.y] : [across.y, up.x]
  if (skew.some((dots) => Math.abs(dots) > maxSkewDots)) return undefined
  const [xs, ys] = [
    [corner.x, right.x, top.x],
    [corner.y, right.y, top.y],
  ]
  const [left, upper] = [Math.floor(Math.min(...xs) + nearEdge), Math.floor(Math.min(...ys) + nearEdge)]
  return {
    ...{ left, width: Math.ceil(Math.max(...xs) - nearEdge) - left },
    ...{ top: upper, height: Math.ceil(Math.max(...ys) - nearEdge) - upper },
    isOnSide,
    areColumnsTurned: isOnSide ? across.y < 0 : across.x < 0,
    areRowsTurned: isOnSide ? up.x > 0 : up.y > 0,
  }
}

/** Of a point: a clip is taken for at the picture's edge within it. */
const nearClip = 0.005
/** A rectangle has five, or four when nothing closes it. */
const maxClipSegments = 5

/** Whether each path that the picture is clipped by is an upright rectangle around it: what a clip cuts off may be less than the trial shows. */
function isUnclipped(api: PdfiumApi, image: number): boolean {
  const isAround = withMemory(api, 16, (scratch) => {
    if (api._FPDFPageObj_GetBounds(image, scratch, scratch + 4, scratch + 8, scratch + 12) === 0) return false
    const [left = 0, bottom = 0, right = 0, top = 0] = readFloats(api, scratch, 4)
    const path = api._FPDFPageObj_GetClipPath(image)
    const paths = path === 0 ? 0 : api._FPDFClipPath_CountPaths(path)
    for (let index = 0; index < paths; index += 1) {
      const points = readClip(api, path, index, scratch)
      if (points === undefined) return false
      const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
      const [fromX, toX, fromY, toY] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
      if (!points.every(({ x, y }) => (x === fromX || x === toX) && (y === fromY || y === toY))) return false
      const isAroundLow = fromX <= left + nearClip && fromY <= bottom + nearClip
      if (!isAroundLow || !(toX >= right - nearClip && toY >= top - nearClip)) return false
    }
    return true
  })
  return isAround === true
}

/** The corners of a clip; undefined when it is no rectangle. */
function readClip(
  api: PdfiumApi,
  clip: number,
  path: number,
  scratch: number,
): { x: number; y: number }[] | undefined {
  const count = api._FPDFClipPath_CountPathSegments(clip, path)
  if (count < 4 || count > maxClipSegments) return undefined
  return Array.from({ length: count }, (_, index) => {
    api._FPDFPathSegment_GetPoint(api._FPDFClipPath_GetPathSegment(clip, path, index), scratch, scratch + 4)
    const [x = 0, y = 0] = readFloats(api, scratch, 2)
    return { x, y }
  })
}

/** The data of an image as it is in the PDF, decrypted; undefined when there is none in it. */
function readData(api: PdfiumApi, image: number, maxBytes: number): Uint8Array | undefined {
  const length = api._FPDFImageObj_GetImageDataRaw(image, 0, 0)
  if (length === 0 || length > maxBytes) return undefined
  return withMemory(api, length, (address) => {
    api._FPDFImageObj_GetImageDataRaw(image, address, length)
    return api.HEAPU8.slice(address, address + length)
  })
}

/** Whether a PDF says of a JPEG, wherever it is in it, that it is one of its own size and nothing else. */
function isPlain(pdf: Buffer, jpeg: Uint8Array, { width, height, hasColours }: BrightnessDecoder): boolean {
  const stated = [/\/Filter\s*(\/DCTDecode\b|\[\s*\/DCTDecode\s*\])/, /\/BitsPerComponent\s+8\b/]
  stated.push(hasColours ? /\/ColorSpace\s*\/DeviceRGB\b/ : /\/ColorSpace\s*\/DeviceGray\b/)
  stated.push(
    new RegExp(`/Width\\s+${width}\\b(?!\\s+\\d)`),
    new RegExp(`/Height\\s+${height}\\b(?!\\s+\\d)`),
  )
  let at = pdf.indexOf(jpeg)
  if (at === -1) return false
  for (; at !== -1; at = pdf.indexOf(jpeg, at + jpeg.length)) {
    const before = pdf.toString('latin1', Math.max(0, at - maxDictionaryBytes), at)
    // Streams are never packed into others, so that their dictionaries can be read.
    const dictionary = before.slice(before.lastIndexOf('obj'))
    if (!/^obj\s*<<.*>>\s*stream\r?\n$/s.test(dictionary)) return false
    if (!stated.every((entry) => entry.test(dictionary))) return false
    // Decode is a range, and DecodeParms how colours are coded; a # writes a letter as a number.
    if (/\/(SMask|Mask|ImageMask|Decode)|#/.test(dictionary)) return false
  }
  return true
}

/**
 * Whether PDFium paints the picture whole and as bright as it is, with nothing around it: layers, clips and transparency show
 * when the page is drawn small, with one grey in the picture's place; what lies below it and reaches beyond it, by a dot or
 * less even, when it is drawn in its own size without the picture.
 */
function isAllThatIsSeen(
  { api, number, pdf, flags }: Page,
  index: number,
  place: Place,
  size: Size,
): boolean {
  const small = { width: Math.ceil(size.width / trialScale), height: Math.ceil(size.height / trialScale) }
  // Opened once more: the page itself would keep the grey.
  const document = api._FPDF_LoadMemDocument(pdf.address, pdf.length, 0)
  const page = document === 0 ? 0 : api._FPDF_LoadPage(document, number)
  try {
    if (page === 0) return false
    const image = api._FPDFPage_GetObject(page, index)
    const smallPlace = findPlace(api, page, image, small)
    if (smallPlace === undefined || !paintGrey(api, image)) return false
    if (!draw(api, page, small, flags, (pixels) => isPainted(pixels, smallPlace, small))) return false
    if (isNothingBelow(api, page, index)) return true
    api._FPDFPageObj_Transform(image, 1, 0, 0, 1, outOfSight, outOfSight)
    return draw(api, page, size, flags, (pixels) => isWhiteAround(pixels, place, size))
  } finally {
    if (page !== 0) api._FPDF_ClosePage(page)
    if (document !== 0) api._FPDF_CloseDocument(document)
  }
}

/** Draws a page without its fields, and judges its grey pixels; false when there is no memory for them. */
function draw(
  api: PdfiumApi,
  page: number,
  { width, height }: Size,
  flags: number,
  judge: (pixels: Uint8Array) => boolean,
): boolean {
  const isAccepted = withMemory(api, width * height, (address) => {
    const bitmap = api._FPDFBitmap_CreateEx(width, height, greyFormat, address, width)
    if (bitmap === 0) return false
    api.HEAPU8.fill(white, address, address + width * height)
    api._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags)
    api._FPDFBitmap_Destroy(bitmap)
    return judge(api.HEAPU8.subarray(address, address + width * height))
  })
  return isAccepted === true
}

function isNothingBelow(api: PdfiumApi, page: number, index: number): boolean {
  for (let below = 0; below < index; below += 1) {
    if (!isUnseenText(api, api._FPDFPage_GetObject(page, below))) return false
  }
  return true
}

function paintGrey(api: PdfiumApi, image: number): boolean {
  const isPainted = withMemory(api, 4, (pixel) => {
    api.HEAPU8[pixel] = trialGrey
    const bitmap = api._FPDFBitmap_CreateEx(1, 1, greyFormat, pixel, 4)
    if (bitmap === 0) return false
    const isSet = api._FPDFImageObj_SetBitmap(0, 0, image, bitmap) !== 0
    api._FPDFBitmap_Destroy(bitmap)
    return isSet
  })
  return isPainted === true
}

/** Whether there is the grey at the picture's place and white elsewhere, but for the dots along its edge. */
function isPainted(pixels: Uint8Array, { left, top, width, height }: Place, page: Size): boolean {
  const isWithin = (at: number, from: number, length: number, more: number) =>
    at >= from - more && at < from + length + more
  return pixels.every((pixel, at) => {
    const [x, y] = [at % page.width, Math.floor(at / page.width)]
    if (isWithin(x, left, width, 0) && isWithin(y, top, height, 0)) return pixel === trialGrey
    return pixel === white || (isWithin(x, left, width, 1) && isWithin(y, top, height, 1))
  })
}

/** Whether every dot is white but those of the picture's place. */
function isWhiteAround(pixels: Uint8Array, { left, top, width, height }: Place, page: Size): boolean {
  for (let y = 0; y < page.height; y += 1) {
    const row = y * page.width
    const isBeside = y >= top && y < top + height
    const [end, begin] = isBeside ? [Math.max(0, left), Math.max(0, left + width)] : [page.width, page.width]
    for (let at = row; at < row + end; at += 1) if (pixels[at] !== white) return false
    for (let at = row + begin; at < row + page.width; at += 1) if (pixels[at] !== white) return false
  }
  return true
}

/**
 * Makes a picture smaller: each pixel is the mean of those that it takes the place of, by how much of it each of them covers.
 * White, of which labels are full, is not calculated.
 */
function shrink(pixels: Uint8ClampedArray, source: BrightnessDecoder, { width, height }: Size): Uint8Array {
  const narrow = new Uint8Array(width * source.height).fill(white)
  narrowRows(new Int32Array(pixels.buffer), pixels, source, toShares(source.width, width), narrow)
  const small = new Uint8Array(width * height).fill(white)
  const { first, count, shares, most } = toShares(source.height, height)
  for (let y = 0; y < height; y += 1) {
    const [from, rows] = [first[y] ?? 0, count[y] ?? 0]
    const row = small.subarray(y * width, (y + 1) * width)
    flattenRows(narrow, from * width, shares.subarray(y * most, y * most + rows), row)
  }
  return small
}

/** Which pixels each smaller one takes the place of, and how much of it each of them is, in parts of `whole`. */
interface Shares {
  first: Int32Array
  count: Int32Array
  shares: Int32Array
  /** From the shares of one pixel to those of the next. */
  most: number
}

const whole = 1 << 16

/** As PDFium counts them: each share is rounded with what the one before lost, and the last one is what is left. */
function toShares(from: number, to: number): Shares {
  const scale = from / to
  const most = Math.ceil(scale) + 1
  const [first, count, shares] = [new Int32Array(to), new Int32Array(to), new Int32Array(to * most)]
  for (let place = 0; place < to; place += 1) {
    const start = Math.floor(place * scale)
    const last = Math.min(Math.floor((place + 1) * scale), from - 1)
    let left = whole
    let lost = 0
    for (let at = start; at < last; at += 1) {
      const part = Math.max(0, Math.min((at + 1) / scale, place + 1) - Math.max(at / scale, place))
      const share = Math.round((part + lost) * whole)
      lost = part - share / whole
      left -= share
      shares[place * most + at - start] = share
    }
    // Where nothing is left for the last one, the one before it makes up for the rounding.
    const end = left <= 0 && last > start ? last - 1 : last
    shares[place * most + end - start] = (shares[place * most + end - start] ?? 0) + left
    first[place] = start
    count[place] = end - start + 1
  }
  return { first, count, shares, most }
}

/** Four white pixels, as one number. */
const fourWhite = -1

/** @param words the same pixels, four in each: rows are made of whole blocks */
function narrowRows(
  words: Int32Array,
  pixels: Uint8ClampedArray,
  { height, rowBytes }: BrightnessDecoder,
  { first, count, shares, most }: Shares,
  narrow: Uint8Array,
): void {
  const [width, perRow] = [first.length, rowBytes >> 2]
  // Up to which smaller pixel each word is part of one.
  const ends = new Int32Array(perRow)
  for (let word = 0, x = 0; word < perRow; word += 1) {
    while (x < width && (first[x] ?? 0) < word * 4 + 4) x += 1
    ends[word] = x
  }
  for (let y = 0; y < height; y += 1) {
    const [row, out] = [y * rowBytes, y * width]
    let x = 0
    for (let word = 0; word < perRow; word += 1) {
      if (words[y * perRow + word] === fourWhite) continue
      // The last smaller pixel of the words before may take part in this one.
      x = Math.max(x, word === 0 ? 0 : (ends[word - 1] ?? 0) - 1)
      const end = ends[word] ?? 0
      for (; x < end; x += 1) {
        let at = (row + (first[x] ?? 0)) | 0
        let share = Math.imul(x, most)
        let sum = 0
        for (const last = at + (count[x] ?? 0); at < last; at += 1) {
          sum += Math.imul(pixels[at] ?? 0, shares[share] ?? 0)
          share += 1
        }
        narrow[out + x] = sum >>> 16
      }
    }
  }
}

/** @param start where the first of as many rows as there are shares begins in `pixels` */
function flattenRows(pixels: Uint8Array, start: number, shares: Int32Array, flat: Uint8Array): void {
  const view = new DataView(pixels.buffer)
  const [width, end] = [flat.length, start + shares.length * flat.length]
  for (let x = 0; x < width; x += 4) {
    let isWhite = x + 4 <= width
    for (let at = start + x; isWhite && at < end; at += width) isWhite = view.getInt32(at, true) === fourWhite
    if (isWhite) continue
    for (let column = x; column < x + 4 && column < width; column += 1) {
      let sum = 0
      let row = 0
      for (let at = start + column; at < end; at += width) {
        sum += Math.imul(pixels[at] ?? 0, shares[row] ?? 0)
        row += 1
      }
      flat[column] = sum >>> 16
    }
  }
}

/** Puts a picture at its place on a white page. */
function put(picture: Uint8Array, place: Place, size: Size): Uint8Array<ArrayBuffer> {
  const { left, top, width, height, isOnSide, areColumnsTurned, areRowsTurned } = place
  const columns = isOnSide ? height : width
  const rows = picture.length / columns
  // From one pixel of the page to the next, along the picture's rows and across them.
  const along = areColumnsTurned ? -1 : 1
  const across = areRowsTurned ? -columns : columns
  const origin = (areColumnsTurned ? columns - 1 : 0) + (areRowsTurned ? (rows - 1) * columns : 0)
  const [stepX, stepY] = isOnSide ? [across, along] : [along, across]
  const pixels = new Uint8Array(size.width * size.height).fill(white)
  const [firstX, lastX] = [Math.max(0, left), Math.min(size.width, left + width)]
  for (let y = Math.max(0, top); y < Math.min(size.height, top + height); y += 1) {
    let from = origin + (y - top) * stepY + (firstX - left) * stepX
    if (stepX === 1) {
      pixels.set(picture.subarray(from, from + lastX - firstX), y * size.width + firstX)
      continue
    }
    for (let x = firstX; x < lastX; x += 1) {
      pixels[y * size.width + x] = picture[from] ?? white
      from += stepX
    }
  }
  return pixels
}
