import { z } from 'zod'
import { catalogueImportSchema, type Product } from '../../shared/customsBridge'
import { appErrorSchema } from '../../shared/errors'
import { fileFaultSchema } from '../../shared/fileFaults'
import { bulkRowSchema, codesFileSchema, columnNamesSchema } from '../../shared/trackingBulk'
import { readCatalogue } from '../customs/catalogueFile'
import { readCodesFile } from '../tracking/codesFile'
import { xlsxTable } from '../tracking/exportTable'

/** Work on tables that takes longer than the main process may be kept from printing. */
export const tableTaskSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('read'), name: z.string(), content: z.instanceof(Uint8Array) }),
  z.object({ kind: z.literal('catalogue'), content: z.instanceof(Uint8Array) }),
  z.object({ kind: z.literal('xlsx'), rows: z.array(bulkRowSchema), names: columnNamesSchema }),
])
export type TableTask = z.infer<typeof tableTaskSchema>

const readCatalogueSchema = z.object({
  // The thread has checked each of them: once more here would hold up the main thread.
  products: z.custom<Product[]>((value) => Array.isArray(value)),
  faults: catalogueImportSchema.shape.faults,
  hsNumbers: z.int(),
})

/** What became of a task; `bytes` is the workbook. */
export const tableAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('codes'), file: codesFileSchema }),
  z.object({ kind: z.literal('products'), catalogue: readCatalogueSchema }),
  z.object({ kind: z.literal('bytes'), bytes: z.instanceof(Uint8Array) }),
  z.object({ kind: z.literal('failed'), error: appErrorSchema }),
  z.object({ kind: z.literal('unusable'), fault: fileFaultSchema }),
])
export type TableAnswer = z.infer<typeof tableAnswerSchema>

/** Does one task where it is called. */
export async function runTableTask(task: TableTask): Promise<TableAnswer> {
  if (task.kind === 'xlsx') {
    return { kind: 'bytes', bytes: await xlsxTable(task.rows, task.names) }
  }
  if (task.kind === 'catalogue') {
    const read = await readCatalogue(task.content)
    return read.ok ? { kind: 'products', catalogue: read.value } : { kind: 'unusable', fault: read.error }
  }
  const read = await readCodesFile(task.name, Buffer.from(task.content))
  return read.ok ? { kind: 'codes', file: read.value } : { kind: 'failed', error: read.error }
}
