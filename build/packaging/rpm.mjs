import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../processes.mjs'
import { done, failed } from '../report.mjs'
import { installTree } from './installTree.mjs'

/** System libraries that Electron needs, by their names in Fedora, RHEL and openSUSE. */
const requires = [
  '(libgtk-3.so.0()(64bit) or gtk3)',
  '(libnss3.so()(64bit) or nss)',
  '(libasound.so.2()(64bit) or alsa-lib)',
  '(libgbm.so.1()(64bit) or mesa-libgbm)',
  '(libcups.so.2()(64bit) or cups-libs)',
]

/** Optional: printers, the keyring, notifications, and links that open in a browser. */
const recommends = ['(cups or cups-client)', 'libsecret', 'libnotify', 'xdg-utils']

/**
 * Builds an RPM package of an unpacked app with rpmbuild. Removing the package keeps its users' data.
 * @param {{ app: string, output: string, version: string, official: boolean, arch: 'x64' | 'arm64' }} wanted
 *   `app`: the unpacked app's folder; `output`: target folder
 * @returns {Promise<import('../report.mjs').Outcome<string>>} the package's path
 */
export async function makeRpmPackage({ app, output, version, official, arch }) {
  const there = await run('rpmbuild', ['--version']).catch(() => ({ code: 1 }))
  if (there.code !== 0) return failed('rpmbuild is missing (apt-get install rpm).')
  const name = official ? 'packbench' : 'packbench-unofficial'
  const architecture = arch === 'x64' ? 'x86_64' : 'aarch64'
  const top = join(output, 'rpm')
  const tree = join(top, 'tree')
  await rm(top, { recursive: true, force: true })
  await mkdir(tree, { recursive: true })
  await installTree(tree, { app, official, licence: `usr/share/licenses/${name}/LICENSE` })
  const spec = join(top, 'packbench.spec')
  await writeFile(spec, toSpec({ name, version, official }))
  const { code, output: said } = await run('rpmbuild', [
    '-bb',
    ...['--target', architecture, '--define', `_topdir ${top}`, '--define', `tree ${tree}`],
    ...['--define', `_rpmdir ${output}`, '--define', '_rpmfilename %%{NAME}-%%{VERSION}.%%{ARCH}.rpm'],
    spec,
  ])
  await rm(top, { recursive: true, force: true })
  if (code !== 0) return failed(`rpmbuild failed: ${said.trim().split('\n').slice(-3).join(' ')}`)
  return done(join(output, `${name}-${version}.${architecture}.rpm`))
}

/**
 * @param {{ name: string, version: string, official: boolean }} facts
 * @returns {string}
 */
function toSpec({ name, version, official }) {
  return [
    `Name: ${name}`,
    `Version: ${version}`,
    'Release: 1',
    `Summary: Label printing for packing stations${official ? '' : ' (test build)'}`,
    'License: MIT',
    // Bundled libraries must be neither offered to other packages nor required from the system.
    'AutoReqProv: no',
    ...requires.map((each) => `Requires: ${each}`),
    ...recommends.map((each) => `Recommends: ${each}`),
    `Conflicts: ${official ? 'packbench-unofficial' : 'packbench'}`,
    '%define _build_id_links none',
    '%define __strip /bin/true',
    '%define __brp_mangle_shebangs %{nil}',
    '%define _binary_payload w1.zstdio',
    '%description',
    'One key, the right label, once: shipments, labels, tracking, manifests and',
    'pre-alerts of a carrier-integration service.',
    ...(official ? [] : ['This build runs on an unofficial Electron: never with real credentials.']),
    '%install',
    'cp -a %{tree}/. %{buildroot}/',
    '%files',
    '%defattr(-,root,root)',
    '/usr/lib/packbench',
    // Chromium's sandbox needs its setuid helper on systems that do not let users create namespaces.
    '%attr(4755,root,root) /usr/lib/packbench/chrome-sandbox',
    '/usr/bin/packbench',
    '/usr/share/applications/packbench.desktop',
    '/usr/share/icons/hicolor/*/apps/packbench.png',
    `/usr/share/licenses/${name}`,
    '',
  ].join('\n')
}
