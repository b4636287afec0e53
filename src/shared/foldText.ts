/** ASCII replacements of letters that Unicode does not decompose. */
const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}

/** A run of combining marks, and of letters that become such marks, which is longer than any script needs. */
const markRun = /([\p{M}\uFF9E\uFF9F]{30})[\p{M}\uFF9E\uFF9F]+/gu

/**
 * `String.normalize` of texts that other programs wrote: it takes quadratic time for a run of combining marks, so such a run is cut
 * after 30, as in Unicode's stream-safe text format.
 */
export function toNormalForm(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  return text.replace(markRun, '$1').normalize(form)
}

/** Folds text for searching: lower case without accents. «Łódź» equals «lodz», «Weiß» equals «WEISS». */
export function foldText(text: string): string {
  return toNormalForm(text, 'NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => plainLetters[letter] ?? letter)
}

/** Punctuation that encloses a word where names, places and references are listed. */
const enclosing = /^[,;:()"'«»]+|[,;:.()"'«»]+$/g

/** The words of a search, folded and separated by white space, without the punctuation around them. */
export function toSearchWords(text: string): string[] {
  return foldText(text)
    .split(/\s+/)
    .map((word) => word.replace(enclosing, ''))
    .filter((word) => word !== '' && word !== '+')
}

/** The folded words of a text: runs of letters and digits. */
export function foldWords(text: string): string[] {
  return foldText(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
