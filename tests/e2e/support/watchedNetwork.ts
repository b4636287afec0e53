import { execFileSync } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Electron, electron } from './electron'

/** An Electron whose processes' network calls are all recorded. */
export interface WatchedElectron {
  /** The command that replaces Electron. */
  started: Electron
  /** The addresses that it connected or sent to, such as `TCP 127.0.0.1:8080`, without repetitions. */
  reached(): Promise<string[]>
}

/** The reason why no program can be watched on this machine; undefined when one can. */
export function whyNotWatched(): string | undefined {
  if (process.platform !== 'linux') return 'strace is for Linux'
  try {
    execFileSync('strace', ['-f', 'true'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'strace is missing, or may not watch other processes here'
  }
}

/** Runs Electron under strace, which records the system calls of all parts of Chromium and Node. */
export async function watchedElectron(folder: string): Promise<WatchedElectron> {
  const trace = join(folder, 'network.trace')
  const binary = join(folder, 'watched-electron')
  const calls = 'trace=connect,sendto,sendmsg,sendmmsg'
  await writeFile(
    binary,
    `#!/bin/sh\nexec strace -f --seccomp-bpf -yy -s 0 -e ${calls} -e signal=none -o '${trace}' -- '${electron().binary}' "$@"\n`,
  )
  await chmod(binary, 0o700)
  return {
    started: { ...electron(), binary },
    async reached() {
      const lines = (await readFile(trace, 'utf8')).split('\n')
      return [...new Set(lines.flatMap(addressesIn))].sort()
    },
  }
}

/**
 * The internet addresses that a system call reaches: by connecting a TCP socket or by sending with a UDP socket. Connecting a
 * UDP socket sends nothing: this is how Chromium finds out its own address for a destination.
 */
function addressesIn(line: string): string[] {
  const [, call = '', protocol = '', sent = ''] =
    /\b(connect|send\w+)\(\d+<(TCP|UDP)(?:v6)?:\[(?:[^\]]*->)?([^>]*)\]>/.exec(line) ?? []
  if ((protocol === 'TCP') !== (call === 'connect')) return []
  const four = [...line.matchAll(/sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)/g)]
  const six = [...line.matchAll(/sin6_port=htons\((\d+)\).*?inet_pton\(AF_INET6, "([^"]+)"/g)]
  const named = [...four, ...six].map(([, port, address]) => `${protocol} ${address}:${port}`)
  return named.length > 0 || protocol !== 'UDP' ? named : [`UDP ${sent}`]
}
