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
