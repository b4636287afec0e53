import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, it } from 'vitest'
import type { ProgramEnd } from '../../../src/main/lib/programs'
import { findRoutes, parseProxyList } from '../../../src/main/network/network'
import { findPacHosts } from '../../../src/main/network/pacHosts'
import { readSystemCertificates, Trust } from '../../../src/main/network/trust'
import { certificateSettingsSchema, proxySettingsSchema } from '../../../src/shared/network'
import { makePrivateAuthority } from '../../support/network/privateAuthority'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'

const [one = '', other = ''] = rootCertificates

/** Answers each program by its path, and notes what was started. */
function programs(answers: Record<string, string>) {
  const started: string[][] = []
  const run = async (program: string, parameters: string[]): Promise<ProgramEnd> => {
    started.push([program, ...parameters])
    const output = answers[program]
    return output === undefined ? { kind: 'missing' } : { kind: 'success', output }
  }
  return { run, started }
}

describe('the routes of the system', () => {
  it('are read from the words of a PAC file, in their order', () => {
    expect(parseProxyList('PROXY proxy.example:8080; HTTPS safe.example:443;SOCKS5 s:1080 ;DIRECT')).toEqual([
      { kind: 'proxy', host: 'proxy.example', port: 8080, tls: false },
      { kind: 'proxy', host: 'safe.example', port: 443, tls: true },
      { kind: 'unsupported', place: 'SOCKS5 s:1080' },
      { kind: 'direct' },
    ])
    expect(parseProxyList('')).toEqual([{ kind: 'direct' }])
  })

  it('are not requested for loopback addresses, and the request contains only an origin', async () => {
    const asked: string[] = []
    const ask = async (origin: string) => {
      asked.push(origin)
      return 'PROXY proxy.example:8080'
    }
    const system = proxySettingsSchema.parse({ mode: 'system' })
    expect(await findRoutes('http://127.0.0.1:8080', system, ask)).toEqual([{ kind: 'direct' }])
    expect(await findRoutes('http://localhost', system, ask)).toEqual([{ kind: 'direct' }])
    await findRoutes('https://carrier.example', system, ask)
    expect(asked).toEqual(['https://carrier.example'])
  })

  it.each([
    ['wms.example', 'https://wms.example', true],
    ['.example', 'https://a.b.example', true],
    ['*.example', 'https://a.example', true],
    ['.example', 'https://example', false],
    ['wms.example', 'https://not-wms.example', false],
  ])('leave out the exception %s for %s: %s', async (exception, origin, isDirect) => {
    const manual = proxySettingsSchema.parse({
      ...{ mode: 'manual', host: 'proxy.example', port: 8080, exceptions: [exception] },
    })
    const [route] = await findRoutes(origin, manual, async () => 'DIRECT')
    expect(route?.kind).toBe(isDirect ? 'direct' : 'proxy')
  })
})

