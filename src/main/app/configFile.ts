import { renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ElectronStore from 'electron-store'
import type { JsonFile } from '../lib/jsonText'

/**
 * A JSON file of the data folder, managed by electron-store: replaced atomically, readable by its owner only, and never
 * reset when it can't be read.
 * @param folder absolute path of the data folder
 * @param name the file's name without its extension
 */
export function openConfigFile(folder: string, name: string): JsonFile {
  const path = join(folder, `${name}.json`)
  const open = () =>
    new ElectronStore<Record<string, unknown>>({
      cwd: folder,
      name,
      clearInvalidConfig: false,
      configFileMode: 0o600,
      // Editors of Windows save a byte order mark.
      deserialize: (text) => JSON.parse(text.replace(/^\uFEFF/, '')),
      serialize: (value) => `${JSON.stringify(value, null, 2)}\n`,
    })
  return {
    path,
    read() {
      const content = open().store
      return Object.keys(content).length === 0 ? undefined : { ...content }
    },
    write(value) {
      open().store = value
    },
    setAside() {
      const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-')
      const aside = join(dirname(path), `${name}.set-aside-${stamp}.json`)
      renameSync(path, aside)
      return aside
    },
  }
}
