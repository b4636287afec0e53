import { PDFDocument } from 'pdf-lib'
import { appError } from '../../../shared/errors'
import type { PageRange } from '../../../shared/printing'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'
import type { PrintableLabel } from '../ports'

/**
 * The stored bytes of a label, or a PDF of the pages that are wanted.
 * @returns `invalid-input` when there are no such pages, `label-unreadable` for a PDF that can't be rewritten
 */
export async function pagesOf(
  { kind, bytes }: Pick<PrintableLabel, 'kind' | 'bytes'>,
  range: PageRange | undefined,
): Promise<Result<Buffer>> {
  if (range === undefined || kind !== 'pdf') return ok(bytes)
  try {
    const source = await PDFDocument.load(bytes)
    const indices = source.getPageIndices().slice(range.from - 1, range.to)
    if (indices.length === 0) {
      return err(
        appError(
          'invalid-input',
          `The label has ${source.getPageCount()} page(s), and none of the wanted ones: choose others.`,
          { pages: String(source.getPageCount()) },
        ),
      )
    }
    const part = await PDFDocument.create()
    for (const page of await part.copyPages(source, indices)) part.addPage(page)
    return ok(Buffer.from(await part.save()))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return err(
      appError(
        'label-unreadable',
        `The pages can't be taken out of the label (${reason}): print all of it.`,
        {
          reason,
        },
      ),
    )
  }
}
