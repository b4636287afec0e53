import type { Scanner } from '../../../shared/scanner'

/** What a key is to a reader of scans. */
export type KeyMeaning =
  /** The first of a run of quick keys, if more follow. */
  | { kind: 'begins' }
  /** One of a run of quick keys, of which there are so many. */
  | { kind: 'goes-on'; length: number }
  /** It ends a scan. */
  | { kind: 'scan'; code: string }
  | { kind: 'typed' }

export interface ScanReader {
  /**
   * Takes a key that was pressed.
   * @param at when, in milliseconds of any clock
   */
  take(key: string, at: number, scanner: Scanner): KeyMeaning
  /** Forgets a run of keys that has begun. */
  forget(): void
}

/** A scanner may take longer for the key that ends a code. */
const gapsBeforeEnd = 2

/**
 * Tells a scanner from a person by what only scanners do: at least so many signs, each within so many milliseconds of the
 * one before, then Enter or Tab. With a prefix only what begins with it is a scan.
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
      // Capitals come with it.
      if (key === 'Shift') return { kind: 'typed' }
      const typed = run
      forget()
      if (key !== 'Enter' && key !== 'Tab') return { kind: 'typed' }
      if (gap > scanner.maxGapMs * gapsBeforeEnd || !typed.startsWith(scanner.prefix))
        return { kind: 'typed' }
      const code = withoutAffixes(typed, scanner)
      return code.length < scanner.minLength ? { kind: 'typed' } : { kind: 'scan', code }
    },
  }
}

/** A code without what the scanner puts before and behind it. */
export function withoutAffixes(text: string, { prefix, suffix }: Pick<Scanner, 'prefix' | 'suffix'>): string {
  const from = text.startsWith(prefix) ? prefix.length : 0
  const to = suffix !== '' && text.endsWith(suffix) ? text.length - suffix.length : text.length
  return text.slice(from, Math.max(from, to)).trim()
}
