/** Length of the substrings that are hashed; shorter forms are searched one by one. */
const pieceLength = 8
/** Number of positions of a form that are tried to find a unique substring. */
const maxPlacesTried = 64

/** An occurrence of a form in a text, from `start` to before `end`. */
interface Found {
  start: number
  end: number
  form: string
}

/**
 * Finds any of many forms in a text, in time that depends on the text and hardly on their number (Rabin-Karp): each form
 * is indexed by the hash of one rare substring, and a rolling hash of the text is looked up at each position.
 */
export class SecretIndex {
  private readonly short = new Set<string>()
  private readonly long = new Map<string, number>()
  private readonly byPiece = new Map<number, string[]>()

  add(form: string): void {
    if (form.length < pieceLength) this.short.add(form)
    else if (!this.long.has(form)) {
      const offset = this.rarePlace(form)
      this.long.set(form, offset)
      const piece = hashAt(form, offset)
      this.byPiece.set(piece, [...(this.byPiece.get(piece) ?? []), form])
    }
  }

  delete(form: string): void {
    this.short.delete(form)
    const offset = this.long.get(form)
    if (offset === undefined) return
    this.long.delete(form)
    const piece = hashAt(form, offset)
    const others = (this.byPiece.get(piece) ?? []).filter((other) => other !== form)
    if (others.length === 0) this.byPiece.delete(piece)
    else this.byPiece.set(piece, others)
  }

  /** All occurrences of all forms, unordered; they may overlap. */
  find(text: string): Found[] {
    const found: Found[] = []
    for (const form of this.short) {
      for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + 1)) {
        found.push({ start, end: start + form.length, form })
      }
    }
    if (this.byPiece.size === 0 || text.length < pieceLength) return found
    let hash = hashAt(text, 0)
    for (let at = 0; ; at += 1) {
      for (const form of this.byPiece.get(hash) ?? nothing) {
        const start = at - (this.long.get(form) ?? 0)
        if (start >= 0 && text.startsWith(form, start)) found.push({ start, end: start + form.length, form })
      }
      if (at + pieceLength >= text.length) return found
      hash = rolled(hash, text.charCodeAt(at), text.charCodeAt(at + pieceLength))
    }
  }

  /** Searches from the end: forms of one service often have the same start. */
  private rarePlace(form: string): number {
    const last = form.length - pieceLength
    let best = last
    let fewest = Number.POSITIVE_INFINITY
    for (let offset = last; offset >= 0 && last - offset < maxPlacesTried && fewest > 0; offset -= 1) {
      const others = this.byPiece.get(hashAt(form, offset))?.length ?? 0
      if (others < fewest) {
        best = offset
        fewest = others
      }
    }
    return best
  }
}

const nothing: readonly string[] = []
const base = 16_777_619
let leading = 1
for (let power = 1; power < pieceLength; power += 1) leading = Math.imul(leading, base)

function hashAt(text: string, offset: number): number {
  let hash = 0
  for (let at = offset; at < offset + pieceLength; at += 1) {
    hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0
  }
  return hash
}

/** The rolling hash at the next position. */
function rolled(hash: number, leaving: number, entering: number): number {
  return (Math.imul(hash - Math.imul(leaving, leading), base) + entering) | 0
}
