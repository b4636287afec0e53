import { spawn, spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { rm, symlink } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/**
 * A pretended USB printer: the far end of a terminal device, to which a link under `/dev` leads, as udev makes them.
 */
export interface PtyPrinter {
  path: string
  received(): Buffer
  /** What the printer says. */
  say(text: string): void
  /** Reads nothing more until it is let go on: the device takes what fits and no more. */
  stop(): void
  goOn(): void
  /** Is pulled out. */
  unplug(): void
}

/** The device's end: what comes goes to standard output, what standard input says goes to the device. */
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

/** Whether such a device can be made here: Python, and leave to put a link under /dev. */
export function canPretendUsb(): boolean {
  try {
    accessSync('/dev', constants.W_OK)
    return process.platform === 'linux' && spawnSync('python3', ['-c', 'import pty']).status === 0
  } catch {
    return false
  }
}

/** Whether a device's number is that of a pretended printer: Linux' terminals of programs. */
export function isTerminal(rdev: number): boolean {
  const major = (rdev >>> 8) & 0xfff
  return major >= 136 && major <= 143
}

/** Starts one; it goes away when the test ends. */
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
    goOn: () => void child.kill('SIGCONT'),
    unplug: () => void child.kill('SIGKILL'),
  }
}
