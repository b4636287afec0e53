import { runProgram } from '../drivers/runProgram'
import type { PrintServer } from './ipp/client'

const defaultPort = 631
const timeoutMs = 5000
/** Starting a program takes as long as a third of a print job; who changes client.conf waits this long. */
const rememberedMs = 60_000

let remembered: { environment: string; until: number; server: PrintServer } | undefined

/**
 * Which print server the CUPS programs talk to. They decide by CUPS_SERVER and by client.conf of the user and of the
 * system; asking them means that the app never looks elsewhere than `lp`. Undefined when CUPS is not installed.
 */
export async function findPrintServer(): Promise<PrintServer | undefined> {
  const environment = `${process.env.CUPS_SERVER ?? ''} ${process.env.PATH ?? ''}`
  if (remembered?.environment === environment && remembered.until > Date.now()) return remembered.server
  const end = await runProgram('lpstat', ['-H'], { timeoutMs })
  const server = end.kind === 'success' ? parsePrintServer(end.output.trim()) : undefined
  remembered = server === undefined ? undefined : { environment, until: Date.now() + rememberedMs, server }
  return server
}

/** Reads what `lpstat -H` writes: `/run/cups/cups.sock`, `localhost:631` or `[::1]:631`. */
export function parsePrintServer(text: string): PrintServer | undefined {
  if (text.startsWith('/')) return { socketPath: text }
  const match = /^(?:\[(?<six>[^\]]+)\]|(?<name>[^:]+))(?::(?<port>\d+))?$/.exec(text)
  const host = match?.groups?.six ?? match?.groups?.name
  return host === undefined ? undefined : { host, port: Number(match?.groups?.port ?? defaultPort) }
}
