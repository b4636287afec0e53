import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

/** What Linux knows of a connection. */
export interface TcpState {
  /** Bytes that the other side has not acknowledged, our end counted as one. */
  unacknowledged: number
  /** Both sides have ended, ours first, and everything was acknowledged. */
  isClosedInOrder: boolean
}

/** TIME_WAIT of the kernel's states: only a side whose end was acknowledged before the other one's comes there. */
const timeWait = '06'

/** Both ends of a connection, as they were while it was open. */
export type TcpEnds = Pick<Socket, 'localPort' | 'remotePort' | 'remoteAddress'>

/**
 * Looks a connection up in the system's list, which also holds it for a minute after its end.
 * @returns undefined on other systems than Linux, and for a connection that is gone
 */
export async function readTcpState(ends: TcpEnds): Promise<TcpState | undefined> {
  if (process.platform !== 'linux') return undefined
  const local = hexPort(ends.localPort)
  const remote = `${hexAddress(ends.remoteAddress)}${hexPort(ends.remotePort)}`
  const lists = await Promise.all(['tcp', 'tcp6'].map((family) => listConnections(family)))
  const [found, ...others] = lists
    .flat()
    .filter(({ from, to }) => from.endsWith(local) && to.endsWith(remote))
    .filter(({ state }) => !Number.isNaN(state.unacknowledged))
  return others.length === 0 ? found?.state : undefined
}

async function listConnections(family: string): Promise<{ from: string; to: string; state: TcpState }[]> {
  const list = await readFile(`/proc/self/net/${family}`, 'latin1').catch(() => '')
  return list.split('\n').map((line) => {
    const [, from = '', to = '', state, queues = ''] = line.trim().split(/\s+/)
    const unacknowledged = Number.parseInt(queues, 16)
    return { from, to, state: { unacknowledged, isClosedInOrder: state === timeWait } }
  })
}

function hexPort(port: number | undefined): string {
  return `:${(port ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** The end of an address as the list writes it; nothing for IPv6, where the ports have to tell. */
function hexAddress(address = ''): string {
  const bytes = address.split('.').map(Number)
  return bytes.length === 4 ? Buffer.from(bytes.reverse()).toString('hex').toUpperCase() : ''
}
