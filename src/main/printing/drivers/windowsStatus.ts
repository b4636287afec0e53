import { z } from 'zod'
import type { PrinterRemark } from '../../../shared/printerRemarks'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'
import { askPowershell, type NoPowershellAnswer, windowsPowershell } from './powershell'

/** The name is passed in the environment: nothing of it is ever read as a command. */
const question =
  'Get-Printer -Name ([WildcardPattern]::Escape($env:PACKBENCH_PRINTER)) | Select-Object Name, @{n="Status";e={[int]$_.PrinterStatus}}, JobCount | ConvertTo-Json -Compress'

const answerSchema = z.object({ Status: z.int(), JobCount: z.int().nullish() })

/** Bits of Windows' printer status that mean that a person is needed. */
const remarkBits: readonly [bit: number, code: PrinterRemark['code']][] = [
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

/** What Windows says of a printer. */
export interface WindowsStatus {
  remarks: PrinterRemark[]
  waitingJobs: number
}

/** Why nothing is known of a Windows printer. */
export type NoWindowsStatus = 'no-powershell' | 'not-known-to-windows' | 'answer-not-understood'

/**
 * Asks Windows for a printer's state through PowerShell.
 * @param program PowerShell's own program
 * @returns why it is not known
 */
export async function readWindowsStatus(
  queue: string,
  program = windowsPowershell,
): Promise<Result<WindowsStatus, NoWindowsStatus>> {
  const answer = await askPowershell(question, answerSchema, program, { PACKBENCH_PRINTER: queue })
  if (!answer.ok) return err(reasons[answer.error])
  const { Status, JobCount } = answer.value
  const remarks = remarkBits.filter(([bit]) => (Status & bit) !== 0).map(([, code]) => ({ code }))
  return ok({ remarks, waitingJobs: JobCount ?? 0 })
}

const reasons = {
  missing: 'no-powershell',
  failed: 'not-known-to-windows',
  'not-understood': 'answer-not-understood',
} as const satisfies Record<NoPowershellAnswer, NoWindowsStatus>
