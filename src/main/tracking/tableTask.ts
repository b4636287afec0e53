import { z } from 'zod'
import { appErrorSchema } from '../../shared/errors'
import { bulkRowSchema, codesFileSchema, columnNamesSchema } from '../../shared/trackingBulk'
import { readCodesFile } from './codesFile'
import { xlsxTable } from './exportTable'

/** Work on tables that takes longer than the main process may be kept from printing. */
export const tableTaskSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('read'), name: z.string(), content: z.instanceof(Uint8Array) }),
  z.object({ kind: z.literal('xlsx'), rows: z.array(bulkRowSchema), names: columnNamesSchema }),
])
export type TableTask = z.infer<typeof tableTaskSchema>

/** What became of a task; `bytes` is the workbook. */
export const tableAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('codes'), file: codesFileSchema }),
  z.object({ kind: z.literal('bytes'), bytes: z.instanceof(Uint8Array) }),
  z.object({ kind: z.literal('failed'), error: appErrorSchema }),
])
export type TableAnswer = z.infer<typeof tableAnswerSchema>

/** Does one task where it is called. */
export async function runTableTask(task: TableTask): Promise<TableAnswer> {
  if (task.kind === 'xlsx')
    return { kind: 'bytes', bytes: new Uint8Array(await xlsxTable(task.rows, task.names)) }
  const read = await readCodesFile(task.name, Buffer.from(task.content))
  return read.ok ? { kind: 'codes', file: read.value } : { kind: 'failed', error: read.error }
}
