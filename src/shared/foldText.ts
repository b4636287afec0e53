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

/** Folds text for searching: lower case without accents. «Łódź» equals «lodz», «Weiß» equals «WEISS». */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
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