describe('the certificates of the system', () => {
  it('come from the first file of a distribution that has some', async () => {
    const folder = await temporaryFolder()
    const bundle = join(folder, 'bundle.crt')
    await writeFile(bundle, `# One\n${one}\n# Other\n${other}\n`)
    const bundles = [join(folder, 'missing.crt'), bundle]
    expect(await readSystemCertificates({ platform: 'linux', bundles })).toEqual([one, other])
  })

  it('come from the store of Windows by its own PowerShell', async () => {
    const bytes = Buffer.from(one.replace(/-----[^-]+-----|\s/g, ''), 'base64').join(' ')
    const { run, started } = programs({
      'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe': `${bytes}\r\n`,
    })
    const [found = ''] = await readSystemCertificates({ platform: 'win32', run })
    expect(found.replace(/\s/g, '')).toBe(one.replace(/\s/g, ''))
    expect(started[0]?.at(-1)).toContain('Cert:\\LocalMachine\\Root')
    // Where a policy restricts PowerShell, methods of these types may not be called.
    expect(started[0]?.at(-1)).not.toMatch(/\[(Convert|Console|Text\.)/)
  })

  it('come from the system keychain of macOS', async () => {
    const { run } = programs({ '/usr/bin/security': `${one}\n${other}\n` })
    expect(await readSystemCertificates({ platform: 'darwin', run })).toEqual([one, other])
  })

  it.each(['win32', 'darwin'] as const)('are an error when they can not be read (%s)', async (platform) => {
    const { run } = programs({})
    await expect(readSystemCertificates({ platform, run })).rejects.toThrow('its program is missing')
  })

  it('are read again a minute after a failed attempt, and then not any more', async () => {
    let milliseconds = 0
    let attempts = 0
    const warnings: string[] = []
    const trust = new Trust({
      async system() {
        attempts += 1
        if (attempts === 1) throw new Error('too slow')
        return []
      },
      log: { ...silentLog, warn: (text) => void warnings.push(text) },
      elapsed: () => milliseconds,
    })
    const settings = certificateSettingsSchema.parse({ system: true })
    for (milliseconds of [0, 59_999]) await trust.load(settings)
    expect(attempts).toBe(1)
    expect(warnings).toHaveLength(1)
    for (milliseconds of [60_000, 200_000]) await trust.load(settings)
    expect(attempts).toBe(2)
  })

  it('delay no connection while they are read again, and are used by the connections after that', async () => {
    let milliseconds = 0
    let attempts = 0
    let answer = (_certificates: string[]): void => undefined
    const trust = new Trust({
      system() {
        attempts += 1
        if (attempts === 1) return Promise.reject(new Error('too slow'))
        return new Promise((resolve) => {
          answer = resolve
        })
      },
      log: silentLog,
      elapsed: () => milliseconds,
    })
    const settings = certificateSettingsSchema.parse({ system: true })
    for (milliseconds of [0, 60_000, 120_000]) {
      expect(await trust.load(settings)).toEqual({ context: undefined, error: undefined })
    }
    expect(attempts).toBe(2)
    answer([makePrivateAuthority('Example').pem])
    await expect.poll(async () => (await trust.load(settings)).context).toBeDefined()
  })
})

describe('the authorities that a test has read anew', () => {
  it('replace the earlier ones if its settings are the same and the system’s could be read', async () => {
    const answers = [[], [makePrivateAuthority('Example').pem]]
    const trust = new Trust({
      async system() {
        const answer = answers.shift()
        if (answer === undefined) throw new Error('too slow')
        return answer
      },
      log: silentLog,
    })
    const settings = certificateSettingsSchema.parse({ system: true })
    expect((await trust.load(settings)).context).toBeUndefined()
    const tested = trust.withoutCache()
    const read = await tested.load(settings)
    expect(read.context).toBeDefined()
    trust.adopt(tested)
    expect(await trust.load(settings)).toBe(read)
    const failed = trust.withoutCache()
    await failed.load(settings)
    trust.adopt(failed)
    expect(await trust.load(settings)).toBe(read)
    const other = trust.withoutCache()
    await other.load(certificateSettingsSchema.parse({ system: false }))
    trust.adopt(other)
    expect(await trust.load(settings)).toBe(read)
  })
})

describe('the hosts of the file by which the system chooses a proxy', () => {
  it.each([
    ['linux' as const, { auto_proxy: 'http://pac.example:8080/proxy.pac' }, {}, ['pac.example']],
    ['linux' as const, {}, {}, []],
    [
      'linux' as const,
      {},
      { '/usr/bin/gsettings': "'auto' 'http://pac.example/proxy.pac'" },
      ['pac.example'],
    ],
    [
      'win32' as const,
      { SystemRoot: 'D:\\Windows' },
      { 'D:\\Windows\\System32\\reg.exe': '    AutoConfigURL    REG_SZ    https://pac.example/wpad.dat\r\n' },
      ['wpad', 'pac.example'],
    ],
    [
      'darwin' as const,
      {},
      {
        '/usr/sbin/scutil':
          '  ProxyAutoConfigEnable : 1\n  ProxyAutoConfigURLString : http://pac.example/p\n',
      },
      ['pac.example'],
    ],
  ])('on %s with %j are found', async (platform, env, answers, hosts) => {
    expect(await findPacHosts(platform, env, programs(answers).run)).toEqual(hosts)
  })

  it('are found on Windows in the settings of the computer, which a policy sets for all users', async () => {
    const run = async (_program: string, [, key = '']: string[]): Promise<ProgramEnd> => {
      const output = '    AutoConfigURL    REG_SZ    http://computer.example/proxy.pac\r\n'
      return key.startsWith('HKLM\\') ? { kind: 'success', output } : { kind: 'failure', words: '' }
    }
    expect(await findPacHosts('win32', {}, run)).toEqual(['wpad', 'computer.example'])
  })

  it('are those of the desktop and of the variable on Linux, where Chromium asks the desktop first', async () => {
    const { run } = programs({ '/usr/bin/gsettings': "'auto' 'http://gnome.example/proxy.pac'" })
    const env = { auto_proxy: 'http://variable.example/proxy.pac' }
    expect(await findPacHosts('linux', env, run)).toEqual(['gnome.example', 'variable.example'])
  })

  it.runIf(process.platform !== 'win32')(
    'are found in KDE’s settings, the user’s before the computer’s',
    async () => {
      const folder = await temporaryFolder()
      const home = join(folder, 'home')
      const computer = join(folder, 'xdg')
      for (const made of [join(home, '.config'), computer]) await mkdir(made, { recursive: true })
      const setting = (type: number, address: string) =>
        `[$Version]\nupdate_info=x\n\n[Proxy Settings][$i]\nProxy Config Script[$e]=${address}\nProxyType=${type}\n[Other]\nProxyType=1\n`
      await writeFile(join(computer, 'kioslaverc'), setting(2, 'https://computer.example/proxy.pac'))
      const { run, started } = programs({ '/usr/bin/gsettings': "'auto' 'http://gnome.example/proxy.pac'" })
      const env = { XDG_CURRENT_DESKTOP: 'KDE', HOME: home, XDG_CONFIG_DIRS: computer }
      const find = () => findPacHosts('linux', env, run, join(folder, 'none'))
      expect(await find()).toEqual(['computer.example'])
      const own = join(home, '.config', 'kioslaverc')
      await writeFile(own, setting(2, 'http://user.example:8080/proxy.pac'))
      expect(await find()).toEqual(['user.example'])
      await writeFile(own, setting(3, 'http://user.example/proxy.pac'))
      expect(await find()).toEqual(['wpad'])
      await writeFile(own, setting(1, 'http://user.example/proxy.pac'))
      expect(await find()).toEqual([])
      expect(started).toEqual([])
    },
  )

  it('are looked for in this computer’s own domains alone', async () => {
    const file = join(await temporaryFolder(), 'resolv.conf')
    await writeFile(
      file,
      '# search old.example\nnameserver 192.0.2.1\nsearch Bench.example. corp.example * a,b\n',
    )
    const { run } = programs({})
    expect(await findPacHosts('linux', { auto_proxy: '' }, run, file)).toEqual([
      ...['wpad', 'wpad.bench.example', 'wpad.corp.example'],
    ])
    expect(await findPacHosts('linux', { auto_proxy: '' }, run, `${file}.missing`)).toEqual(['wpad'])
    expect(await findPacHosts('win32', { USERDNSDOMAIN: 'CORP.EXAMPLE' }, run)).toEqual([
      ...['wpad', 'wpad.corp.example'],
    ])
  })
})
