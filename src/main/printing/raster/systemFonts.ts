import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import path from 'node:path'

/** What of PDFium is needed to give it fonts. */
interface FontTaker {
  readonly HEAPU8: Uint8Array
  _FPDF_GetDefaultSystemFontInfo(): number
  _FPDF_SetSystemFontInfo(info: number): void
}

/** The character sets of Windows by which PDFium asks for a font: Japanese, Korean, simplified and traditional Chinese. */
const charsets = [128, 129, 134, 136] as const
type Charset = (typeof charsets)[number]

/** Fonts that systems come with, the best first; matched with the names of their files. */
const ownFonts: Record<Charset, readonly RegExp[]> = {
  128: [/^YuGothM\.ttc$/i, /^meiryo\.ttc$/i, /^msgothic\.ttc$/i, /^NotoSansJP-Regular\.[ot]tf$/i, /W3\.ttc$/],
  129: [/^malgun\.ttf$/i, /^gulim\.ttc$/i, /^AppleSDGothicNeo\.ttc$/, /^NotoSansKR-Regular\.[ot]tf$/i],
  134: [/^msyh\.tt[cf]$/i, /^simsun\.tt[cf]$/i, /^Hiragino Sans GB\.ttc$/, /^NotoSansSC-Regular\.[ot]tf$/i],
  136: [/^msjh\.tt[cf]$/i, /^mingliu\.tt[cf]$/i, /^STHeiti Light\.ttc$/, /^NotoSansTC-Regular\.[ot]tf$/i],
}
/** These hold the characters of all four. */
const commonFonts = [
  ...[/^NotoSansCJK(sc|tc|jp|kr)?-Regular\.(ttc|otf)$/i, /^SourceHanSans.*-Regular\.(ttc|otf)$/i],
  ...[/^wqy-microhei\.ttc$/i, /^wqy-zenhei\.ttc$/i, /^DroidSansFallback(Full)?\.ttf$/i],
  ...[/^Arial ?Unicode( MS)?\.ttf$/i, /^PingFang\.ttc$/],
]

/**
 * The app's own fonts for text whose font is not in the PDF, where PDFium's substitute lacks its letters: those of Polish,
 * Greek, Russian and others. They are about as wide as the fonts that every reader has.
 */
const letterFonts = {
  sans: ['SansCondensed', 'SansCondensed-Bold', 'SansCondensed-Oblique', 'SansCondensed-BoldOblique'],
  serif: ['SerifCondensed', 'SerifCondensed-Bold', 'SerifCondensed-Italic', 'SerifCondensed-BoldItalic'],
  mono: ['SansMono', 'SansMono-Bold', 'SansMono-Oblique', 'SansMono-BoldOblique'],
} as const
const letterFontFiles = [...letterFonts.sans, ...letterFonts.serif, ...letterFonts.mono].map(
  (name) => `DejaVu${name}.ttf`,
)
/** FXFONT_FF_FIXEDPITCH and FXFONT_FF_ROMAN. */
const [fixedPitch, roman] = [1, 16]
const boldFrom = 600
const packages = createRequire(import.meta.url)

/** Fonts that have signs in the places of letters. */
export const withoutLetters = /symbol|dingbats/i

/** A font is copied into PDFium's memory as a whole. */
const maxFontBytes = 64 * 1024 * 1024
/** Of TrueType, OpenType, Apple's TrueType, and several fonts in one file. */
const fontHeads = ['\0\u0001\0\0', 'OTTO', 'true', 'ttcf']
const maxFolderDepth = 5
/** The tag of a file that holds several fonts; 0 asks for the whole file. */
const collectionTag = 0x74746366
/** Places of the functions in FPDF_SYSFONTINFO, in bytes. */
const mapFontAt = 12
const getFontDataAt = 20

/** Where the fonts of this computer are. */
export function systemFontFolders(): string[] {
  const home = homedir()
  switch (process.platform) {
    case 'win32':
      return [
        path.join(process.env.SystemRoot ?? 'C:\\Windows', 'Fonts'),
        path.join(home, 'AppData', 'Local', 'Microsoft', 'Windows', 'Fonts'),
      ]
    case 'darwin':
      return ['/System/Library/Fonts', '/Library/Fonts', path.join(home, 'Library', 'Fonts')]
    default:
      return ['/usr/share/fonts', '/usr/local/share/fonts', path.join(home, '.local', 'share', 'fonts')]
  }
}

/** Which fonts take the place of those that are not in a PDF. */
export interface FontChoice {
  /** Whether the app's own fonts are used for letters, instead of PDFium's; for what is loaded from then on. */
  hasOwnLetters: boolean
}

/**
 * Lets PDFium draw Chinese, Japanese and Korean text whose font is not in the PDF with a font of this computer, and
 * letters that its own fonts lack with those of the app. Nothing is read before a label needs it.
 * @param table PDFium's functions: the ones that look for fonts, of which this build finds none, are replaced
 * @param folders where fonts are looked for
 */
