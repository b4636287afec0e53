import { createHash } from 'node:crypto'
import { parse } from 'node:path'

export type OrderFormat = 'json' | 'csv'

/** Longest stem in bytes that leaves room for a number and `.result.json` in a name of 255 bytes. */
const maxStemBytes = 235

/** The format that a file's name stands for; undefined for names that the hot folder never takes. */
export function formatOf(name: string): OrderFormat | undefined {
  if (name.startsWith('.')) return undefined
  const extension = parse(name).ext.toLowerCase()
  if (extension === '.json') return 'json'
  return extension === '.csv' ? 'csv' : undefined
}

/** Whether a name is that of a file still being written, which is passed over without a word. */
export function isTemporary(name: string): boolean {
  return name.startsWith('.') || /\.(tmp|part)$/i.test(name)
}

/**
 * Name and result name of a delivered file: `attempt` 1 is its own name, 2 gives `NAME.2.json`, and so on. A name that
 * is too long for these additions is cut, and ends in `~` and a hash of itself.
 */
export function deliveredNames(name: string, attempt: number): { order: string; result: string } {
  const stem = resultStem(name)
  if (attempt === 1) return { order: name, result: `${stem}.result.json` }
  return { order: `${stem}.${attempt}${parse(name).ext}`, result: `${stem}.${attempt}.result.json` }
}

/** What the result's name begins with: the file's name without its extension, cut when it is too long. */
export function resultStem(name: string): string {
  const { name: stem } = parse(name)
  if (Buffer.byteLength(stem) <= maxStemBytes) return stem
  const ending = `~${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
  let kept = ''
  let bytes = Buffer.byteLength(ending)
  for (const character of stem) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxStemBytes) break
    kept += character
  }
  return `${kept}${ending}`
}

/** Reads the number back: which `attempt` of `deliveredNames` a result's name is; undefined for other names. */
export function attemptOfResult(name: string, resultName: string): number | undefined {
  if (deliveredNames(name, 1).result === resultName) return 1
  const attempt = Number(numberedResult.exec(resultName)?.[2] ?? 0)
  return attempt > 1 && deliveredNames(name, attempt).result === resultName ? attempt : undefined
}

/** Which stems a result's name may stand for: a number at its end may be one of ours, or part of the file's name. */
export function possibleStems(resultName: string): string[] {
  const whole = /^(.+)\.result\.json$/.exec(resultName)?.[1]
  const numbered = numberedResult.exec(resultName)?.[1]
  return [whole, numbered].filter((stem) => stem !== undefined)
}

const numberedResult = /^(.+)\.([1-9]\d*)\.result\.json$/
