import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Reads the version of a package.
 * @param {string} folder of the package
 * @returns {Promise<string | undefined>} undefined when there is no such package
 */
export async function packageVersion(folder) {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => 'null')
  /** @type {unknown} */
  const description = JSON.parse(text)
  return isVersioned(description) ? description.version : undefined
}

/**
 * @param {unknown} value
 * @returns {value is { version: string }}
 */
function isVersioned(value) {
  return (
    typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'string'
  )
}
