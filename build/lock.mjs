import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cacheDir } from './paths.mjs'
import { say } from './report.mjs'

const pollMs = 200

/**
 * Runs one preparation step at a time across processes, so that a demo and a test run started together neither download
 * twice nor write into the same folder. Takes over a lock whose owner has exited.
 * @template T
 * @param {string} name what is being prepared; also the name of the lock file
 * @param {() => Promise<T>} action
 * @param {string} [folder] where the lock files are
 * @returns {Promise<T>} the result of the action
 */
export async function withLock(name, action, folder = cacheDir) {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${name}.lock`)
  let told = false
  while (!(await take(path))) {
    if (await ownerIsGone(path)) {
      // Renaming is atomic, so only one of several waiting processes removes the dead owner's file.
      const aside = `${path}.${randomUUID()}`
      await rename(path, aside).catch(() => undefined)
      await rm(aside, { force: true })
      continue
    }
    if (!told) say(`Waiting: another process is preparing the ${name} (${path}).`)
    told = true
    await pause(pollMs)
  }
  try {
    return await action()
  } finally {
    await rm(path, { force: true })
  }
}

/**
 * @param {string} path
 * @returns {Promise<boolean>} whether this process now holds the lock
 */
async function take(path) {
  const mine = `${path}.${randomUUID()}`
  await writeFile(mine, String(process.pid))
  try {
    // link() creates the file together with its content and fails when the name exists.
    await link(mine, path)
    return true
  } catch (error) {
    if (getCode(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(mine, { force: true })
  }
}

/**
 * @param {string} path
 * @returns {Promise<boolean>} false also when the lock was just released
 */
async function ownerIsGone(path) {
  const owner = Number(await readFile(path, 'utf8').catch(() => ''))
  if (!Number.isInteger(owner) || owner <= 0) return false
  try {
    process.kill(owner, 0)
    return false
  } catch (error) {
    return getCode(error) === 'ESRCH'
  }
}

/**
 * @param {unknown} error
 * @returns {unknown} Node's code for it, such as `EEXIST`
 */
function getCode(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
