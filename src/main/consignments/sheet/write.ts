import type { ManifestRow } from '../../../shared/manifestLine'
import { manifestFields } from '../../../shared/manifestLine'
import { writeCsvFile, writeXlsxFile } from '../../tables/writeTable'

/** Lines as a file that can be imported again: every value comes back as it was. */
export async function writeLines(
  rows: readonly ManifestRow[],
  kind: 'csv' | 'xlsx',
): Promise<Uint8Array<ArrayBuffer>> {
  const table = [manifestFields, ...rows]
  return kind === 'csv'
    ? new Uint8Array(Buffer.from(writeCsvFile(table)))
    : writeXlsxFile(table, { sheet: 'Manifest' })
}
