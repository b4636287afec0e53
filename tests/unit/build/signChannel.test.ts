import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { signChannel, toPublicKey } from '../../../build/packaging/signChannel.mjs'
import { readChannel } from '../../../src/main/updates/channel'
import { temporaryFolder } from '../../support/temporaryFolder'

const pair = generateKeyPairSync('ed25519')
const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const now = new Date('2026-11-22T12:00:00Z')

it('a signed channel lists each package of a release with its target, and no other file of the folder', async () => {
  const folder = await temporaryFolder()
  const targets = {
    'Packbench-0.2.0-linux-x86_64.AppImage': 'linux-x64-AppImage',
    'packbench_0.2.0_amd64.deb': 'linux-x64-deb',
    'packbench-0.2.0.aarch64.rpm': 'linux-arm64-rpm',
    'packbench-0.2.0-linux-x64.tar.gz': 'linux-x64-tar.gz',
    'Packbench-Setup-0.2.0-x64.exe': 'win32-x64-nsis',
    'Packbench-0.2.0-win-x64.zip': 'win32-x64-zip',
    'Packbench-0.2.0-mac-arm64.dmg': 'darwin-arm64-dmg',
  }
  const others = ['Packbench-0.2.0-mac-arm64.zip', 'packbench_0.1.0_amd64.deb', 'packbench-0.2.0.cdx.json']
  for (const name of [...Object.keys(targets), ...others]) await writeFile(join(folder, name), name)
  const signed = await signChannel({ folder, channel: 'stable', rollout: 100, version: '0.2.0', key, now })
  const wanted = { publicKey: toPublicKey(key), channel: 'stable', newest: undefined, now }
  const read = readChannel(signed, wanted)
  if (!read.ok) throw new Error(read.error)
  expect(Object.fromEntries(read.value.files.map(({ name, target }) => [name, target]))).toEqual(targets)
})

it('a channel is not signed for a package with an unofficial Electron', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'packbench-unofficial_0.2.0_amd64.deb'), 'package')
  const signed = signChannel({ folder, channel: 'stable', rollout: 100, version: '0.2.0', key, now })
  await expect(signed).rejects.toThrow('unofficial Electron')
})
