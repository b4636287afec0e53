import type { ManifestRow } from '../../../shared/manifestLine'

/** Control characters, quotes, backslashes and halves of characters: what JSON writes in another way than it stands. */
const special = /["\\\p{Cc}\p{Cs}]/u

/** The numbers of the lines that hold characters to take care of. Hardly any does, and one look finds them for all uses. */
export function specialLines(rows: readonly ManifestRow[]): ReadonlySet<number> {
  const found = new Set<number>()
  for (let index = 0; index < rows.length; index += 1) {
    if (special.test(rows[index]?.join('') ?? '')) found.add(index)
  }
  return found
}
