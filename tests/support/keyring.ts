import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { openSessionBus } from '../../src/main/account/dbus'
import { askKeyring } from '../../src/main/account/keyring'

const password = 'keyring-password'

/** Why this machine can't run a keyring; undefined when it can. */
export function whyNoKeyring(): string | undefined {
  try {
    execFileSync('gnome-keyring-daemon', ['--version'], { stdio: 'ignore' })
    execFileSync('dbus-daemon', ['--version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'gnome-keyring or dbus is missing'
  }
}

/**
 * Starts a session bus for one test; it ends with the test. The only program that the bus can start is a stand-in for the
 * keyring's password prompt, which never answers, as when no person is present.
 */
export async function startSessionBus(): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'packbench-bus-'))
  const address = `unix:path=${join(folder, 'bus')}`
  const services = join(folder, 'services')
  await mkdir(services)
  await writeFile(
    join(services, 'org.gnome.keyring.SystemPrompter.service'),
    '[D-BUS Service]\nName=org.gnome.keyring.SystemPrompter\nExec=/bin/sleep 600\n',
  )
  const config = join(folder, 'bus.conf')
  await writeFile(config, busConfig(address, services))
  const bus = spawn('dbus-daemon', [`--config-file=${config}`, '--nofork', '--print-address'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(async () => {
    await ended(bus)
    await rm(folder, { recursive: true, force: true })
  })
  await once(bus.stdout, 'data')
  return { DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: folder, XDG_DATA_HOME: folder }
}

function busConfig(address: string, services: string): string {
  return `<busconfig>
  <type>session</type>
  <listen>${address}</listen>
  <auth>EXTERNAL</auth>
  <servicedir>${services}</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>`
}

/** Starts a real, unlocked keyring on a private bus; both end with the test. */
export async function startKeyring() {
  const env = await startSessionBus()
  await unlockedDaemon(env)
  return {
    /** Environment variables through which programs find it. */
    env,
    async lock() {
      const bus = await openSessionBus(env, AbortSignal.timeout(5_000))
      await bus?.call({
        destination: 'org.freedesktop.secrets',
        path: '/org/freedesktop/secrets',
        interface: 'org.freedesktop.Secret.Service',
        member: 'Lock',
        args: [{ ao: ['/org/freedesktop/secrets/aliases/default'] }],
      })
      bus?.close()
      await vi.waitFor(async () => {
        if ((await askKeyring(env)) !== 'locked') throw new Error('the keyring is not locked yet')
      })
    },
    /** Unlocks it as a person does. */
    unlock: () => unlockedDaemon(env, ['--replace']),
  }
}

async function unlockedDaemon(env: Record<string, string>, more: readonly string[] = []): Promise<void> {
  const daemon = spawn(
    'gnome-keyring-daemon',
    ['--foreground', '--unlock', '--components=secrets', ...more],
    { env: { ...process.env, ...env }, stdio: ['pipe', 'ignore', 'ignore'] },
  )
  onTestFinished(() => ended(daemon))
  daemon.stdin.end(password)
  await vi.waitFor(
    async () => {
      if ((await askKeyring(env)) !== 'unlocked') throw new Error('the keyring is not there yet')
    },
    { timeout: 15_000, interval: 100 },
  )
}

async function ended(child: ReturnType<typeof spawn>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
