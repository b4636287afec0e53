import { chmod, cp, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repoDir } from '../paths.mjs'

/**
 * Copies an unpacked app to the layout of a Linux package: below /usr, readable by everyone.
 * @param {string} root stands for /
 * @param {{ app: string, official: boolean, licence: string }} wanted `app`: the unpacked app's folder; `licence`: where
 *   the package's own licence goes, relative to the root
 * @returns {Promise<number>} size in KiB
 */
export async function installTree(root, { app, official, licence }) {
  const home = join(root, 'usr', 'lib', 'packbench')
  for (const folder of ['usr/bin', 'usr/lib', 'usr/share/applications', join(licence, '..')]) {
    await mkdir(join(root, folder), { recursive: true })
  }
  await cp(app, home, { recursive: true })
  await symlink('../lib/packbench/packbench', join(root, 'usr', 'bin', 'packbench'))
  await writeFile(join(root, 'usr/share/applications/packbench.desktop'), desktopEntry(official))
  await cp(join(repoDir, 'LICENSE'), join(root, licence))
  const sizes = join(repoDir, 'build', 'icons', 'sizes')
  for (const name of await readdir(sizes)) {
    const icons = join(root, 'usr/share/icons/hicolor', name.replace('.png', ''), 'apps')
    await mkdir(icons, { recursive: true })
    await cp(join(sizes, name), join(icons, 'packbench.png'))
  }
  await openToEveryone(root)
  return Math.ceil((await bytesBelow(root)) / 1024)
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
 * Makes the installed files readable by everyone, whatever the umask of the build.
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
