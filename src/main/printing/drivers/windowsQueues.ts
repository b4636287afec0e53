import { z } from 'zod'
import type { PrinterRemark } from '../../../shared/printerRemarks'
import { err, ok, type Result } from '../../../shared/result'
import { runProgram, windowsPowershell } from '../../lib/programs'
import { type PageSize, sameSize } from '../layout/geometry'
import { type RemarkBits, toRemarks } from './driver'

const timeoutMs = 10_000

/** Why PowerShell gave no answer. */
export type NoPowershellAnswer = 'missing' | 'failed' | 'not-understood'

/** Characters are written as numbers, which take up to four times as much. */
const maxOutputBytes = 4 * 1024 * 1024

/**
 * Runs a PowerShell script and reads its JSON output, within ten seconds. The output consists of the numbers of its
 * characters, since PowerShell writes text in an old encoding, and policies such as AppLocker and WDAC forbid scripts to
 * change it or to call other methods.
 * @param question a script that ends in ConvertTo-Json; names are passed in the environment, never in the script
 * @param answer the schema of the JSON
 * @param program PowerShell's program file; tests pass another one
 */
async function askPowershell<T>(
  question: string,
  answer: z.ZodType<T>,
  program: string,
  environment: Record<string, string> = {},
): Promise<Result<T, NoPowershellAnswer>> {
  const script = `[int[]][char[]]$(${question}) -join ' '`
  const end = await runProgram(program, ['-NoProfile', '-NonInteractive', '-Command', script], {
    ...{ timeoutMs, maxOutputBytes },
    environment,
  })
  if (end.kind === 'missing') return err('missing')
  if (end.kind !== 'success') return err('failed')
  try {
    const characters = end.output
      .trim()
      .split(/\s+/)
      .map((code) => String.fromCharCode(Number(code)))
    return ok(answer.parse(JSON.parse(characters.join(''))))
  } catch {
    return err('not-understood')
  }
}

// .NET's PrinterSettings reads every paper with its true size, in hundredths of an inch, from the driver. If a policy
// forbids that, WMI still lists the names; PowerShell's own text form of them stops after four.
const queuesQuestion = `
$queues = @(Get-CimInstance Win32_Printer -Property Name,Default,PrinterPaperNames | ForEach-Object {
  $papers = @()
  try {
    Add-Type -AssemblyName System.Drawing -ErrorAction Stop
    $settings = New-Object System.Drawing.Printing.PrinterSettings -ErrorAction Stop
    $settings.PrinterName = $_.Name
    $papers = @($settings.PaperSizes | ForEach-Object { [pscustomobject]@{ Name = $_.PaperName; Width = $_.Width; Height = $_.Height; Kind = $_.RawKind } })
  } catch { }
  if ($papers.Count -eq 0) {
    $papers = @($_.PrinterPaperNames | Where-Object { $_ } | ForEach-Object { [pscustomobject]@{ Name = $_ } })
  }
  [pscustomobject]@{ Name = $_.Name; Default = $_.Default; Papers = $papers }
})
ConvertTo-Json -Compress -Depth 4 -InputObject $queues`

const paperSchema = z.object({
  Name: z.string(),
  Width: z.number().nullish(),
  Height: z.number().nullish(),
  Kind: z.int().nullish(),
})

/** Windows PowerShell writes some arrays as an object with a `value`. */
function optionalArray<Item extends z.ZodType>(item: Item) {
  return z.union([z.array(item), z.object({ value: z.array(item) }).transform(({ value }) => value)])
}

const queuesSchema = optionalArray(
  z.object({
    Name: z.string(),
    Default: z.boolean().nullish(),
    Papers: optionalArray(paperSchema).nullish(),
  }),
)

/** A paper that a Windows driver offers. */
export interface WindowsPaper {
  name: string
  /** As the driver states it, in portrait; undefined when only the name is known. */
  size: { widthMm: number; heightMm: number } | undefined
  /** Windows' number for the paper. */
  kind: number | undefined
}

export interface WindowsQueue {
  name: string
  isDefault: boolean
  papers: WindowsPaper[]
}

const mmPerUnit = 25.4 / 100

/**
 * Lists Windows' printers with the papers of their drivers.
 * @param program PowerShell's program file
 */
export async function readWindowsQueues(
  program = windowsPowershell,
): Promise<Result<WindowsQueue[], NoPowershellAnswer>> {
  const answer = await askPowershell(queuesQuestion, queuesSchema, program)
  if (!answer.ok) return answer
  return ok(
    answer.value.map(({ Name, Default, Papers }) => ({
      name: Name,
      isDefault: Default === true,
      papers: (Papers ?? []).map(toWindowsPaper),
    })),
  )
}

function toWindowsPaper({ Name, Width, Height, Kind }: z.infer<typeof paperSchema>): WindowsPaper {
  const isSized = Width != null && Height != null && Width > 0 && Height > 0
  return {
    name: Name,
    size: isSized ? { widthMm: Width * mmPerUnit, heightMm: Height * mmPerUnit } : undefined,
    kind: Kind ?? undefined,
  }
}

/** The name is passed in the environment, so that no part of it can be read as a command. */
const statusQuestion =
  'Get-Printer -Name ([WildcardPattern]::Escape($env:PACKBENCH_PRINTER)) -ErrorAction Stop | Select-Object Name, @{n="Status";e={[int]$_.PrinterStatus}} | ConvertTo-Json -Compress'

const statusSchema = z.object({ Status: z.int() })

