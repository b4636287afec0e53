import { isDeepStrictEqual } from 'node:util'
import type { JsonFile } from '../../../src/main/lib/jsonText'

/** A JSON file in memory that counts its writes and can be made to fail. */
export class MemoryJsonFile implements JsonFile {
  readonly path: string
  content: unknown
  writes = 0
  failure: Error | undefined

  constructor(content?: unknown, path = '/data/settings.json') {
    this.content = content
    this.path = path
  }

  read(): unknown {
    if (this.failure !== undefined) throw this.failure
    return isDeepStrictEqual(this.content, {}) ? undefined : structuredClone(this.content)
  }

  write(value: Record<string, unknown>): void {
    if (this.failure !== undefined) throw this.failure
    this.writes += 1
    this.content = structuredClone(value)
  }

  setAside(): string {
    this.content = undefined
    return `${this.path}.aside`
  }
}
