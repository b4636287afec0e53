// Prints what CHANGELOG.md says of a version: `node build/packaging/releaseNotes.mjs 0.2.0`. A version that it does not
// name ends with exit code 1, so that nothing is released without notes.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { repoDir } from '../paths.mjs'

/**
 * The part of a changelog that is about one version, without its heading.
 * @param {string} changelog
 * @param {string} version
 * @returns {string | undefined} undefined when it is not named, or nothing is said
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
    console.error(`CHANGELOG.md says nothing of version ${version}.`)
    process.exitCode = 1
  } else console.log(notes)
}
