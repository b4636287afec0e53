import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

const repo = new URL('../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, repo), 'utf8')

/**
 * What decides beside a printer's data what is read from them: the programs that draw and read, and how they are
 * called.
 */
const readers = z
  .object({
    dependencies: z.object({ 'zxing-wasm': z.string() }),
    devDependencies: z.object({ 'zpl-renderer-js': z.string() }),
  })
  .transform((versions) => [
    JSON.stringify(versions),
    ...['scanner.ts', 'zplPicture.ts'].map((file) => read(`tests/support/printing/${file}`)),
  ])
  .parse(JSON.parse(read('package.json')))

const listSchema = z.record(z.string(), z.object({ of: z.string(), read: z.array(z.array(z.string())) }))

/** Of so many readings one is made anew though it is known, another one each day. */
const shares = 20
const dayMs = 86_400_000

/** Texts that were read from a printer's data by programs that take far longer than it takes to make the data. */
export interface KeptReadings {
  /**
   * What `scan` reads. Where the list has what was read from the same data, in the same way and by the same programs,
   * that is given instead: it would be read again. Data that differ in one byte are read.
   * @param name of this reading in the list
   * @param data what the printer gets
   * @param how everything else that decides what is read
   */
  read(
    name: string,
    data: readonly Buffer[],
    how: object,
    scan: () => Promise<string[][]>,
  ): Promise<string[][]>
  /** Writes the list of this run's readings when `keep` asks for that, else says if it is not up to date. */
  end(): void
}

/**
 * The readings that a list in the repository keeps.
 * @param file a path from the repository's root
 * @param run `anew` is `all` to read everything, `keep` to read everything and write the list
 */
export function keptReadings(
  file: string,
  { anew = process.env.PACKBENCH_GOLDEN, now = Date.now() }: { anew?: string | undefined; now?: number } = {},
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
        anew === 'all' || anew === 'keep' || Number.parseInt(of.slice(0, 8), 16) % shares === share
      if (known?.of === of && !isDue) return known.read
      if (known?.of !== of) unknown += 1
      const texts = await scan()
      made[name] = { of, read: texts }
      return texts
    },
    end() {
      if (anew === 'keep') {
        const sorted = Object.entries(made).sort(([one], [other]) => (one < other ? -1 : 1))
        writeFileSync(
          new URL(file, repo),
          `{\n${sorted.map(([name, each]) => `  ${JSON.stringify(name)}: ${JSON.stringify(each)}`).join(',\n')}\n}\n`,
        )
      } else if (unknown > 0 && anew === undefined) {
        console.warn(
          `${unknown} pictures are not in ${file} and were read anew: PACKBENCH_GOLDEN=keep writes it.`,
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
