import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative, win32 } from 'node:path'
import { repoDir } from '../paths.mjs'
import { run } from '../processes.mjs'
import { done, failed } from '../report.mjs'

/** Default path of NSIS on Windows; its installer does not add it to PATH. */
const usualPlace = 'C:\\Program Files (x86)\\NSIS\\makensis.exe'

/** Icon sizes that Windows uses, in pixels. */
const iconSizes = [16, 24, 32, 48, 64, 256]

/**
 * Builds the Windows installer of an unpacked app with NSIS, on any system that has NSIS.
 * @param {{ app: string, output: string, version: string, arch: 'x64' | 'arm64', sign?: string, anyWindows?: boolean }} wanted
 *   `app`: the unpacked app's folder; `output`: target folder; `sign`: a command that signs the file whose path is appended;
 *   `anyWindows`: the installer also runs on Windows versions that Electron does not support, for the tests
 * @returns {Promise<import('../report.mjs').Outcome<string>>} the installer's path
 */
export async function makeWindowsInstaller({ app, output, version, arch, sign, anyWindows }) {
  const tool = await findTool()
  if (tool === undefined) return failed('makensis is missing (apt-get install nsis; choco install nsis).')
  const parts = join(output, 'nsis')
  await rm(parts, { recursive: true, force: true })
  await mkdir(parts, { recursive: true })
  const target = join(output, `Packbench-Setup-${version}-${arch}.exe`)
  const facts = {
    APP: join(app, '*'),
    OUTPUT: target,
    VERSION: version,
    ICON: join(parts, 'packbench.ico'),
    REMOVAL: join(parts, 'removal.nsh'),
    ...(sign !== undefined && { SIGN: sign }),
    ...(anyWindows && { ANY_WINDOWS: '' }),
  }
  await writeFile(facts.ICON, await toIcon())
  await writeFile(facts.REMOVAL, await toRemoval(app))
  const defined = Object.entries(facts).map(([name, value]) =>
    value === '' ? `-D${name}` : `-D${name}=${value}`,
  )
  const script = join(import.meta.dirname, 'windows', 'installer.nsi')
  const { code, output: said } = await run(tool, ['-V2', '-INPUTCHARSET', 'UTF8', ...defined, script])
  await rm(parts, { recursive: true, force: true })
  if (code !== 0) return failed(`makensis failed: ${said.trim().split('\n').slice(-3).join(' ')}`)
  return done(target)
}

/**
 * The PowerShell command that signs a file, if the environment holds a certificate in electron-builder's variables.
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined}
 */
export function signCommand(env) {
  if (process.platform !== 'win32' || !env.CSC_LINK) return undefined
  const script = join(import.meta.dirname, 'windows', 'sign.ps1')
  return `powershell -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "${script}"`
}

/** @returns {Promise<string | undefined>} */
async function findTool() {
  if ((await run('makensis', ['-VERSION'])).code === 0) return 'makensis'
  return existsSync(usualPlace) ? usualPlace : undefined
}

/**
 * Generates the NSIS macro that removes exactly the app's files; a folder that also holds other files stays.
 * @param {string} app
 * @returns {Promise<string>}
 */
async function toRemoval(app) {
  const entries = await readdir(app, { recursive: true, withFileTypes: true })
  const lines = entries.map((entry) => {
    const path = relative(app, join(entry.parentPath, entry.name)).split(/[\\/]/).join(win32.sep)
    const named = `"$INSTDIR\\${path.replaceAll('$', '$$$$')}"`
    return { depth: path.split(win32.sep).length, isFolder: entry.isDirectory(), named }
  })
  // Files first, then folders from the innermost outwards.
  const files = lines.filter(({ isFolder }) => !isFolder).map(({ named }) => `  Delete ${named}`)
  const folders = lines
    .filter(({ isFolder }) => isFolder)
    .toSorted((one, other) => other.depth - one.depth)
    .map(({ named }) => `  RMDir ${named}`)
  return ['!macro RemoveInstalledFiles', ...files, ...folders, '!macroend', ''].join('\n')
}

/**
 * The app's icon in ICO format: one PNG per size.
 * @returns {Promise<Buffer>}
 */
async function toIcon() {
  const folder = join(repoDir, 'build', 'icons', 'sizes')
  const pictures = await Promise.all(iconSizes.map((size) => readFile(join(folder, `${size}x${size}.png`))))
  const head = Buffer.alloc(6 + 16 * pictures.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(pictures.length, 4)
  let offset = head.length
  for (const [index, picture] of pictures.entries()) {
    const size = iconSizes[index] ?? 0
    const at = 6 + 16 * index
    // 0 stands for 256.
    head.writeUInt8(size % 256, at)
    head.writeUInt8(size % 256, at + 1)
    head.writeUInt16LE(1, at + 4)
    head.writeUInt16LE(32, at + 6)
    head.writeUInt32LE(picture.length, at + 8)
    head.writeUInt32LE(offset, at + 12)
    offset += picture.length
  }
  return Buffer.concat([head, ...pictures])
}
