import type { SystemQueue } from '../../shared/printing'
import { findPrintServer } from './cups/cupsServer'
import { askPrintServer } from './cups/ipp/client'
import { groupTag, operation, toText, toTexts } from './cups/ipp/message'
import { runProgram } from './drivers/runProgram'
import { readWindowsQueues } from './drivers/windowsQueues'

const timeoutMs = 5000

/**
 * The print queues that the operating system offers. A machine without a print service, or whose print service does
 * not run, has none, which is no error.
 */
export function listSystemQueues(
  platform: NodeJS.Platform,
  toQueues: typeof readWindowsQueues = readWindowsQueues,
): Promise<SystemQueue[]> {
  return platform === 'win32' ? listWindowsQueues(toQueues) : listCupsQueues()
}

async function listCupsQueues(): Promise<SystemQueue[]> {
  const server = await findPrintServer()
  if (server === undefined) return []
  const [answer, standard] = await Promise.all([
    askPrintServer(server, {
      operation: operation.getPrinters,
      target: [],
      wanted: ['printer-name', 'printer-info', 'media-supported'],
    }),
    runProgram('lpstat', ['-d'], { timeoutMs }),
  ])
  if (!answer.ok) return []
  const defaultQueue = standard.kind === 'success' ? getDefaultQueue(standard.output) : undefined
  return answer.value.groups
    .filter((group) => group.tag === groupTag.printer)
    .flatMap((group) => {
      const queue = toText(group, 'printer-name')
      if (queue === undefined) return []
      const description = toText(group, 'printer-info') ?? ''
      return [
        {
          queue,
          description: description === '' ? queue : description,
          isDefault: queue === defaultQueue,
          media: toTexts(group, 'media-supported'),
        },
      ]
    })
}

/** Reads `system default destination: QUEUE`, where a user's own variant is QUEUE/NAME. */
function getDefaultQueue(answer: string): string | undefined {
  return /^system default destination: ([^/\n]+)/m.exec(answer)?.[1]
}

async function listWindowsQueues(toQueues: typeof readWindowsQueues): Promise<SystemQueue[]> {
  const queues = await toQueues()
  // Windows' spooler service is off, or PowerShell may not be used.
  if (!queues.ok) return []
  return queues.value.map(({ name, isDefault, papers }) => ({
    queue: name,
    description: name,
    isDefault,
    media: papers.map((paper) => paper.name),
  }))
}
