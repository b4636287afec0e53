import { z } from 'zod'
import { keysOf } from './keysOf'

/** Printable ASCII, which a scanner can send with any keyboard layout. */
const sentSchema = z
  .string()
  .max(20)
  .regex(/^[\x21-\x7e]*$/)
const codePrefixSchema = sentSchema.min(2)

/** Command codes after the prefix. */
const commandWords = {
  ship: 'SHIP',
  'reprint-last': 'REPRINT',
  'next-option': 'OPTION',
  'add-package': 'PACKAGE',
  pause: 'PAUSE',
  confirm: 'CONFIRM',
}

/** Commands of the command barcodes. */
export const scanCommands = keysOf(commandWords)
export type ScanCommand = (typeof scanCommands)[number]

/** How the input of a keyboard-wedge scanner is distinguished from typing, and the prefixes of its codes. */
export const scannerSchema = z.strictObject({
  /** Text that the scanner sends before each code; if set, only input that begins with it is a scan. */
  prefix: sentSchema.default(''),
  /** Text that the scanner sends after each code, before Enter or Tab. */
  suffix: sentSchema.default(''),
  /** Maximum time between two characters of a scan, in milliseconds. */
  maxGapMs: z.int().min(5).max(1000).default(40),
  /** Minimum length of a scan; shorter input counts as typed. */
  minLength: z.int().min(2).max(50).default(4),
  /** Whether a complete scanned order is created and printed at once. */
  printOnScan: z.boolean().default(false),
  /** Whether command barcodes work; otherwise they are ordinary codes. */
  commands: z.boolean().default(true),
  /** Prefix of command barcodes; no order number may begin with it. */
  commandPrefix: codePrefixSchema.default('PBCMD'),
  /** Prefix of the code on an operator's badge. */
  badgePrefix: codePrefixSchema.default('PBBADGE'),
})
export type Scanner = z.infer<typeof scannerSchema>

export function commandCode(command: ScanCommand, { commandPrefix }: Pick<Scanner, 'commandPrefix'>): string {
  return commandPrefix + commandWords[command]
}

/** The text after a prefix; null when there is none. Ignores case, because Caps Lock may be on. */
function textBehind(code: string, prefix: string): string | null {
  const begins = code.length > prefix.length && code.toUpperCase().startsWith(prefix.toUpperCase())
  return begins ? code.slice(prefix.length) : null
}

/** A badge's code without the badge prefix: it may be entered and scanned with or without it. */
export function toBareBadge(badge: string, { badgePrefix }: Pick<CodePrefixes, 'badgePrefix'>): string {
  return textBehind(badge, badgePrefix) ?? badge
}

/** Prefixes that give a scan a special meaning. */
export type CodePrefixes = Pick<Scanner, 'commands' | 'commandPrefix' | 'badgePrefix'>

export type ScanMeaning =
  /** `command` is null for an unknown command. */
  { kind: 'command'; command: ScanCommand | null } | { kind: 'badge'; id: string } | { kind: 'code' }

/** Classifies a scan by its text: a command, a badge, or a code to look up. */
export function readScan(code: string, scanner: CodePrefixes): ScanMeaning {
  if (scanner.commands && textBehind(code, scanner.commandPrefix) !== null) {
    const wanted = code.toUpperCase()
    const command = scanCommands.find((each) => commandCode(each, scanner).toUpperCase() === wanted)
    return { kind: 'command', command: command ?? null }
  }
  const badge = textBehind(code, scanner.badgePrefix)
  return badge === null ? { kind: 'code' } : { kind: 'badge', id: badge }
}

/** Whether the prefixes overlap, so that a badge could be read as a command or vice versa. */
export function arePrefixesAlike({ commands, commandPrefix, badgePrefix }: CodePrefixes): boolean {
  const [command, badge] = [commandPrefix.toUpperCase(), badgePrefix.toUpperCase()]
  return commands && (command.startsWith(badge) || badge.startsWith(command))
}
