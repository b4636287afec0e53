import { chmod, cp, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repoDir } from '../paths.mjs'
import { run } from '../processes.mjs'
import { done, failed } from '../report.mjs'

/** What Electron needs of the system, by the names of Debian 12 and of Debian 13 and Ubuntu 24.04. */
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

/** Chromium's own sandbox needs its helper where the system allows users no namespaces. */
const postinst = `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  chown root:root "$DPKG_ROOT/usr/lib/packbench/chrome-sandbox"
  chmod 4755 "$DPKG_ROOT/usr/lib/packbench/chrome-sandbox"
fi
`

/**
 * Makes a Debian package of an unpacked app with dpkg-deb. Removing the package leaves the data of its users alone.
 * @param {{ app: string, output: string, version: string, official: boolean, arch: 'x64' | 'arm64' }} wanted
 *   `app`: the unpacked app's folder; `output`: where the package goes
 * @returns {Promise<import('../report.mjs').Outcome<string>>} the package's path
 */
export async function makeDebianPackage({ app, output, version, official, arch }) {
  const name = official ? 'packbench' : 'packbench-unofficial'
  const architecture = arch === 'x64' ? 'amd64' : 'arm64'
  const root = join(output, 'debian')
  const home = join(root, 'usr', 'lib', 'packbench')
  await rm(root, { recursive: true, force: true })
  for (const folder of ['DEBIAN', 'usr/bin', 'usr/lib', 'usr/share/applications', `usr/share/doc/${name}`]) {
    await mkdir(join(root, folder), { recursive: true })
  }
  await cp(app, home, { recursive: true })
  await symlink('../lib/packbench/packbench', join(root, 'usr', 'bin', 'packbench'))
  await writeFile(join(root, 'usr/share/applications/packbench.desktop'), desktopEntry(official))
  await cp(join(repoDir, 'LICENSE'), join(root, 'usr/share/doc', name, 'copyright'))
  const icons = join(root, 'usr/share/icons/hicolor/512x512/apps')
  await mkdir(icons, { recursive: true })
  await cp(join(repoDir, 'build/icons/icon.png'), join(icons, 'packbench.png'))
  const size = Math.ceil((await bytesBelow(root)) / 1024)
  await writeFile(join(root, 'DEBIAN/control'), control({ name, version, architecture, size, official }))
  await writeFile(join(root, 'DEBIAN/postinst'), postinst)
  await openToEveryone(root)
  await chmod(join(root, 'DEBIAN/postinst'), 0o755)
  const target = join(output, `${name}_${version}_${architecture}.deb`)
  const compression = ['-Zxz', '-z1', '--threads-max=2']
  const { code, output: said } = await run('dpkg-deb', [
    '--root-owner-group',
    ...compression,
    '--build',
    root,
    target,
  ])
  await rm(root, { recursive: true, force: true })
  return code === 0 ? done(target) : failed(`dpkg-deb made no package: ${said.trim()}`)
}

/**
 * @param {{ name: string, version: string, architecture: string, size: number, official: boolean }} facts `size` in KiB
 * @returns {string}
 */
function control({ name, version, architecture, size, official }) {
  const unofficial = [
    ' .',
    ' This build runs on an unofficial Electron: for trying it out and for tests,',
    ' never with real credentials.',
  ]
  return [
    `Package: ${name}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    'Maintainer: The Packbench authors <packbench@localhost>',
    `Installed-Size: ${size}`,
    `Depends: ${depends.join(', ')}`,
    'Recommends: cups-client',
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

/**
 * @param {boolean} official
 * @returns {string}
 */
function desktopEntry(official) {
  return [
    '[Desktop Entry]',
    'Type=Application',
    `Name=Packbench${official ? '' : ' (test build, not for real credentials)'}`,
    'Comment=One key, the right label, once',
    'Comment[nl]=Eén toets, het juiste label, één keer',
    'Exec=packbench',
    'Icon=packbench',
    'Terminal=false',
    'Categories=Office;',
    'StartupWMClass=Packbench',
    '',
  ].join('\n')
}

/**
 * Everyone may read what is installed, whatever the umask of who builds it.
 * @param {string} folder
 */
async function openToEveryone(folder) {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const { mode } = await stat(path)
    await chmod(path, entry.isDirectory() || (mode & 0o100) !== 0 ? 0o755 : 0o644)
  }
  await chmod(folder, 0o755)
}

/**
 * @param {string} folder
 * @returns {Promise<number>}
 */
async function bytesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map((entry) => stat(join(entry.parentPath, entry.name))))
  return sizes.reduce((sum, { size }) => sum + size, 0)
}
