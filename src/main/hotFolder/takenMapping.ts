import { readdir, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type OrderMapping, orderMappingSchema } from '../../shared/orders'
import { toSha256 } from '../lib/hash'
import { parseJsonText } from '../lib/jsonText'
import { exists, ignoreMissing } from '../lib/plainFiles'
import { writeSynced } from '../lib/synced'

const suffix = '.mapping'
const noteSchema = z.object({ name: z.string(), mapping: orderMappingSchema.nullable() })

/**
 * Notes beside a table of a shared folder how the station that takes it reads it, before the table is there: whoever takes it over
 * reads it alike.
 * @param folder what the station took and has not begun
 */
export async function noteTakenMapping(
  folder: string,
  name: string,
  mapping: OrderMapping | null,
): Promise<void> {
  await writeSynced(toPath(folder, name), JSON.stringify({ name, mapping }), 0o600)
}

/** How a table that a station took is read; undefined when nothing that can be understood is noted of it. */
export function findTakenMapping(
  folder: string,
  name: string,
): Promise<{ mapping: OrderMapping | null } | undefined> {
  return readNote(toPath(folder, name))
}

/** The table was begun: no other station takes it over any more. */
export async function forgetTakenMapping(folder: string, name: string): Promise<void> {
  await unlink(toPath(folder, name)).catch(ignoreMissing)
}

/** Removes the notes of tables that are not in a station's folder: other stations took them over. */
export async function forgetMovedMappings(folder: string): Promise<void> {
  for (const file of await readdir(folder)) {
    if (!file.endsWith(suffix)) continue
    const note = await readNote(join(folder, file))
    if (note !== undefined && (await exists(join(folder, note.name)))) continue
    await unlink(join(folder, file)).catch(ignoreMissing)
  }
}

async function readNote(path: string) {
  const text = await readFile(path, 'utf8').catch(ignoreMissing)
  const content = text === undefined ? undefined : parseJsonText(text)
  return noteSchema.safeParse(content?.ok ? content.value : undefined).data
}

function toPath(folder: string, name: string): string {
  return join(folder, `.${toSha256(name).slice(0, 32)}${suffix}`)
}
