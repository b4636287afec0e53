import { open } from 'node:fs/promises'

/**
 * Writes a file, which is on the disk as a whole when the promise resolves.
 * @param mode rights of a new file
 * @param flag `w` takes the place of a file of that name, `wx` fails when there is one
 */
export async function writeSynced(
  path: string,
  content: string | Uint8Array,
  mode: number,
  flag: 'w' | 'wx' = 'w',
): Promise<void> {
  const file = await open(path, flag, mode)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes the names in a folder durable. Windows can't open folders and needs no such thing; some shares can't either. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
