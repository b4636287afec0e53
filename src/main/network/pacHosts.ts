import { readFile } from 'node:fs/promises'
import { isAbsolute, join, win32 } from 'node:path'
import { runProgram } from '../lib/programs'

const timeoutMs = 2_000

/** The search domains of Linux. */
const usualResolverFile = '/etc/resolv.conf'

/** The user's settings, and those of the computer, where a policy makes them the same for all users. */
const registryKeys = ['HKCU', 'HKLM'].map(
  (root) => `${root}\\Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings`,
)

/** The values of `ProxyType` in KDE's settings for a PAC file and for automatic discovery. */
const kdeScript = '2'
const kdeDiscovery = '3'

/**
 * The hosts of the system's PAC file, as patterns; none when the system uses no PAC file. Chromium may connect to these
 * hosts only, to fetch it.
 */
export async function findPacHosts(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  run = runProgram,
  resolverFile = usualResolverFile,
): Promise<string[]> {
  const ask = async (program: string, parameters: string[]) => {
    const end = await run(program, parameters, { timeoutMs })
    return end.kind === 'success' ? end.output : ''
  }
  if (platform === 'win32') {
    const reg = win32.join(env.SystemRoot ?? 'C:\\Windows', 'System32\\reg.exe')
    const usualNames = toUsualNames([env.USERDNSDOMAIN ?? ''])
    const answers = registryKeys.map((key) => ask(reg, ['query', key, '/v', 'AutoConfigURL']))
    return [...new Set([...usualNames, ...(await Promise.all(answers)).flatMap(toHosts)])]
  }
  if (platform === 'darwin') {
    const said = await ask('/usr/sbin/scutil', ['--proxy'])
    const discovers = /ProxyAutoDiscoveryEnable\s*:\s*1/.test(said)
    const [, address = ''] = /ProxyAutoConfigURLString\s*:\s*(\S+)/.exec(said) ?? []
    return [...(discovers ? toUsualNames([]) : []), ...toHosts(address)]
  }
  const isKde = env.XDG_CURRENT_DESKTOP?.split(':').includes('KDE') === true
  const ofDesktop = isKde ? await readKdeAddress(env) : await askGnomeAddress(ask)
  // Chromium asks a desktop that it knows before the variable, and other desktops not at all.
  const addresses = [ofDesktop, env.auto_proxy].filter((address) => address !== undefined)
  const hosts = addresses.map((address) => {
    const named = toHosts(address)
    return named.length === 0 ? findUsualNames(resolverFile) : named
  })
  return [...new Set((await Promise.all(hosts)).flat())]
}

/** The address of the PAC file in GNOME's settings; without one for automatic discovery, undefined for other modes. */
async function askGnomeAddress(
  ask: (program: string, parameters: string[]) => Promise<string>,
): Promise<string | undefined> {
  const get = (key: string) => ask('/usr/bin/gsettings', ['get', 'org.gnome.system.proxy', key])
  return (await get('mode')).includes('auto') ? get('autoconfig-url') : undefined
}

/**
 * The address of the PAC file in KDE's settings; empty for automatic discovery, undefined for other modes. Chromium
 * reads the same files. A setting of the user precedes one of the computer.
 */
async function readKdeAddress(
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const folders = [join(env.HOME ?? '', '.config'), ...(env.XDG_CONFIG_DIRS ?? '').split(':')]
  const files = folders.filter(isAbsolute).map((folder) => join(folder, 'kioslaverc'))
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
  const sections = texts.flatMap((text) => text.split(/^\[/m))
  const settings = sections.filter((section) => section.startsWith('Proxy Settings]')).join('\n')
  const [, kind] = /^ProxyType(?:\[.*?\])?\s*=\s*(\d)/m.exec(settings) ?? []
  const [, script = ''] = /^Proxy Config Script(?:\[.*?\])?\s*=(.*)/m.exec(settings) ?? []
  if (kind === kdeDiscovery) return ''
  return kind === kdeScript ? script : undefined
}

/**
 * The host names of proxy auto-discovery (WPAD).
 * SECURITY: for this computer's own domains only. A wildcard would let a page look up arbitrary names.
 */
function toUsualNames(domains: readonly string[]): string[] {
  const known = domains.map((domain) => domain.toLowerCase().replace(/\.$/, ''))
  return ['wpad', ...new Set(known.filter(isDomain).map((domain) => `wpad.${domain}`))]
}

function isDomain(text: string): boolean {
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(text)
}

async function findUsualNames(resolverFile: string): Promise<string[]> {
  const text = await readFile(resolverFile, 'utf8').catch(() => '')
  return toUsualNames(
    [...text.matchAll(/^[ \t]*(?:search|domain)[ \t]+(.+)$/gm)].flatMap(([, names = '']) =>
      names.split(/\s+/),
    ),
  )
}

function toHosts(text: string): string[] {
  const address = /https?:\/\/[^\s'"]+/i.exec(text)?.[0]
  return address !== undefined && URL.canParse(address) ? [new URL(address).hostname] : []
}
