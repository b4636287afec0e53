import type { LabelPreview } from '../../shared/bridge'
import { appError } from '../../shared/errors'
import type { PrintableLabel } from './ports'
import type { Rasterizer } from './raster/rasterizer'

/** Sharp enough to read the small print on a screen. */
const previewDpi = 150
/** A ZPL label is a few thousand characters; a picture inside can make it far longer than anyone reads. */
const longestText = 20_000

/**
 * What a stored label looks like: the pages of a PDF, the text of a ZPL label, or why there is no picture.
 * @param dpi of the picture
 */
export async function previewLabel(
  label: Pick<PrintableLabel, 'labelId' | 'position' | 'kind' | 'bytes'>,
  rasterizer: Rasterizer,
  dpi = previewDpi,
): Promise<LabelPreview> {
  const { labelId, position, kind, bytes } = label
  const nothing: LabelPreview = { labelId, position, pages: [], text: null, problem: null }
  if (kind === 'zpl') return { ...nothing, text: bytes.toString('utf8', 0, longestText) }
  if (kind === 'other')
    return { ...nothing, problem: appError('label-type-unknown', 'The label is of an unknown kind.') }
  const rendered = await rasterizer.renderGrey(bytes, dpi / 25.4)
  if (!rendered.ok) return { ...nothing, problem: rendered.error }
  const pages = rendered.value.map(({ width, height, pixels }) => ({ width, height, pixels: pixels.buffer }))
  return { ...nothing, pages }
}
