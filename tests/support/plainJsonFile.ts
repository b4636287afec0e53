import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { JsonFile } from '../../src/main/lib/jsonText'

/** A JSON file without electron-store, for tests under plain Node. */
export function plainJsonFile(path: string): JsonFile {
  return {
    path,
    read() {
      const content: unknown = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
      return isDeepStrictEqual(content, {}) ? undefined : content
    },
    write: (value) => writeFileSync(path, JSON.stringify(value), { mode: 0o600 }),
    setAside() {
      renameSync(path, `${path}.aside`)
      return `${path}.aside`
    },
  }
}
