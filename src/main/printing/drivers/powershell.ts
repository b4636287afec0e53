import path from 'node:path'
import type { z } from 'zod'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'
import { runProgram } from './runProgram'

const timeoutMs = 10_000

/** Windows' own PowerShell by its full path: a program of that name in another folder is never started. */
export const windowsPowershell = path.win32.join(
  process.env.SystemRoot ?? 'C:\\Windows',
  'System32\\WindowsPowerShell\\v1.0\\powershell.exe',
)

/** Why PowerShell gave no answer. */
export type NoPowershellAnswer = 'missing' | 'failed' | 'not-understood'

/**
 * Asks PowerShell something whose answer it writes as JSON, within ten seconds.
 * @param question a script that ends in ConvertTo-Json; names never stand in it but in the environment
 * @param answer what the JSON must look like
 * @param program PowerShell's program; another one in tests
 */
export async function askPowershell<T>(
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
