import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { JsonFile } from '../../src/main/lib/jsonText'

/** A JSON file without electron-store, for tests under plain Node. */
export function plainJsonFile(path: string): JsonFile {
  return {
    path,
    read: () => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined),
    write: (value) => writeFileSync(path, JSON.stringify(value), { mode: 0o600 }),
    setAside() {
      renameSync(path, `${path}.aside`)
      return `${path}.aside`
    },
  }
}
