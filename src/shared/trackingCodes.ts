/** Most codes that are tracked in one go. */
export const maxCodes = 50_000
/** Longest code that is sent to the service. */
export const maxCodeLength = 10_000

/** A list of codes, and what was left out of it. */
export interface CodeList {
  codes: string[]
  duplicates: number
  /** Lines or cells that held nothing. */
  empty: number
  /** Codes that are longer than any service takes. */
  tooLong: number
  /** Codes past the most that are tracked in one go. */
  tooMany: number
}

/**
 * Makes a list of codes out of raw values, in their order: without outer blanks, each code once. Case, inner blanks,
 * slashes and everything else stays: what a carrier prints is not ours to fix.
 */
export function listCodes(values: readonly string[]): CodeList {
  const seen = new Set<string>()
  const list: CodeList = { codes: [], duplicates: 0, empty: 0, tooLong: 0, tooMany: 0 }
  for (const value of values) {
    const code = value.trim()
    if (code === '') list.empty += 1
    else if (code.length > maxCodeLength) list.tooLong += 1
    else if (seen.has(code)) list.duplicates += 1
    else if (seen.size >= maxCodes) list.tooMany += 1
    else seen.add(code)
  }
  list.codes = [...seen]
  return list
}

/** Reads pasted text: one code a line; of a pasted table the first column. */
export function codesInText(text: string): CodeList {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/)
  if (lines.at(-1) === '') lines.pop()
  return listCodes(lines.map((line) => line.replace(/\t.*$/, '')))
}
