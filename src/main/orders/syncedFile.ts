import { open } from 'node:fs/promises'

/**
 * Writes a file in the place of one of that name; it is on the disk as a whole when the promise resolves.
 * @param mode rights of a new file
 */
export async function writeSynced(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'w', mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
