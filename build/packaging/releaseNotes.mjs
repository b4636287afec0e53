// Prints the section of CHANGELOG.md about a version: `node build/packaging/releaseNotes.mjs 0.2.0`. Exits with code 1 when
// there is none, so that nothing is released without notes.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { repoDir } from '../paths.mjs'

/**
 * Finds the section of a changelog about one version, without its heading.
 * @param {string} changelog
 * @param {string} version
 * @returns {string | undefined} undefined when the section is missing or empty
 */
export function findReleaseNotes(changelog, version) {
  const parts = changelog.split(/^## /m).slice(1)
  const part = parts.find((each) => each.startsWith(`[${version}]`))
  const notes = part?.slice(part.indexOf('\n')).trim()
  return notes === '' ? undefined : notes
}

if (import.meta.url === pathToFileURL(String(process.argv[1])).href) {
  const version = String(process.argv[2])
  const notes = findReleaseNotes(await readFile(join(repoDir, 'CHANGELOG.md'), 'utf8'), version)
  if (notes === undefined) {
    console.error(`CHANGELOG.md has no notes for version ${version}.`)
    process.exitCode = 1
  } else console.log(notes)
}
