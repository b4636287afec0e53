import { Worker } from 'node:worker_threads'
import { vi } from 'vitest'
import { z } from 'zod'

const statementMessage = z.object({ name: z.literal('run'), input: z.object({ sql: z.string() }) })

/** The statements that some work sends to the threads of databases, as SQL. */
export async function recordStatements(work: () => Promise<unknown>): Promise<string[]> {
  const sent = vi.spyOn(Worker.prototype, 'postMessage')
  try {
    await work()
    return sent.mock.calls.flatMap(([message]) => {
      const statement = statementMessage.safeParse(message)
      return statement.success ? [statement.data.input.sql] : []
    })
  } finally {
    sent.mockRestore()
  }
}
