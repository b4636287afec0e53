import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { repoDir } from '../../../build/paths.mjs'
import { findRefusedSwitch, harmlessSwitches, parseCommandLine } from '../../../src/main/app/commandLine'
import { err } from '../../../src/shared/result'

describe('the command line', () => {
  it('reads every switch of the app', () => {
    const line = parseCommandLine(
      [
        '--user-data-dir=/data',
        '--provision=station.json',
        '--export-diagnostics=station.zip',
        '--hidden',
        '--demo',
        '--version',
        '--help',
      ],
      '/home/operator',
    )
    expect(line).toEqual({
      ok: true,
      value: {
        userDataDir: '/data',
        provision: resolve('/home/operator', 'station.json'),
        exportDiagnostics: resolve('/home/operator', 'station.zip'),
        backup: undefined,
        restore: undefined,
        restoreConfirmed: false,
        forgetOpenWork: false,
        hidden: true,
        demo: true,
        version: true,
        help: true,
      },
    })
  })

  it.each([
    ['export-diagnostics', 'backup'],
    ['export-diagnostics', 'restore'],
    ['backup', 'restore'],
  ])('refuses --%s together with --%s, of which one would be left out', (one, other) => {
    expect(parseCommandLine([`--${other}=copies`, `--${one}=file`], '/home/operator')).toEqual(
      err(
        `--${one} and --${other} can’t be given together: nothing was started. Start Packbench once for each.`,
      ),
    )
  })

  it.each(['--restore-confirmed', '--forget-open-work'])('refuses %s without --restore', (argument) => {
    expect(parseCommandLine([argument, '--hidden'], '/')).toEqual({
      ok: false,
      error: `${argument} needs --restore=DIR: nothing was started.`,
    })
    const line = parseCommandLine(['--restore=copies', argument], '/')
    expect(line).toMatchObject({ ok: true, value: { restore: resolve('/', 'copies') } })
  })

  it('ignores switches of Electron and Chromium', () => {
    const line = parseCommandLine(['--no-sandbox', '--inspect=0', '.'], '/')
    expect(line).toEqual({
      ok: true,
      value: {
        userDataDir: undefined,
        provision: undefined,
        exportDiagnostics: undefined,
        backup: undefined,
        restore: undefined,
        restoreConfirmed: false,
        forgetOpenWork: false,
        hidden: false,
        demo: false,
        version: false,
        help: false,
      },
    })
  })

  it.each([
    '--no-sandbox',
    '--disable-gpu',
    '--ozone-platform=wayland',
    '--ozone-platform-hint=auto',
    '--remote-debugging-port=0',
    '--inspect=0',
    '--lang=nl',
    '--headless',
    '--hide-scrollbars',
    '--user-agent=x',
    '--proxy-server=http://proxy.example:8080',
    '--disk-cache-dir=/tmp/x',
    '--icu-data-dir=/tmp/x',
    '--enable-logging=stderr',
    '--disable-features=A,B',
    '--js-flags=--max-old-space-size=512',
    '--host-resolver-rules=MAP * ~NOTFOUND',
    '--original-process-start-time=1',
    '-psn_0_12345',
    '--',
    '-',
    'hidden',
    'C:\\orders\\hiden.json',
  ])('ignores %s, which is not a switch of the app', (argument) => {
    expect(parseCommandLine([argument], '/')).toMatchObject({ ok: true, value: { hidden: false } })
  })

  it.each([
    ['--hiden', '--hidden'],
    ['--Hidden', '--hidden'],
    ['-hidden', '--hidden'],
    ['—hidden', '--hidden'],
    ['--hidden-window', '--hidden'],
    ['--dmo', '--demo'],
    ['--demo-mode=1', '--demo'],
    ['--provison=station.json', '--provision=FILE'],
    ['--provisioning=station.json', '--provision=FILE'],
    ['--user-data=/data', '--user-data-dir=DIR'],
    ['--user_data_dir=/data', '--user-data-dir=DIR'],
    ['--userdatadir=/data', '--user-data-dir=DIR'],
    ['--verison', '--version'],
    ['--hepl', '--help'],
  ])('refuses %s and suggests %s', (argument, meant) => {
    const line = parseCommandLine(['--no-sandbox', argument], '/')
    const [given] = argument.split('=')
    expect(line).toEqual({
      ok: false,
      error: `${given} is not a switch of Packbench: write ${meant}, or --help to see all switches.`,
    })
  })

  it.each(['--hidden=1', '--hidden=', '--demo=yes', '--version=2', '--help=all'])(
    'refuses the value of %s',
    (argument) => {
      const [name] = argument.split('=')
      expect(parseCommandLine([argument], '/')).toEqual({
        ok: false,
        error: `${name} takes no value: write ${name} alone.`,
      })
    },
  )

  it.each(['--provision', '--provision=', '--user-data-dir', '--user-data-dir='])(
    'says that %s lacks its value',
    (argument) => {
      const line = parseCommandLine([argument], '/')
      expect(line).toEqual({ ok: false, error: expect.stringContaining('needs a value') })
    },
  )
})

