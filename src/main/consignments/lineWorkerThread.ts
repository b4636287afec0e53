import { MessageChannel, Worker } from 'node:worker_threads'
import type { LinesSummary } from '../../shared/manifest'
import type { LineCall, LineCalls, LineWorker, OnChecked } from './lineWorker'

/**
 * The worker in a thread of its own: reading and checking a hundred thousand lines holds up neither the app nor the
 * screen. The thread starts with the first call; one that dies is replaced at the next, and the calls under way throw.
 * @param script the built `lines/worker.ts`
 * @param folder absolute path of the folder that holds the lines
 */
export function startLineWorker(script: URL, folder: string, onChecked: OnChecked): LineWorker {
  let worker: Worker | undefined

  const start = (): Worker => {
    const started = new Worker(script, { workerData: { folder } })
    started.on('message', ({ manifestId, summary }: { manifestId: string; summary: LinesSummary }) =>
      onChecked(manifestId, summary),
    )
    const gone = () => {
      if (worker === started) worker = undefined
    }
    // What the error was is said by the calls that it ended.
    started.on('error', gone)
    started.on('exit', gone)
    return started
  }

  function call<Name extends LineCall>(
    name: Name,
    input: LineCalls[Name]['input'],
  ): Promise<LineCalls[Name]['output']> {
    worker ??= start()
    const { port1, port2 } = new MessageChannel()
    const answered = new Promise<LineCalls[Name]['output']>((resolve, reject) => {
      port1.on('message', (answer: { value: LineCalls[Name]['output'] } | { fault: string }) => {
        if ('fault' in answer) reject(new Error(answer.fault))
        else resolve(answer.value)
      })
      port1.on('close', () => reject(new Error('The thread that holds the lines of manifests has ended.')))
    })
    worker.postMessage({ name, input, port: port2 }, [port2])
    return answered
  }

  return {
    call,
    async close() {
      if (worker === undefined) return
      await call('close', undefined)
      await worker?.terminate()
      worker = undefined
    },
  }
}
