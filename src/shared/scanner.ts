import { z } from 'zod'

/** What a scanner can type on any keyboard layout of its own. */
const sentSchema = z
  .string()
  .max(20)
  .regex(/^[\x21-\x7e]*$/)
const codePrefixSchema = sentSchema.min(2)

/** What a barcode on the wall can ask for. */
export const scanCommands = [
  'ship',
  'reprint-last',
  'next-option',
  'add-package',
  'pause',
  'confirm',
] as const
export type ScanCommand = (typeof scanCommands)[number]

/** The codes of commands, behind their prefix. */
const commandWords: Record<ScanCommand, string> = {
  ship: 'SHIP',
  'reprint-last': 'REPRINT',
  'next-option': 'OPTION',
  'add-package': 'PACKAGE',
  pause: 'PAUSE',
  confirm: 'CONFIRM',
}

/** How a barcode scanner that types like a keyboard is told apart from a person, and what its codes begin with. */
export const scannerSchema = z.strictObject({
  /** What the scanner sends before each code; only what begins with it is a scan. Nothing when empty. */
  prefix: sentSchema.default(''),
  /** What it sends after each code, before Enter or Tab. */
  suffix: sentSchema.default(''),
  /** Longest time between two signs of a scan, in milliseconds. */
  maxGapMs: z.int().min(5).max(1000).default(40),
  /** Fewest signs of a scan: fewer are typed by hand. */
  minLength: z.int().min(2).max(50).default(4),
  /** A scanned order of which nothing is missing is created and printed at once. */
  printOnScan: z.boolean().default(false),
  /** Whether command barcodes do anything; without it they are codes like any other. */
  commands: z.boolean().default(true),
  /** What command barcodes begin with, and no order number. */
  commandPrefix: codePrefixSchema.default('PBCMD'),
  /** What the code on an operator's badge begins with. */
  badgePrefix: codePrefixSchema.default('PBBADGE'),
})
export type Scanner = z.infer<typeof scannerSchema>

/** The code of a command barcode. */
export function commandCode(command: ScanCommand, { commandPrefix }: Pick<Scanner, 'commandPrefix'>): string {
  return commandPrefix + commandWords[command]
}

/** What stands behind a prefix, whose case does not count: Caps Lock may be on. Null when nothing does. */
function textBehind(code: string, prefix: string): string | null {
  const begins = code.length > prefix.length && code.toUpperCase().startsWith(prefix.toUpperCase())
  return begins ? code.slice(prefix.length) : null
}

/** Prefixes that give a scan a meaning of its own. */
export type CodePrefixes = Pick<Scanner, 'commands' | 'commandPrefix' | 'badgePrefix'>

export type ScanMeaning =
  /** Null for a command that there is none of. */
  { kind: 'command'; command: ScanCommand | null } | { kind: 'badge'; id: string } | { kind: 'code' }

/** What the text of a scan alone says: a command, a badge, or a code that has to be looked up. */
export function readScan(code: string, scanner: CodePrefixes): ScanMeaning {
  if (scanner.commands && textBehind(code, scanner.commandPrefix) !== null) {
    const wanted = code.toUpperCase()
    const command = scanCommands.find((each) => commandCode(each, scanner).toUpperCase() === wanted)
    return { kind: 'command', command: command ?? null }
  }
  const badge = textBehind(code, scanner.badgePrefix)
  return badge === null ? { kind: 'code' } : { kind: 'badge', id: badge }
}

/** Whether a scan of a badge would be taken for a command, or the other way round. */
export function arePrefixesAlike({ commands, commandPrefix, badgePrefix }: CodePrefixes): boolean {
  const [command, badge] = [commandPrefix.toUpperCase(), badgePrefix.toUpperCase()]
  return commands && (command.startsWith(badge) || badge.startsWith(command))
}