/** Bits of Windows' printer status that mean that a person is needed. */
const remarkBits: RemarkBits = [
  [0x1, 'paused'],
  [0x2, 'error'],
  [0x8, 'jammed'],
  [0x10, 'out-of-labels'],
  [0x40, 'labels-problem'],
  [0x80, 'offline'],
  [0x1000, 'not-available'],
  [0x40000, 'ribbon-used-up'],
  [0x100000, 'needs-person'],
  [0x400000, 'door-open'],
]

/** Why the status of a Windows printer is unknown. */
export type NoWindowsStatus = 'no-powershell' | 'not-known-to-windows' | 'answer-not-understood'

/**
 * Reads a printer's status from Windows through PowerShell.
 * @param program PowerShell's program file
 * @returns the remarks that need a person, or why the status is unknown
 */
export async function readWindowsStatus(
  queue: string,
  program = windowsPowershell,
): Promise<Result<PrinterRemark[], NoWindowsStatus>> {
  const answer = await askPowershell(statusQuestion, statusSchema, program, { PACKBENCH_PRINTER: queue })
  return answer.ok ? ok(toRemarks(answer.value.Status, remarkBits)) : err(reasons[answer.error])
}

const reasons = {
  missing: 'no-powershell',
  failed: 'not-known-to-windows',
  'not-understood': 'answer-not-understood',
} as const satisfies Record<NoPowershellAnswer, NoWindowsStatus>

const mmPerInch = 25.4
const namedSizes: Record<string, PageSize> = {
  a4: { widthMm: 210, heightMm: 297 },
  a5: { widthMm: 148, heightMm: 210 },
  a6: { widthMm: 105, heightMm: 148 },
  letter: { widthMm: 215.9, heightMm: 279.4 },
  legal: { widthMm: 215.9, heightMm: 355.6 },
}
const twoNumbers =
  /(?<width>\d+(?:[.,]\d+)?)\s*(?:mm|cm|in|inch(?:es)?|"|'')?\s*[x×*]\s*(?<height>\d+(?:[.,]\d+)?)/i
/** A continuous roll, whose paper name states the width only: «62mm». */
const rollWidth = /^(?<width>\d+(?:[.,]\d+)?)\s*mm(?:\s*(?:continuous|endless|tape|roll))?$/i

/** The paper settings that SumatraPDF passes to a Windows driver. */
export interface PaperChoice {
  /** The paper's name, or its number when the name contains a comma. */
  paper: string
  /**
   * The paper's orientation. SumatraPDF turns a landscape page on a portrait paper, and the reverse. Left out when the
   * paper's sides are unknown.
   */
  orientation?: 'portrait' | 'landscape'
}

/**
 * Finds the paper of a Windows driver for a stock: by the size that the driver states, otherwise by the size in its
 * name («A6», «100 x 150 mm», «4" x 6"», «62mm»). Width and height may be swapped.
 * @param wanted the name that a person chose in the settings, if any
 * @returns undefined when no paper has the stock's size
 */
export function choosePaper(
  papers: readonly WindowsPaper[],
  stock: PageSize,
  wanted?: string,
): PaperChoice | undefined {
  if (wanted !== undefined) {
    const paper = papers.find(({ name }) => name.trim().toLowerCase() === wanted.trim().toLowerCase())
    return paper && toChoice(paper)
  }
  const swapped = { widthMm: stock.heightMm, heightMm: stock.widthMm }
  for (const side of [stock, swapped]) {
    for (const listSizes of [statedSizes, namedOrRoll(side)]) {
      for (const paper of papers) {
        const choice = listSizes(paper).some((size) => sameSize(size, side)) ? toChoice(paper) : undefined
        if (choice !== undefined) return choice
      }
    }
  }
  return undefined
}

function statedSizes({ size }: WindowsPaper): PageSize[] {
  return size === undefined ? [] : [size]
}

/** A stated size takes precedence over a name, except for rolls, for which drivers state an arbitrary length. */
function namedOrRoll(side: PageSize): (paper: WindowsPaper) => PageSize[] {
  return ({ name, size }) => {
    const roll = rollWidth.exec(name.trim())?.groups?.width
    if (roll !== undefined) return [{ widthMm: Number(roll.replace(',', '.')), heightMm: side.heightMm }]
    return size === undefined ? possibleSizes(name) : []
  }
}

function toChoice({ name, size, kind }: WindowsPaper): PaperChoice | undefined {
  // SumatraPDF splits its settings at commas.
  const paper = name.includes(',') ? kind?.toString() : name
  if (paper === undefined) return undefined
  // The orientation comes from the paper, not from the stock; it is the same in all units that a name may mean.
  const sides = size ?? possibleSizes(name)[0]
  if (sides === undefined) return { paper }
  return { paper, orientation: sides.widthMm > sides.heightMm ? 'landscape' : 'portrait' }
}

/**
 * The sizes that a name may mean. Numbers without a unit may be mm or inches; no label is 4 x 6 mm, so both are tried.
 */
function possibleSizes(name: string): PageSize[] {
  const named = namedSizes[name.trim().toLowerCase()]
  if (named !== undefined) return [named]
  const numbers = twoNumbers.exec(name)?.groups
  if (numbers === undefined) return []
  const width = Number(numbers.width?.replace(',', '.'))
  const height = Number(numbers.height?.replace(',', '.'))
  return toScales(name).map((scale) => ({ widthMm: width * scale, heightMm: height * scale }))
}

function toScales(name: string): number[] {
  if (/mm/i.test(name)) return [1]
  if (/cm/i.test(name)) return [10]
  if (/in|"|''/i.test(name)) return [mmPerInch]
  return [1, mmPerInch]
}
