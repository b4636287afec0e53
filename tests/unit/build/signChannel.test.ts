import { generateKeyPairSync } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { signChannel, toPublicKey } from '../../../build/packaging/signChannel.mjs'
import { repoDir } from '../../../build/paths.mjs'
import { run } from '../../../build/processes.mjs'
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

it('a signed channel lists no package of another version that contains its digits', async () => {
  const folder = await temporaryFolder()
  const own = ['Packbench-Setup-0.2.1-x64.exe', 'packbench-0.2.1.x86_64.rpm', 'packbench_0.2.1_amd64.deb']
  const others = [
    'packbench_0.2.10_amd64.deb',
    'packbench-10.2.1.x86_64.rpm',
    'Packbench-Setup-0.2.1.7-x64.exe',
  ]
  for (const name of [...own, ...others]) await writeFile(join(folder, name), name)
  const signed = await signChannel({ folder, channel: 'stable', rollout: 100, version: '0.2.1', key, now })
  const wanted = { publicKey: toPublicKey(key), channel: 'stable', newest: undefined, now }
  const read = readChannel(signed, wanted)
  if (!read.ok) throw new Error(read.error)
  expect(read.value.files.map(({ name }) => name)).toEqual(own)
})

it('a channel is not signed for a package with an unofficial Electron', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'packbench-unofficial_0.2.0_amd64.deb'), 'package')
  const signed = signChannel({ folder, channel: 'stable', rollout: 100, version: '0.2.0', key, now })
  await expect(signed).rejects.toThrow('unofficial Electron')
})

it.each([
  ['no version', { version: '' }],
  ['a version with a letter', { version: 'v0.2.0' }],
  ['a version without packages', { version: '0.3.0' }],
  ['a rollout that is not a number', { rollout: Number('25%') }],
  ['a rollout above 100', { rollout: 101 }],
  ['a channel with a path', { channel: '../stable' }],
  ['no days until it expires', { validDays: 0 }],
])('a channel is not signed with %s', async (_what, wrong) => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'packbench_0.2.0_amd64.deb'), 'package')
  const wanted = { folder, channel: 'stable', rollout: 100, version: '0.2.0', key, now }
  await expect(signChannel(wanted)).resolves.toContain('0.2.0')
  await expect(signChannel({ ...wanted, ...wrong })).rejects.toThrow('Nothing was signed.')
})

it('a channel is not signed for an empty package', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'packbench_0.2.0_amd64.deb'), '')
  const signed = signChannel({ folder, channel: 'stable', rollout: 100, version: '0.2.0', key, now })
  await expect(signed).rejects.toThrow('packbench_0.2.0_amd64.deb is empty')
})

it('a version is withdrawn by a rollout of 0, also without its packages', async () => {
  const folder = await temporaryFolder()
  const signed = signChannel({ folder, channel: 'stable', rollout: 0, version: '0.2.0', key, now })
  await expect(signed).resolves.toContain('0.2.0')
})

it('the command signs nothing for an empty rollout, which would be read as 0', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'packbench_0.2.0_amd64.deb'), 'package')
  const script = join(repoDir, 'build', 'packaging', 'signChannel.mjs')
  const args = [script, `--folder=${folder}`, '--version=0.2.0', '--rollout=']
  const { code, output } = await run(process.execPath, args, { env: { UPDATE_SIGNING_KEY: key } })
  expect(output).toContain('The rollout is not a number')
  expect(code).toBe(1)
  expect(await readdir(folder)).not.toContain('stable.json')
})