export async function drawWithFonts(
  api: FontTaker,
  table: { set(index: number, entry: unknown): void },
  folders: readonly string[],
): Promise<FontChoice> {
  const choice: FontChoice = { hasOwnLetters: false }
  const info = api._FPDF_GetDefaultSystemFontInfo()
  if (info === 0) return choice
  const files = new Map<Charset, string | undefined>()
  const fontFor = (charset: Charset) => {
    if (!files.has(charset)) files.set(charset, findFont(charset, folders))
    return files.get(charset)
  }
  let last: { file: string; bytes: Buffer } | undefined
  const read = (file: string, isOwn: boolean): Buffer => {
    if (last?.file === file) return last.bytes
    const bytes = readFileSync(file)
    last = { file, bytes: isOwn ? withoutSurprises(bytes) : bytes }
    return last.bytes
  }

  const mapFont = (...[, weight = 0, italic, asked, pitch = 0, face = 0]: number[]): number => {
    const charset = charsets.find((each) => each === asked)
    if (charset !== undefined) return fontFor(charset) === undefined ? 0 : charset
    if (!choice.hasOwnLetters || withoutLetters.test(textAt(api, face))) return 0
    const styles = letterFonts[(pitch & fixedPitch) !== 0 ? 'mono' : (pitch & roman) !== 0 ? 'serif' : 'sans']
    const style = (weight >= boldFrom ? 1 : 0) + (italic === 0 ? 0 : 2)
    // 0 is no font.
    return letterFontFiles.indexOf(`DejaVu${styles[style]}.ttf`) + 1
  }
  const findFile = (font: number): string | undefined => {
    const charset = charsets.find((each) => each === font)
    if (charset !== undefined) return fontFor(charset)
    const name = letterFontFiles[font - 1]
    return name && packages.resolve(`dejavu-fonts-ttf/ttf/${name}`)
  }
  const getFontData = (...[, font = 0, tag, buffer = 0, size = 0]: number[]): number => {
    const file = findFile(font)
    if (file === undefined || (tag !== 0 && tag !== collectionTag)) return 0
    const bytes = read(file, font <= letterFontFiles.length)
    const isCollection = bytes.toString('latin1', 0, 4) === 'ttcf'
    if (tag === collectionTag && !isCollection) return 0
    // PDFium reads a collection's head on its own.
    if (buffer !== 0) api.HEAPU8.set(bytes.subarray(0, size), buffer)
    return bytes.length
  }
  const calls = [await wasmFunction(7, mapFont), await wasmFunction(5, getFontData)] as const
  const view = new DataView(api.HEAPU8.buffer)
  table.set(view.getInt32(info + mapFontAt, true), calls[0])
  table.set(view.getInt32(info + getFontDataAt, true), calls[1])
  api._FPDF_SetSystemFontInfo(info)
  return choice
}

/**
 * One of the app's own fonts as PDFium is to see it: without its codes for the Mac, in which PDFium would look codes up before
 * the names of letters, and draw «Ä» for what the PDF calls «ł»; and with an empty glyph in place of the box for letters that
 * it lacks, so that these are found missing.
 */
function withoutSurprises(font: Buffer): Buffer {
  const [macintosh, unknown] = [1, 0xffff]
  const codes = findTable(font, 'cmap')
  const records = font.readUInt16BE(codes + 2)
  for (let record = codes + 4; record < codes + 4 + records * 8; record += 8) {
    if (font.readUInt16BE(record) === macintosh) font.writeUInt16BE(unknown, record)
  }
  // A glyph lies between its place and that of the next one, in 2 or 4 bytes each.
  const places = findTable(font, 'loca')
  const bytes = font.readInt16BE(findTable(font, 'head') + 50) === 0 ? 2 : 4
  font.copy(font, places, places + bytes, places + 2 * bytes)
  return font
}

function findTable(font: Buffer, tag: string): number {
  const record = font.subarray(0, 12 + font.readUInt16BE(4) * 16).indexOf(tag, 12, 'latin1')
  return font.readUInt32BE(record + 8)
}

/** A text in PDFium's memory, as the name of a font is. */
function textAt({ HEAPU8 }: FontTaker, address: number): string {
  const end = HEAPU8.indexOf(0, address)
  return Buffer.from(HEAPU8.subarray(address, end)).toString('latin1')
}

function findFont(charset: Charset, folders: readonly string[]): string | undefined {
  const files = folders.flatMap((folder) => filesIn(folder, maxFolderDepth))
  for (const name of [...ownFonts[charset], ...commonFonts]) {
    const file = files.find((each) => name.test(path.basename(each)) && isFont(each))
    if (file !== undefined) return file
  }
  return undefined
}

/** PDFium draws nothing at all, not even Latin letters, with a font that it can't read. */
function isFont(file: string): boolean {
  try {
    return statSync(file).size <= maxFontBytes && fontHeads.includes(getHead(file))
  } catch {
    return false
  }
}

function getHead(file: string): string {
  const handle = openSync(file, 'r')
  try {
    const head = Buffer.alloc(4)
    readSync(handle, head, 0, 4, 0)
    return head.toString('latin1')
  } finally {
    closeSync(handle)
  }
}

function filesIn(folder: string, depth: number): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const file = path.join(folder, entry.name)
      if (!entry.isDirectory()) return [file]
      return depth > 0 ? filesIn(file, depth - 1) : []
    })
  } catch {
    // A folder that is not there has no fonts.
    return []
  }
}

/** A function that WebAssembly can call, of so many whole numbers: PDFium's table takes no other. */
async function wasmFunction(parameters: number, call: (...values: number[]) => number): Promise<unknown> {
  const int = 0x7f
  const module = Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    // Types: one function. Imports: h.f. Exports: f.
    ...[
      0x01,
      5 + parameters,
      0x01,
      0x60,
      parameters,
      ...Array.from({ length: parameters }, () => int),
      0x01,
      int,
    ],
    ...[0x02, 0x07, 0x01, 0x01, 0x68, 0x01, 0x66, 0x00, 0x00],
    ...[0x07, 0x05, 0x01, 0x01, 0x66, 0x00, 0x00],
  )
  return new WebAssembly.Instance(await WebAssembly.compile(module), { h: { f: call } }).exports.f
}
