import { type ManifestRow, manifestFields } from '../../../shared/consignments'
import { writeTable } from '../../tables/writeTable'

/** Lines as a file that can be imported again: every value comes back as it was. */
export function writeLines(
  rows: readonly ManifestRow[],
  kind: 'csv' | 'xlsx',
): Promise<Uint8Array<ArrayBuffer>> {
  return writeTable([manifestFields, ...rows], kind, { sheet: 'Manifest' })
}
