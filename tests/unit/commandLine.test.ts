import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../src/main/commandLine'

describe('the command line', () => {
  it('reads every switch', () => {
    const line = parseCommandLine(
      ['--user-data-dir=/data', '--provision=station.json', '--hidden', '--demo', '--version', '--help'],
      '/home/packer',
    )
    expect(line).toEqual({
      ok: true,
      value: {
        userDataDir: '/data',
        provision: '/home/packer/station.json',
        hidden: true,
        demo: true,
        version: true,
        help: true,
      },
    })
  })

  it('leaves the switches of Electron and Chromium alone', () => {
    const line = parseCommandLine(['--no-sandbox', '--inspect=0', '.'], '/')
    expect(line).toEqual({
      ok: true,
      value: {
        userDataDir: undefined,
        provision: undefined,
        hidden: false,
        demo: false,
        version: false,
        help: false,
      },
    })
  })

  it.each(['--provision', '--provision=', '--user-data-dir', '--user-data-dir='])(
    'says that %s lacks its value',
    (argument) => {
      const line = parseCommandLine([argument], '/')
      expect(line).toEqual({ ok: false, error: expect.stringContaining('needs a value') })
    },
  )
})
