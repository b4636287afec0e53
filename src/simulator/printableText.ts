// The characters beyond Latin-1 in the standard PDF fonts (Windows code page 1252).
const extraCharacters = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ')

/** Pairs written «letter=replacement», separated by spaces; capitals are derived. */
function readTable(pairs: string): ReadonlyMap<string, string> {
  const table = new Map<string, string>()
  for (const pair of pairs.split(' ')) {
    const [letter = '', latin = ''] = pair.split('=')
    table.set(letter, latin)
    const capital = letter.toUpperCase()
    if (capital !== letter) table.set(capital, latin.charAt(0).toUpperCase() + latin.slice(1))
  }
  return table
}

const latinLetters = readTable('ł=l đ=d ı=i ħ=h ŋ=n ə=e ŧ=t')

const cyrillicLetters = readTable(
  'а=a б=b в=v г=g ґ=g д=d е=e ё=yo є=ye ж=zh з=z и=i і=i ї=yi й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ' +
    'ў=u ф=f х=kh ц=ts ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya ђ=dj ј=j љ=lj њ=nj ћ=c џ=dz ѓ=gj ќ=kj ѕ=dz',
)

const greekLetters = readTable(
  'α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o',
)

const unknownCharacter = '?'

function isPrintable(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  return (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff) || extraCharacters.has(character)
}

function lookUp(character: string): string | undefined {
  return latinLetters.get(character) ?? cyrillicLetters.get(character) ?? greekLetters.get(character)
}

function printableCharacter(character: string): string {
  if (isPrintable(character)) return character
  if (/\s|\p{Cc}/u.test(character)) return ' '
  if (/\p{M}|\p{Cf}/u.test(character)) return ''
  const latin = lookUp(character)
  if (latin !== undefined) return latin
  const plain = character.normalize('NFKD').replace(/\p{M}/gu, '')
  if (plain === character) return unknownCharacter
  return [...plain].map((part) => (isPrintable(part) ? part : (lookUp(part) ?? unknownCharacter))).join('')
}

/**
 * Converts any text to one line that the standard PDF fonts can display: keeps Latin letters and the accents that the fonts
 * have, transliterates Cyrillic and Greek, and replaces anything else by a question mark.
 */
export function printableText(text: string): string {
  const characters = [...text.normalize('NFC')].map(printableCharacter)
  return characters.join('').replace(/ {2,}/g, ' ').trim()
}
