import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repoDir } from '../paths.mjs'

/** A package's licence file has one of these names. */
const licenseFile = /^(licen[cs]e|copying|notice|ofl)([-.].*)?$/i

/**
 * Collects the licences of all shipped code: the production dependencies and the packages bundled into the window, with their
 * dependencies, and programs that a package contains under a different licence.
 * @returns {Promise<string>} name, version, licence and licence text of each package, sorted by name
 */
export async function shippedLicenses() {
  const { dependencies } = await readManifest(repoDir)
  const names = [...Object.keys(dependencies ?? {}), ...(await importedByWindow())]
  /** @type {Map<string, string>} */
  const texts = new Map()
  for (const name of names) await addPackage(name, repoDir, texts)
  // Only packages for Windows contain it, but all of them carry its notice.
  texts.set('SumatraPDF', await readFile(join(import.meta.dirname, 'notices', 'SumatraPDF.txt'), 'utf8'))
  return [...texts.entries()]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([, text]) => text)
    .join(`\n${'-'.repeat(80)}\n\n`)
}

/**
 * Adds a package and its dependencies.
 * @param {string} name
 * @param {string} from the folder of the package that needs it
 * @param {Map<string, string>} texts by name and version
 */
async function addPackage(name, from, texts) {
  const folder = await findPackage(name, from)
  // Optional binaries of other platforms are neither installed nor shipped.
  if (folder === undefined) return
  const { version, license, dependencies, optionalDependencies } = await readManifest(folder)
  const key = `${name} ${version}`
  if (texts.has(key)) return
  const files = (await readdir(folder)).filter((file) => licenseFile.test(file)).toSorted()
  const said = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  texts.set(key, `${key} (${license ?? 'see below'})\n\n${said.map((text) => text.trim()).join('\n\n')}\n`)
  const needed = Object.keys({ ...dependencies, ...optionalDependencies })
  for (const each of needed) await addPackage(each, folder, texts)
}

/**
 * Finds a package as Node does, walking up from a folder of the repository.
 * @param {string} name
 * @param {string} from
 * @returns {Promise<string | undefined>}
 */
async function findPackage(name, from) {
  for (let at = from; at.startsWith(repoDir); at = join(at, '..')) {
    const folder = join(at, 'node_modules', name)
    if (await readFile(join(folder, 'package.json')).catch(() => undefined)) return folder
  }
  return undefined
}

/** @returns {Promise<Set<string>>} the packages that the window's code imports */
async function importedByWindow() {
  const root = join(repoDir, 'src', 'renderer')
  const files = (await readdir(root, { recursive: true })).filter((file) => /\.(tsx?|css)$/.test(file))
  const names = new Set()
  for (const file of files) {
    const text = await readFile(join(root, file), 'utf8')
    for (const [, name] of text.matchAll(/(?:from|import|@import) '((?:@[\w.-]+\/)?[\w-][\w.-]*)/g))
      names.add(name)
  }
  return names
}

/**
 * @param {string} folder
 * @returns {Promise<{ version?: string, license?: string, dependencies?: object, optionalDependencies?: object }>}
 */
async function readManifest(folder) {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
}
