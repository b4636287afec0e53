import { z } from 'zod'
import type { PrinterRemark } from '../../../shared/printerRemarks'
import { err, ok, type Result } from '../../../shared/result'
import { runProgram, windowsPowershell } from '../../lib/programs'
import { type PageSize, sameSize } from '../layout/geometry'
import { type RemarkBits, remarksIn } from './driver'

const timeoutMs = 10_000

/** Why PowerShell gave no answer. */
export type NoPowershellAnswer = 'missing' | 'failed' | 'not-understood'

/**
 * Asks PowerShell something whose answer it writes as JSON, within ten seconds.
 * @param question a script that ends in ConvertTo-Json; names never stand in it but in the environment
 * @param answer what the JSON must look like
 * @param program PowerShell's program; another one in tests
 */
async function askPowershell<T>(
  question: string,
  answer: z.ZodType<T>,
  program: string,
  environment: Record<string, string> = {},
): Promise<Result<T, NoPowershellAnswer>> {
  const script = `[Console]::OutputEncoding = [Text.Encoding]::UTF8; ${question}`
  const end = await runProgram(program, ['-NoProfile', '-NonInteractive', '-Command', script], {
    timeoutMs,
    environment,
  })
  if (end.kind === 'missing') return err('missing')
  if (end.kind !== 'success') return err('failed')
  try {
    return ok(answer.parse(JSON.parse(end.output.replace(/^\uFEFF/, ''))))
  } catch {
    return err('not-understood')
  }
}

// .NET's PrinterSettings asks the driver, which states every paper with its true size in hundredths of an inch. Where
// policy forbids that, WMI still lists the names; PowerShell's own printed form of them stops after four.
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

/** Windows PowerShell writes some arrays as an object with their values. */
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
  /** As the driver states it, upright; undefined when only the name is known. */
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
 * The printers that Windows offers, with the papers of their drivers.
 * @param program PowerShell's own program
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

/** The name is passed in the environment: nothing of it is ever read as a command. */
const statusQuestion =
  'Get-Printer -Name ([WildcardPattern]::Escape($env:PACKBENCH_PRINTER)) | Select-Object Name, @{n="Status";e={[int]$_.PrinterStatus}} | ConvertTo-Json -Compress'

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

/** Why nothing is known of a Windows printer. */
export type NoWindowsStatus = 'no-powershell' | 'not-known-to-windows' | 'answer-not-understood'

/**
 * Asks Windows for a printer's state through PowerShell.
 * @param program PowerShell's own program
 * @returns what needs a person, or why it is not known
 */
export async function readWindowsStatus(
  queue: string,
  program = windowsPowershell,
): Promise<Result<PrinterRemark[], NoWindowsStatus>> {
  const answer = await askPowershell(statusQuestion, statusSchema, program, { PACKBENCH_PRINTER: queue })
  return answer.ok ? ok(remarksIn(answer.value.Status, remarkBits)) : err(reasons[answer.error])
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
/** A roll without gaps, whose labels are as long as they are printed: «62mm». */
const rollWidth = /^(?<width>\d+(?:[.,]\d+)?)\s*mm(?:\s*(?:continuous|endless|tape|roll))?$/i

/** How a label is asked for at a Windows driver. */
export interface PaperChoice {
  /** What SumatraPDF takes as the paper: its name, or its number where the name holds a comma. */
  paper: string
  /**
   * How SumatraPDF is to turn the page. It goes by the paper alone: a page that is wider than high is turned upright on
   * a high paper, and the other way round. Missing where the paper's sides are not known.
   */
  orientation?: 'portrait' | 'landscape'
}

/**
 * The paper of a Windows driver for a stock: by the size that the driver states, else by what its name says («A6»,
 * «100 x 150 mm», «4" x 6"», «62mm»). Sides may be swapped.
 * @param wanted the name that a person chose in the settings, if any
 * @returns undefined when no paper is known to be the stock
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

/** A stated size is never overruled by a name, but for rolls, whose drivers state some length or other. */
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
  // The stock says nothing of the paper's sides; a name says the same of them in each unit that it may mean.
  const sides = size ?? possibleSizes(name)[0]
  if (sides === undefined) return { paper }
  return { paper, orientation: sides.widthMm > sides.heightMm ? 'landscape' : 'portrait' }
}

/** Without a unit the numbers may be millimetres or inches; no label is both 4 x 6 mm and 4 x 6 inches. */
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
