import { z } from 'zod'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'
import { runProgram } from './runProgram'

const timeoutMs = 10_000
/** The name is passed in the environment: nothing of it is ever read as a command. */
const question =
  '[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Printer -Name ([WildcardPattern]::Escape($env:PACKBENCH_PRINTER)) | Select-Object Name, @{n="Status";e={[int]$_.PrinterStatus}}, JobCount | ConvertTo-Json -Compress'

const answerSchema = z.object({ Status: z.int(), JobCount: z.int().nullish() })

/** Bits of Windows' printer status that mean that a person is needed. */
const troubleBits: readonly [bit: number, words: string][] = [
  [0x1, 'it is paused'],
  [0x2, 'it has an error'],
  [0x8, 'a label is jammed'],
  [0x10, 'it is out of labels'],
  [0x40, 'it has a problem with its labels'],
  [0x80, 'it is offline'],
  [0x1000, 'it is not available'],
  [0x40000, 'it is out of toner or ribbon'],
  [0x100000, 'it needs a person'],
  [0x400000, 'its door is open'],
]

/** What Windows says of a printer. */
export interface WindowsStatus {
  troubles: string[]
  waitingJobs: number
}

/**
 * Asks Windows for a printer's state through PowerShell.
 * @param program PowerShell's own program
 * @returns words why it is not known
 */
export async function readWindowsStatus(
  queue: string,
  program = 'powershell.exe',
): Promise<Result<WindowsStatus, string>> {
  const answer = await runProgram(program, ['-NoProfile', '-NonInteractive', '-Command', question], {
    timeoutMs,
    environment: { PACKBENCH_PRINTER: queue },
  })
  if (answer.kind === 'missing') return err('PowerShell is missing on this computer.')
  if (answer.kind !== 'success') return err(`Windows does not know printer ${queue}, or does not answer.`)
  return readAnswer(answer.output, queue)
}

function readAnswer(output: string, queue: string): Result<WindowsStatus, string> {
  try {
    const { Status, JobCount } = answerSchema.parse(JSON.parse(output.replace(/^\uFEFF/, '')))
    const troubles = troubleBits.filter(([bit]) => (Status & bit) !== 0).map(([, words]) => words)
    return ok({ troubles, waitingJobs: JobCount ?? 0 })
  } catch {
    return err(`Windows' answer about printer ${queue} is not understood.`)
  }
}
