import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
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

/**
 * Lets PDFium draw Chinese, Japanese and Korean text whose font is not in the PDF with a font of this computer. PDFium has
 * fonts for Latin letters alone. Nothing is read before a label needs it.
 * @param table PDFium's functions: the ones that look for fonts, of which this build finds none, are replaced
 * @param folders where fonts are looked for
 */
export async function drawWithFonts(
  api: FontTaker,
  table: { set(index: number, entry: unknown): void },
  folders: readonly string[],
): Promise<void> {
  const info = api._FPDF_GetDefaultSystemFontInfo()
  if (info === 0) return
  const files = new Map<Charset, string | undefined>()
  const fontFor = (charset: Charset) => {
    if (!files.has(charset)) files.set(charset, findFont(charset, folders))
    return files.get(charset)
  }
  let last: { file: string; bytes: Buffer } | undefined
  const read = (file: string): Buffer => {
    last = last?.file === file ? last : { file, bytes: readFileSync(file) }
    return last.bytes
  }

  const mapFont = (...[, , , asked]: number[]): number => {
    const charset = charsets.find((each) => each === asked)
    return charset === undefined || fontFor(charset) === undefined ? 0 : charset
  }
  const getFontData = (...[, font, tag, buffer = 0, size = 0]: number[]): number => {
    const charset = charsets.find((each) => each === font)
    const file = charset && fontFor(charset)
    if (file === undefined || (tag !== 0 && tag !== collectionTag)) return 0
    const bytes = read(file)
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
