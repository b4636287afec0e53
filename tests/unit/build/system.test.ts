import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { installCommand, withoutStartingCups } from '../../../build/system.mjs'

describe('installCommand', () => {
  it('is one line to copy', () => {
    expect(installCommand(['libnss3', 'xvfb'])).toBe(
      'sudo apt-get update && sudo apt-get install -y --no-install-recommends libnss3 xvfb',
    )
  })
})

describe.skipIf(process.platform === 'win32')('withoutStartingCups', () => {
  it('is a script that a shell accepts, with the command last', async () => {
    const script = withoutStartingCups('apt-get install -y cups-daemon')
    expect(script.split('\n').at(-1)).toBe('apt-get install -y cups-daemon')
    await promisify(execFile)('sh', ['-n', '-c', script])
  })

  it('gives a policy that holds back the print server alone, and removes it afterwards', async () => {
    const script = withoutStartingCups(
      'sh "$policy" cups start; echo "cups $?"; sh "$policy" dbus start; echo "dbus $?"; ls "$policy"',
    ).replace('/usr/sbin/policy-rc.d', '$(mktemp -u)')
    const { stdout } = await promisify(execFile)('sh', ['-c', `${script}\necho "$policy"`])
    const [cups, dbus, listed] = stdout.split('\n')
    expect([cups, dbus]).toEqual(['cups 101', 'dbus 0'])
    await expect(promisify(execFile)('ls', [listed ?? ''])).rejects.toThrow()
  })

  it('keeps a policy that the system already has', async () => {
    const script = withoutStartingCups('cat "$policy"').replace('/usr/sbin/policy-rc.d', '/etc/passwd')
    const { stdout } = await promisify(execFile)('sh', ['-c', script])
    expect(stdout).toContain('root:')
  })
})
