// `npm start -- [switches]`: the app for real use, on the official Electron only.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageVersion } from './packageVersion.mjs'
import { repoDir } from './paths.mjs'
import { say } from './report.mjs'

const args = process.argv.slice(2)
process.exitCode = await main()

/** @returns {Promise<number>} the exit code */
async function main() {
  if (args.includes('--help'))
    return print(await readFile(join(repoDir, 'src', 'main', 'app', 'help.txt'), 'utf8'))
  if (args.includes('--version')) return print((await packageVersion(repoDir)) ?? 'unknown')
  // Loaded here, so that the two above answer whatever is missing.
  const { start } = await import('./launch.mjs')
  return start(args)
}

/**
 * @param {string} text
 * @returns {number}
 */
function print(text) {
  say(text.trimEnd())
  return 0
}
