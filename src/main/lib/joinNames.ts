import { basename, join } from 'node:path'

/**
 * Joins a folder and names below it. SECURITY: throws unless each is the name of one file or folder, because ids and names that come
 * from the database of a copy could lead anywhere.
 */
export function joinNames(folder: string, ...names: readonly string[]): string {
  const path = names.find((name) => name !== basename(name) || ['', '.', '..'].includes(name))
  if (path !== undefined) throw new Error(`'${path}' is not the name of a file`)
  return join(folder, ...names)
}
