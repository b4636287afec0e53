import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

const repo = new URL('../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, repo), 'utf8')
/** A file's code without whole-line comments, so that rewording them does not invalidate every reading. */
const readCode = (path: string) => read(path).replaceAll(/^\s*(\/\/|\/?\*).*\n/gm, '')

/**
 * What affects a reading besides the data for the printer: the versions of the programs that draw and read, and the
 * source that calls them.
 */
const readers = z
  .object({
    dependencies: z.object({ 'zxing-wasm': z.string() }),
    devDependencies: z.object({ 'zpl-renderer-js': z.string() }),
  })
  .transform((versions) => [
    JSON.stringify(versions),
    ...['scanner.ts', 'zplPicture.ts'].map((file) => readCode(`tests/support/printing/${file}`)),
  ])
  .parse(JSON.parse(read('package.json')))

const listSchema = z.record(z.string(), z.object({ of: z.string(), read: z.array(z.array(z.string())) }))

/** One of this number of stored readings is repeated, a different one each day. */
const shares = 20
const dayMs = 86_400_000

/** Texts that were read from a printer's data by programs that take far longer than it takes to make the data. */
export interface KeptReadings {
  /**
   * Returns the texts that `scan` reads. When the list has a reading of the same data, in the same way and by the same
   * programs, returns that reading instead. Data that differ in one byte are read.
   * @param name of this reading in the list
   * @param data the bytes for the printer
   * @param how everything else that affects the reading
   */
  read(
    name: string,
    data: readonly Buffer[],
    how: object,
    scan: () => Promise<string[][]>,
  ): Promise<string[][]>
  /**
   * Writes the readings of this run to the list in the mode `keep`; otherwise warns when the list is not up to date.
   */
  end(): void
}

/**
 * The readings that are stored in a list in the repository.
 * @param file a path from the repository's root
 * @param run `mode` is `all` to read everything, `keep` to read everything and write the list
 */
export function keptReadings(
  file: string,
  { mode = process.env.PACKBENCH_GOLDEN, now = Date.now() }: { mode?: string | undefined; now?: number } = {},
): KeptReadings {
  const kept = listSchema.parse(JSON.parse(read(file)))
  const made: z.infer<typeof listSchema> = {}
  const share = Math.floor(now / dayMs) % shares
  let unknown = 0
  return {
    async read(name, data, how, scan) {
      const of = fingerprint(data, how)
      const known = kept[name]
      const isDue =
        mode === 'all' || mode === 'keep' || Number.parseInt(of.slice(0, 8), 16) % shares === share
      if (known?.of === of && !isDue) return known.read
      if (known?.of !== of) unknown += 1
      const texts = await scan()
      made[name] = { of, read: texts }
      return texts
    },
    end() {
      if (mode === 'keep') {
        const sorted = Object.entries(made).sort(([one], [other]) => (one < other ? -1 : 1))
        writeFileSync(
          new URL(file, repo),
          `{\n${sorted.map(([name, each]) => `  ${JSON.stringify(name)}: ${JSON.stringify(each)}`).join(',\n')}\n}\n`,
        )
      } else if (unknown > 0 && mode === undefined) {
        console.warn(
          `${unknown} pictures are not in ${file} and were read again: PACKBENCH_GOLDEN=keep writes it.`,
        )
      }
    },
  }
}

function fingerprint(data: readonly Buffer[], how: object): string {
  const hash = createHash('sha256').update(JSON.stringify([readers, how, data.map(({ length }) => length)]))
  for (const part of data) hash.update(part)
  return hash.digest('hex')
}
