// `npm run test:wine [-- vitest's switches]`: tests printing with SumatraPDF under Wine. Skipped with a message where Wine is missing.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { repoDir } from './paths.mjs'
import { runInForeground } from './processes.mjs'
import { say } from './report.mjs'

process.exitCode = await main(process.argv.slice(2))

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} vitest's exit code; 0 when it is skipped
 */
async function main(args) {
  const reason = findReason(process.env.PACKBENCH_WINE_ROOT)
  if (reason !== undefined) {
    say(`Skipped: ${reason}`)
    return 0
  }
  const vitest = join(repoDir, 'node_modules', 'vitest', 'vitest.mjs')
  const config = join(repoDir, 'tests', 'wine', 'vitest.config.ts')
  return runInForeground(process.execPath, [vitest, 'run', '--config', config, ...args], { cwd: repoDir })
}

/**
 * @param {string | undefined} root
 * @returns {string | undefined} why the suite can't be run here
 */
function findReason(root) {
  if (process.platform !== 'linux') return 'Wine is used on Linux.'
  if (root === undefined || !existsSync(join(root, 'opt', 'packbench', 'node.exe'))) {
    return 'there is no Wine. It needs a separate Debian with wine32 and libcups2 for i386: create one with `sudo node build/wineRoot.mjs DIR` and set PACKBENCH_WINE_ROOT to it.'
  }
  if (process.getuid?.() !== 0) return 'only root may enter the folder that PACKBENCH_WINE_ROOT names.'
  if (!existsSync('/usr/sbin/cupsd')) return 'CUPS is missing: apt-get install cups cups-client.'
  return undefined
}
