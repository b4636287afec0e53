import { z } from 'zod'
import type { Result } from '../../../shared/result'
import { ok } from '../../../shared/result'
import { askPowershell, type NoPowershellAnswer, windowsPowershell } from './powershell'

// .NET's PrinterSettings asks the driver, which states every paper with its true size in hundredths of an inch. Where
// policy forbids that, WMI still lists the names; PowerShell's own printed form of them stops after four.
const question = `
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
  const answer = await askPowershell(question, queuesSchema, program)
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
