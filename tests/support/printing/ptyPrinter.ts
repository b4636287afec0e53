import { spawn, spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { rm, symlink } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/**
 * A fake USB printer: the far end of a pseudo-terminal, with a link to it under `/dev` like those of udev.
 */
export interface PtyPrinter {
  path: string
  received(): Buffer
  /** Sends text from the printer. */
  say(text: string): void
  /** Stops reading until `resume`. The device accepts only what fits into its buffer. */
  stop(): void
  resume(): void
  /** Ends the device, as unplugging does. */
  unplug(): void
}

/** The far end of the device: copies bytes of the device to standard output, and standard input to the device. */
const relay = `
import os, pty, select, sys, tty
master, slave = pty.openpty()
tty.setraw(slave)
print(os.ttyname(slave), file=sys.stderr, flush=True)
while True:
    for fd in select.select([master, 0], [], [])[0]:
        data = os.read(fd, 65536)
        if not data: sys.exit()
        out = master if fd == 0 else 1
        while data: data = data[os.write(out, data):]
`

/** Whether such a device can be created, which needs Python and write permission for /dev. */
export function canPretendUsb(): boolean {
  try {
    accessSync('/dev', constants.W_OK)
    return process.platform === 'linux' && spawnSync('python3', ['-c', 'import pty']).status === 0
  } catch {
    return false
  }
}

/** Whether a device number is that of a pseudo-terminal of Linux, which the fake printer uses. */
export function isTerminal(rdev: number): boolean {
  const major = (rdev >>> 8) & 0xfff
  return major >= 136 && major <= 143
}

/** Starts a fake USB printer. It is removed when the test ends. */
export async function startPtyPrinter(): Promise<PtyPrinter> {
  const child = spawn('python3', ['-c', relay], { stdio: ['pipe', 'pipe', 'pipe'] })
  const parts: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => parts.push(part))
  const device = await new Promise<string>((resolve) => {
    createInterface(child.stderr).once('line', resolve)
  })
  const path = `/dev/packbench-test-${process.pid}-${child.pid}`
  await symlink(device, path)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await rm(path, { force: true })
  })
  return {
    path,
    received: () => Buffer.concat(parts),
    say: (text) => void child.stdin.write(text),
    stop: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    unplug: () => void child.kill('SIGKILL'),
  }
}
