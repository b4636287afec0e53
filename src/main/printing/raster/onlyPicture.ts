import { type BrightnessDecoder, openBrightness } from './jpegBrightness'
import { objectType } from './pageObjects'
import { type PdfiumApi, readFloats, withMemory } from './pdfiumApi'

/** A4 at 600 dpi has 35 million. */
const maxPixels = 40_000_000
/** A stream's dictionary is searched within this distance before its data. */
const maxDictionaryBytes = 4096
/** FPDFBitmap_Gray */
const greyFormat = 1
/** Invisible text, such as the recognized text of a scan. */
const unseenMode = 3

/** In dots: a position nearer to a dot's edge counts as on it, because PDFium calculates in single precision. */
const nearEdge = 1 / 32
const stepsOfDot = 64
/** PDFium draws pictures with more skew. */
const maxSkewDots = 0.25

/** The scale of the trial drawing, and its grey, which no rounding changes. */
const trialScale = 8
const trialGrey = 100
const white = 255
/** Moves a picture off the page, in page units; a page has at most 14,400. */
const outOfSight = 1_000_000

/** A loaded page, its PDF, and the drawing options. */
interface Page {
  api: PdfiumApi
  handle: number
  /** From 0. */
  number: number
  /** The address of its PDF in PDFium's memory. */
  pdf: { address: number; length: number }
  /** PDFium's drawing flags. */
  flags: number
}

interface Size {
  width: number
  height: number
}

/**
 * Draws a page that shows nothing but one JPEG, such as a scan or a rendered label. It decodes the JPEG to grey and
 * reduces it exactly as PDFium does, dot for dot, in a third of the time. PDFium draws everything else: objects on or
 * above the picture, masks, ranges, profiles, progressive or damaged JPEGs, pictures that are skewed or enlarged.
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

/** The last object of a page, if it is a picture; objects below it may be covered. */
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

/** The position of a picture in dots; it may extend past the page. */
interface Place extends Size {
  left: number
  top: number
  /** Whether its rows run down or up the page. */
  isOnSide: boolean
  /** Whether its columns begin at the right, or at the bottom when it lies on its side. */
  areColumnsTurned: boolean
  /** Whether its rows begin at the bottom, or at the right when it lies on its side. */
  areRowsTurned: boolean
}

/** Three corners of a picture in dots: the first, the one to its right and the one above. */
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

/** @returns undefined when the picture is skewed */
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

/** In points: a clip this near to the picture's edge counts as on the edge. */
const nearClip = 0.005
/** A rectangle has five segments, or four if it is not closed. */
const maxClipSegments = 5

/**
 * Whether every clip path is an upright rectangle around the picture. The trial drawing may miss what a clip cuts off.
 */
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

/** The corners of a clip; undefined when it is not a rectangle. */
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

/** The encoded data of an image, decrypted; undefined when it has none. */
function readData(api: PdfiumApi, image: number, maxBytes: number): Uint8Array | undefined {
  const length = api._FPDFImageObj_GetImageDataRaw(image, 0, 0)
  if (length === 0 || length > maxBytes) return undefined
  return withMemory(api, length, (address) => {
    api._FPDFImageObj_GetImageDataRaw(image, address, length)
    return api.HEAPU8.slice(address, address + length)
  })
}

/**
 * Whether the dictionary of a JPEG states the JPEG's own size and nothing else that matters, wherever it occurs in the
 * PDF.
 */
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
    // Streams are never compressed into other streams, so their dictionaries are readable.
    const dictionary = before.slice(before.lastIndexOf('obj'))
    if (!/^obj\s*<<.*>>\s*stream\r?\n$/s.test(dictionary)) return false
    if (!stated.every((entry) => entry.test(dictionary))) return false
    // Decode is a range and DecodeParms sets the colour coding; # encodes a character of a name.
    if (/\/(SMask|Mask|ImageMask|Decode)|#/.test(dictionary)) return false
  }
  return true
}

/**
 * Whether PDFium paints the complete picture in its own brightness and nothing around it. Layers, clips and
 * transparency show in a small drawing of the page with a uniform grey picture; objects below that extend past the
 * picture, even by less than a dot, show in a full-size drawing without the picture.
 */