it('the demo restores no copy of a station, and makes one of its own data', () => {
  expect(parseCommandLine(['--demo', '--restore=/copies'], '/')).toEqual({
    ok: false,
    error: expect.stringContaining('no copy of one'),
  })
  expect(parseCommandLine(['--demo', '--backup=/copies'], '/')).toMatchObject({ ok: true })
})

describe('findRefusedSwitch, for an installed app', () => {
  it.each([
    '--inspect',
    '--inspect-brk=0',
    '-inspect',
    '--remote-debugging-port=9222',
    '--remote-debugging-pipe',
    '--no-sandbox',
    '--disable-web-security',
    '--js-flags=--allow-natives-syntax',
    '--ignore-certificate-errors',
    '--host-rules=MAP * 127.0.0.1',
    '-p',
    ' --remote-debugging-port=1',
    '\t--remote-debugging-port=1',
    '--no-sandbox ',
    '\n--no-sandbox\r\n',
    '--no.sandbox',
    '--Hidden',
    '--hidden =1',
    '--=1',
  ])('refuses %j', (argument) => {
    const name = argument.trim().replace(/^-+/, '').split('=')[0]
    expect(findRefusedSwitch(['--hidden', argument])).toContain(`does not accept the switch --${name},`)
  })

  it('refuses a switch that begins with a slash on Windows only', () => {
    const platform = vi.spyOn(process, 'platform', 'get')
    platform.mockReturnValue('win32')
    expect(findRefusedSwitch([' /remote-debugging-port=1'])).toContain(
      'does not accept the switch --remote-debugging-port,',
    )
    platform.mockReturnValue('linux')
    expect(findRefusedSwitch(['/remote-debugging-port=1'])).toBeUndefined()
    platform.mockRestore()
  })

  it('is told about a switch of its own that begins with a slash, on Windows only', () => {
    const platform = vi.spyOn(process, 'platform', 'get')
    platform.mockReturnValue('win32')
    expect(parseCommandLine(['/user-data-dir=D:\\Station2'], 'C:\\')).toEqual(
      err(
        '/user-data-dir is not a switch of Packbench: write --user-data-dir=DIR, or --help to see all switches.',
      ),
    )
    platform.mockReturnValue('linux')
    expect(parseCommandLine(['/user-data-dir'], '/')).toMatchObject({ ok: true })
    platform.mockRestore()
  })

  it('accepts the switches of Electron and Chromium that --help lists, and no others', async () => {
    const help = await readFile(join(repoDir, 'src', 'main', 'app', 'help.txt'), 'utf8')
    const [, listed = ''] = help.split('takes only these:')
    expect(listed.trim().split(/\s+/)).toEqual([...harmlessSwitches].map((name) => `--${name}`))
  })

  it('accepts dashes and blanks alone, which are not switches', () => {
    expect(findRefusedSwitch(['--', '-', ' ', ''])).toBeUndefined()
  })

  it('accepts the switches of Packbench and those for the display', () => {
    const given = [
      '--user-data-dir=/data',
      '--provision',
      '/etc/station.json',
      '--hidden',
      '--ozone-platform=wayland',
    ]
    expect(findRefusedSwitch(given)).toBeUndefined()
  })
})
