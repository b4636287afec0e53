/** A small JSON file, replaced atomically on each write. The adapter keeps its modes and never clears it. */
export interface JsonFile {
  /** Absolute path, for messages. */
  readonly path: string
  /** The parsed content; undefined when there is no file. Throws when the file is no JSON. */
  read(): unknown
  write(value: Record<string, unknown>): void
  /** Renames the file out of the way; gives the new absolute path. */
  setAside(): string
}