function isAllThatIsSeen(
  { api, number, pdf, flags }: Page,
  index: number,
  place: Place,
  size: Size,
): boolean {
  const small = { width: Math.ceil(size.width / trialScale), height: Math.ceil(size.height / trialScale) }
  // On a second copy of the page, because the grey stays on it.
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

/** Draws a page without its form fields and checks its grey pixels; false when there is no memory for them. */
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

/** Whether the picture's position is grey and everything else white, apart from the dots along its edge. */
function isPainted(pixels: Uint8Array, { left, top, width, height }: Place, page: Size): boolean {
  const isWithin = (at: number, from: number, length: number, more: number) =>
    at >= from - more && at < from + length + more
  return pixels.every((pixel, at) => {
    const [x, y] = [at % page.width, Math.floor(at / page.width)]
    if (isWithin(x, left, width, 0) && isWithin(y, top, height, 0)) return pixel === trialGrey
    return pixel === white || (isWithin(x, left, width, 1) && isWithin(y, top, height, 1))
  })
}

/** Whether all dots outside the picture's position are white. */
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
 * Reduces a picture: each pixel is the mean of the source pixels that it covers, weighted by the covered area. White
 * areas, which are common on labels, are not calculated.
 */
function shrink(pixels: Uint8ClampedArray, source: BrightnessDecoder, { width, height }: Size): Uint8Array {
  const narrow = new Uint8Array(width * source.height).fill(white)
  narrowRows(new Int32Array(pixels.buffer), pixels, source, toShares(source.width, width), narrow)
  const small = new Uint8Array(width * height).fill(white)
  const { first, count, shares, maxWeights } = toShares(source.height, height)
  for (let y = 0; y < height; y += 1) {
    const [from, rows] = [first[y] ?? 0, count[y] ?? 0]
    const row = small.subarray(y * width, (y + 1) * width)
    flattenRows(narrow, from * width, shares.subarray(y * maxWeights, y * maxWeights + rows), row)
  }
  return small
}

/** For each reduced pixel: the source pixels that it covers and their weights, in parts of `whole`. */
interface Shares {
  first: Int32Array
  count: Int32Array
  shares: Int32Array
  /** The distance between the weights of one pixel and those of the next. */
  maxWeights: number
}

const whole = 1 << 16

/**
 * As PDFium calculates weights: each is rounded together with the rounding error of the previous one; the last is the
 * rest.
 */
function toShares(from: number, to: number): Shares {
  const scale = from / to
  const maxWeights = Math.ceil(scale) + 1
  const [first, count, shares] = [new Int32Array(to), new Int32Array(to), new Int32Array(to * maxWeights)]
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
      shares[place * maxWeights + at - start] = share
    }
    // If nothing is left for the last weight, the one before it takes the rounding error.
    const end = left <= 0 && last > start ? last - 1 : last
    shares[place * maxWeights + end - start] = (shares[place * maxWeights + end - start] ?? 0) + left
    first[place] = start
    count[place] = end - start + 1
  }
  return { first, count, shares, maxWeights }
}

/** Four white pixels as one number. */
const fourWhite = -1

/** @param words the same pixels, four in each number; rows consist of whole blocks */
function narrowRows(
  words: Int32Array,
  pixels: Uint8ClampedArray,
  { height, rowBytes }: BrightnessDecoder,
  { first, count, shares, maxWeights }: Shares,
  narrow: Uint8Array,
): void {
  const [width, perRow] = [first.length, rowBytes >> 2]
  // For each word, the last reduced pixel that it is a part of.
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
      // The last reduced pixel of the previous words may also cover this word.
      x = Math.max(x, word === 0 ? 0 : (ends[word - 1] ?? 0) - 1)
      const end = ends[word] ?? 0
      for (; x < end; x += 1) {
        let at = (row + (first[x] ?? 0)) | 0
        let share = Math.imul(x, maxWeights)
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

/** @param start the index in `pixels` of the first of `shares.length` rows */
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

/** Draws a picture at its position on a white page. */
function put(picture: Uint8Array, place: Place, size: Size): Uint8Array<ArrayBuffer> {
  const { left, top, width, height, isOnSide, areColumnsTurned, areRowsTurned } = place
  const columns = isOnSide ? height : width
  const rows = picture.length / columns
  // The steps on the page along the picture's rows and across them.
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
