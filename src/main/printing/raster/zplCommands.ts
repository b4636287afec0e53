/**
 * Commands that only draw the label they stand in, or that the reset before each label takes back. `^A` and a font
 * letter counts as `^A`. Everything else stores, deletes, calibrates, feeds, asks or configures.
 */
const labelCommands = new Set(
  [
    // barcodes
    '^B0 ^B1 ^B2 ^B3 ^B4 ^B5 ^B6 ^B7 ^B8 ^B9 ^BA ^BB ^BC ^BD ^BE ^BF ^BI ^BJ ^BK ^BL ^BM ^BO ^BP ^BQ ^BR ^BS ^BT ^BU',
    '^BX ^BY ^BZ',
    // text and fields
    '^A ^CF ^CI ^CV ^CW ^FB ^FC ^FD ^FE ^FH ^FM ^FN ^FO ^FP ^FR ^FS ^FT ^FV ^FW ^FX ^PA ^SF ^SN ^TB',
    // graphics
    '^GB ^GC ^GD ^GE ^GF ^GS ^IL ^IM ^XG',
    // the label
    '^JM ^LH ^LL ^LR ^LS ^LT ^MC ^MD ^MU ^PM ^PO ^PQ ^PR ^PW ^XA ^XB ^XF ^XZ ~SD',
    // graphics and forms in the printer's volatile memory: elsewhere they stay
    '^DF ~DG ~DY',
  ].flatMap((group) => group.split(' ')),
)

/** Commands that write to the place they name, `R:` when they name none. */
const storing = new Set(['^DF', '~DG', '~DY'])

/** What is no ZPL but is carried out by ZPL printers all the same. */
const otherLanguages: readonly [RegExp, (match: string) => string][] = [
  [/!\s*U1?\s+(?:setvar|getvar|do)\b/gi, (match) => match.replaceAll(/\s+/g, ' ')],
  [/!\s+\d+\s+\d+\s+\d+/g, () => '!'],
  [/\{\s*\}\s*\{/g, () => '{}'],
]

/** Printers skip these inside of a command. */
const skipped = '\r\n\t\0'

/**
 * The commands in a ZPL label that do more than draw it, each once, in the order in which they stand there. A command
 * that writes to a lasting memory is given with the memory's letter, e.g. `~DYE:`.
 */
export function commandsBeyondTheLabel(zpl: Buffer): string[] {
  const text = zpl.toString('latin1')
  const found = new Set<string>()
  for (const { command, end } of readZplCommands(text)) {
    const memory = storing.has(command) ? memoryAt(text, end) : 'R'
    if (!labelCommands.has(command)) found.add(command)
    else if (memory !== 'R') found.add(`${command}${memory}:`)
  }
  for (const [pattern, toName] of otherLanguages) {
    for (const [match] of text.matchAll(pattern)) found.add(toName(match))
  }
  return [...found]
}

/**
 * The commands of a ZPL label in their order, whatever prefixes it chooses; what stands inside of binary pictures is none.
 * @returns the command, and where its parameters begin
 */
export function* readZplCommands(text: string): Generator<{ command: string; end: number }> {
  // RS and DLE stand for the prefixes where a host can't send those; a label may choose others.
  const prefixes = { '^': '^\u001e', '~': '~\u0010' }
  let next = matchAny(prefixes)
  for (let at = nextIn(text, next, 0); at >= 0; at = nextIn(text, next, at + 1)) {
    const prefix = prefixes['^'].includes(text.charAt(at)) ? '^' : '~'
    const { name, end } = nameAt(text, at + 1)
    if (!/^[A-Z0-9@]/.test(name)) continue
    const command = prefix === '^' && name.startsWith('A') ? '^A' : `${prefix}${name}`
    yield { command, end }
    if (name === 'CC') prefixes['^'] = text.charAt(end)
    if (name === 'CT') prefixes['~'] = text.charAt(end)
    if (name === 'CC' || name === 'CT') next = matchAny(prefixes)
    at = Math.max(at, endOfBinary(command, text, end) - 1)
  }
}

/** Finds the next prefix without a look at each character: a picture inside of a label has hundreds of thousands. */
function matchAny(prefixes: Record<'^' | '~', string>): RegExp {
  const codes = [...`${prefixes['^']}${prefixes['~']}`].map(
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return codes.length === 0 ? /(?!)/g : new RegExp(`[${codes.join('')}]`, 'g')
}

function nextIn(text: string, prefix: RegExp, from: number): number {
  prefix.lastIndex = from
  return prefix.exec(text)?.index ?? -1
}

/** The two signs after a prefix in capitals, and where they end. */
function nameAt(text: string, from: number): { name: string; end: number } {
  let name = ''
  let end = from
  for (; end < text.length && name.length < 2; end += 1) {
    const sign = text.charAt(end)
    if (!skipped.includes(sign)) name += sign.toUpperCase()
  }
  return { name, end }
}

function memoryAt(text: string, from: number): string {
  return /^\s*([A-Za-z]):/.exec(text.slice(from, from + 8))?.[1]?.toUpperCase() ?? 'R'
}

/** Where the bytes of a binary picture end, in which any sign may stand; 0 for all other commands. */
function endOfBinary(command: string, text: string, from: number): number {
  const head = text.slice(from, from + 200)
  const graphic = command === '^GF' ? /^[BC],(\d+),\d+,\d+,/i.exec(head) : null
  const stored = command === '~DY' ? /^[^,]*,[BP],\w*,(\d+),\d*,/i.exec(head) : null
  const match = graphic ?? stored
  if (match === null) return 0
  // A label that ends earlier holds no such picture: then all of it is read.
  const end = from + match[0].length + Number(match[1])
  return end <= text.length ? end : 0
}
