import { realpath } from 'node:fs/promises'
import { isCaFile } from '../../shared/fleet'
import { readPlain } from './plainFiles'

/** Largest file of certificates in bytes; all well-known authorities are about 220 kB. */
const maxCaBytes = 1024 ** 2

/**
 * The text of a file of certificates. Fails as file operations do, and for one that is larger than 1 MB or not on this computer.
 * SECURITY: the path is the page's to choose. A link that leads to another computer would send it the user's sign-in.
 */
export async function readCaFile(path: string): Promise<string> {
  const real = await realpath(path)
  if (!isCaFile(real)) throw new Error(`${real} is not on this computer`)
  const bytes = await readPlain(real, maxCaBytes)
  if (bytes === 'too-large') throw new Error('it is larger than 1 MB')
  return bytes.toString('utf8')
}
