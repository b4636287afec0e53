import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../processes.mjs'
import { done, failed } from '../report.mjs'
import { installTree } from './installTree.mjs'

/** System libraries that Electron needs, by their names in Debian 12 and in Debian 13 and Ubuntu 24.04. */
const depends = [
  'libgtk-3-0 | libgtk-3-0t64',
  'libnss3',
  'libasound2 | libasound2t64',
  'libgbm1',
  'libdrm2',
  'libcups2 | libcups2t64',
  'libatspi2.0-0 | libatspi2.0-0t64',
  'libxkbcommon0',
]

/** Optional: printers, the keyring, notifications, and links that open in a browser. */
const recommends = ['cups-client', 'libsecret-1-0', 'libnotify4', 'xdg-utils']

/** Chromium's sandbox needs its setuid helper on systems that do not let users create namespaces. */
const postinst = `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  chown root:root "$DPKG_ROOT/usr/lib/packbench/chrome-sandbox"
  chmod 4755 "$DPKG_ROOT/usr/lib/packbench/chrome-sandbox"
fi
`

/**
 * Builds a Debian package of an unpacked app with dpkg-deb. Removing the package keeps its users' data.
 * @param {{ app: string, output: string, version: string, official: boolean, arch: 'x64' | 'arm64', quick: boolean }} wanted
 *   `app`: the unpacked app's folder; `output`: target folder; `quick`: does not compress, which builds and installs in a third of the time
 * @returns {Promise<import('../report.mjs').Outcome<string>>} the package's path
 */
export async function makeDebianPackage({ app, output, version, official, arch, quick }) {
  const name = official ? 'packbench' : 'packbench-unofficial'
  const architecture = arch === 'x64' ? 'amd64' : 'arm64'
  const root = join(output, 'debian')
  await rm(root, { recursive: true, force: true })
  const size = await installTree(root, { app, official, licence: `usr/share/doc/${name}/copyright` })
  await mkdir(join(root, 'DEBIAN'))
  await writeFile(join(root, 'DEBIAN/control'), control({ name, version, architecture, size, official }))
  await writeFile(join(root, 'DEBIAN/postinst'), postinst)
  for (const path of ['DEBIAN', 'DEBIAN/postinst']) await chmod(join(root, path), 0o755)
  await chmod(join(root, 'DEBIAN/control'), 0o644)
  const target = join(output, `${name}_${version}_${architecture}.deb`)
  const compression = quick ? ['-Znone'] : ['-Zxz', '-z1', '--threads-max=2']
  const { code, output: said } = await run('dpkg-deb', [
    '--root-owner-group',
    ...compression,
    '--build',
    root,
    target,
  ])
  await rm(root, { recursive: true, force: true })
  return code === 0 ? done(target) : failed(`dpkg-deb failed: ${said.trim()}`)
}

/**
 * @param {{ name: string, version: string, architecture: string, size: number, official: boolean }} facts `size` in KiB
 * @returns {string}
 */
function control({ name, version, architecture, size, official }) {
  const unofficial = [
    ' .',
    ' This build runs on an unofficial Electron: for trials and tests only,',
    ' never with real credentials.',
  ]
  return [
    `Package: ${name}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    'Maintainer: The Packbench authors <packbench@localhost>',
    `Installed-Size: ${size}`,
    `Depends: ${depends.join(', ')}`,
    `Recommends: ${recommends.join(', ')}`,
    `Conflicts: ${official ? 'packbench-unofficial' : 'packbench'}`,
    'Section: utils',
    'Priority: optional',
    `Description: label printing for packing stations${official ? '' : ' (test build)'}`,
    ' One key, the right label, once: shipments, labels, tracking, manifests and',
    ' pre-alerts of a carrier-integration service.',
    ...(official ? [] : unofficial),
    '',
  ].join('\n')
}
