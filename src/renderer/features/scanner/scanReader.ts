import type { Scanner } from '../../../shared/scanner'

/** What a key means to the scan reader. */
export type KeyMeaning =
  /** The first of a run of fast keys, if more follow. */
  | { kind: 'begins' }
  /** A further key of the run, which has `length` characters so far; a key with a name adds none. */
  | { kind: 'goes-on'; length: number }
  /** Ends a scan. */
  | { kind: 'scan'; code: string }
  | { kind: 'typed' }

export interface ScanReader {
  /**
   * Processes a key.
   * @param at timestamp in milliseconds of any clock
   */
  take(key: string, at: number, scanner: Scanner): KeyMeaning
  /** Drops the current run of keys. */
  forget(): void
}

/** Keys that belong to the next character, such as a capital letter or a sign that needs AltGr. */
const modifiers = new Set(['Shift', 'AltGraph', 'Control', 'Alt', 'CapsLock', 'NumLock', 'Dead'])

/** Whether a key only changes the next character. */
export function isModifier(key: string): boolean {
  return modifiers.has(key)
}

/** Number of fast characters that a person hardly types: from then on, keys do only what they do in a scan. */
export const minScanKeys = 2

/** A scanner may take longer for the key that ends a code; this factor applies to the maximum gap. */
const endGapFactor = 2

/**
 * Tells a scanner from a person: at least `minLength` characters, each within `maxGapMs` of the previous one, then
 * Enter or Tab. If a prefix is set, only codes that start with it are scans.
 */
export function createScanReader(): ScanReader {
  let run = ''
  let last = Number.NEGATIVE_INFINITY
  const forget = () => {
    run = ''
    last = Number.NEGATIVE_INFINITY
  }
  return {
    forget,
    take(key, at, scanner) {
      const gap = at - last
      if (key.length === 1) {
        const isQuick = run !== '' && gap >= 0 && gap <= scanner.maxGapMs
        run = isQuick ? run + key : key
        last = at
        return isQuick ? { kind: 'goes-on', length: run.length } : { kind: 'begins' }
      }
      if (isModifier(key)) return { kind: 'typed' }
      const typed = run
      const ends = key === 'Enter' || key === 'Tab'
      // Scanners send the control characters of a code as function or arrow keys.
      if (!ends && typed.length >= minScanKeys && gap >= 0 && gap <= scanner.maxGapMs) {
        last = at
        return { kind: 'goes-on', length: typed.length }
      }
      forget()
      if (!ends) return { kind: 'typed' }
      if (gap > scanner.maxGapMs * endGapFactor || !typed.startsWith(scanner.prefix)) return { kind: 'typed' }
      const code = withoutAffixes(typed, scanner)
      return code.length < scanner.minLength ? { kind: 'typed' } : { kind: 'scan', code }
    },
  }
}

/** Time in milliseconds after which a run of keys is no scan: twice what a scan may take, for a busy window. */
export function getScanPause({ maxGapMs }: Pick<Scanner, 'maxGapMs'>): number {
  return maxGapMs * endGapFactor * 2
}

/** A code without the scanner's prefix and suffix. */
function withoutAffixes(text: string, { prefix, suffix }: Pick<Scanner, 'prefix' | 'suffix'>): string {
  const from = text.startsWith(prefix) ? prefix.length : 0
  const to = suffix !== '' && text.endsWith(suffix) ? text.length - suffix.length : text.length
  return text.slice(from, Math.max(from, to)).trim()
}
