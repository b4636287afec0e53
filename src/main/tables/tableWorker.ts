import { parentPort } from 'node:worker_threads'
import { runTableTask, tableTaskSchema } from './tableTask'

parentPort?.once('message', async (message: unknown) => {
  parentPort?.postMessage(await runTableTask(tableTaskSchema.parse(message)))
})
