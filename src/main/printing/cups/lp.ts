import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'
import { runProgram } from '../drivers/runProgram'

/** Handing a label to a local spooler takes milliseconds; a print server at the far end of a line takes longer. */
const timeoutMs = 30_000

/** What `lp` should do. */
export interface LpRequest {
  queue: string
  copies: number
  title: string
  /** `-o` options in order. */
  options: string[]
  document: Buffer
}

/** Why `lp` gave no job number. `late` and `uncertain`: the document may be in the queue all the same. */
export interface LpFailure {
  kind: 'missing' | 'no-queue' | 'refused' | 'late' | 'uncertain'
  words: string
}

// Words of CUPS that it says before it takes a document.
const noQueue = /printer or class does not exist|unknown destination|invalid destination|no such printer/i
const refused =
  /not accepting|unsupported document|scheduler not responding|unable to connect|connection refused|forbidden|unauthorized|not authorized|not allowed|too many active jobs|quota|no such file|bad request|unsupported/i

/**
 * Hands a document to CUPS. The document goes through standard input, so that no copy of it lies in a temporary file.
 * @returns the job's number in the queue
 */
export async function runLp(request: LpRequest): Promise<Result<number, LpFailure>> {
  const parameters = ['-d', request.queue, '-n', String(request.copies), '-t', request.title]
  for (const option of request.options) parameters.push('-o', option)
  const end = await runProgram('lp', parameters, { timeoutMs, input: request.document })
  switch (end.kind) {
    case 'success': {
      const number = jobNumber(end.output)
      if (number !== undefined) return ok(number)
      return err({ kind: 'uncertain', words: end.output.trim() })
    }
    case 'missing':
      return err({ kind: 'missing', words: 'lp is not installed' })
    case 'killed':
      return err({ kind: 'late', words: 'lp did not end in time' })
    case 'failure':
      return err({ kind: getKind(end.words), words: end.words.replaceAll(/^lp: (Error - )?/gm, '') })
  }
}

/** Reads `request id is QUEUE-12 (1 file(s))`; the queue's name may hold dashes and numbers too. */
export function jobNumber(answer: string): number | undefined {
  const digits = /-(\d+) \(\d+ file/.exec(answer)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

function getKind(words: string): LpFailure['kind'] {
  if (noQueue.test(words)) return 'no-queue'
  return refused.test(words) ? 'refused' : 'uncertain'
}
