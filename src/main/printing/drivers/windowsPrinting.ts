import { createRequire } from 'node:module'

/** The part of pdf-to-printer that the app uses. */
export interface WindowsPrinting {
  /** Resolves when SumatraPDF has ended well. */
  print(
    file: string,
    options: {
      printer: string
      scale: 'noscale'
      orientation?: 'portrait' | 'landscape'
      copies: number
      silent: boolean
      sumatraPdfPath: string
      paperSize?: string
    },
  ): Promise<void>
}

/**
 * Loads pdf-to-printer, which is left out of the bundle: it looks for its programs beside its own file. It is asked for
 * with `require`, because its bundle hides its names from `import`.
 */
export async function loadWindowsPrinting(): Promise<WindowsPrinting> {
  const pdfToPrinter: typeof import('pdf-to-printer') = createRequire(import.meta.url)('pdf-to-printer')
  return pdfToPrinter
}

/** What SumatraPDF says when it ends before it gave Windows a page. */
const beforeFirstPage =
  /couldn't open file|cannot print this file|printer with given name|couldn't initialize printer|CreateDC|StartDoc/i

/**
 * What pdf-to-printer rejects with, in words: errors of programs, and plain texts where it is not on Windows.
 * `nothingStarted`: no page went to Windows, so nothing can have been printed.
 */
export function describeProblem(error: unknown): { words: string; nothingStarted: boolean } {
  if (!(error instanceof Error)) return { words: String(error), nothingStarted: true }
  const code = 'code' in error ? error.code : undefined
  // ENOENT, EACCES and their like: the system could not start the program.
  if (typeof code === 'string' && /^E[A-Z0-9]+$/.test(code))
    return { words: `${code}: ${error.message}`, nothingStarted: true }
  // The message repeats the whole command line, file path and all.
  if (typeof code !== 'number') return { words: error.message, nothingStarted: false }
  const said = 'stdout' in error && typeof error.stdout === 'string' ? reasonIn(error.stdout) : ''
  const words = said === '' ? `SumatraPDF ended with code ${code}` : `SumatraPDF: ${said}`
  return { words, nothingStarted: beforeFirstPage.test(said) }
}

/** The line that tells why, without the path of the label's file; the last one when none is known. */
function reasonIn(output: string): string {
  const lines = output.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  const line = lines.findLast((each) => beforeFirstPage.test(each)) ?? lines.at(-1) ?? ''
  return line.replace(/[^\s'"]*label\.pdf/g, 'the label').slice(0, 300)
}
