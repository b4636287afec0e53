import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { createKeyring } from '../../../src/main/account/keyring'
import { findSystemSwitches } from '../../../src/main/app/browser'
import { temporaryFolder } from '../../support/temporaryFolder'

vi.mock('electron', () => ({ protocol: {} }))

afterEach(() => {
  vi.unstubAllEnvs()
})

it.runIf(process.platform === 'linux')(
  'finds the host of the PAC file whatever the settings of the station are, since they may change later',
  async () => {
    const home = await temporaryFolder()
    await mkdir(join(home, '.config'))
    const settings = '[Proxy Settings]\nProxyType=2\nProxy Config Script=http://pac.example/proxy.pac\n'
    await writeFile(join(home, '.config', 'kioslaverc'), settings)
    const env = { HOME: home, XDG_CURRENT_DESKTOP: 'KDE', XDG_CONFIG_DIRS: '', auto_proxy: undefined }
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    expect((await findSystemSwitches(createKeyring({}, 'win32'))).proxyHosts).toEqual(['pac.example'])
  },
)
