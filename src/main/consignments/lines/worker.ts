import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import type { LineCall, LineCalls } from '../lineWorker'
import { createLineFunctions } from './lineFunctions'

// The entry of the thread that holds the lines of air waybills: built as a file of its own, beside the main program.
const { folder } = z.object({ folder: z.string() }).parse(workerData)
const work = createLineFunctions(folder, (manifestId, summary) =>
  parentPort?.postMessage({ manifestId, summary }),
)

/** Runs one call and answers on the port that came with it. */
async function answer<Name extends LineCall>(
  name: Name,
  input: LineCalls[Name]['input'],
  port: MessagePort,
): Promise<void> {
  try {
    port.postMessage({ value: await work[name](input) })
  } catch (error) {
    port.postMessage({ fault: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  } finally {
    port.close()
  }
}

parentPort?.on(
  'message',
  <Name extends LineCall>(call: { name: Name; input: LineCalls[Name]['input']; port: MessagePort }) =>
    void answer(call.name, call.input, call.port),
)
