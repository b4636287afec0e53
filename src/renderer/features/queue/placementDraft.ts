import type { Area, PlacementRule } from '../../../shared/labels'
import type { PlacementQuestion } from '../../../shared/printing'

/** The current choice in the dialog. */
export type PlacementDraft = Pick<PlacementRule, 'areas' | 'turn' | 'scale'>

export type PlacementSuggestion = PlacementQuestion['suggestions'][number]

/** The placement of a suggestion, without its losses. */
export function toDraft({ areas, turn, scale }: PlacementSuggestion): PlacementDraft {
  return { areas, turn, scale }
}

/** The suggestion that equals a draft; undefined after an edit. */
export function getSuggestion(
  { suggestions }: PlacementQuestion,
  draft: PlacementDraft,
): PlacementSuggestion | undefined {
  return suggestions.find((each) => JSON.stringify(toDraft(each)) === JSON.stringify(draft))
}

/** Fields of a draft's last area in millimetres, and the scale in percent. */
export type DraftField = 'xMm' | 'yMm' | 'widthMm' | 'heightMm' | 'scale'

/** Values typed since the last choice. */
export type TypedFields = Partial<Record<DraftField, number | string>>

/** Valid range of a field. */
export interface FieldRange {
  min: number
  max: number
}

/** Each field's value: the typed one, even if invalid, else the draft's. */
export function toFields(draft: PlacementDraft, typed: TypedFields): Record<DraftField, number | string> {
  const { xMm, yMm, widthMm, heightMm } = draft.areas.at(-1) ?? { xMm: 0, yMm: 0, widthMm: 0, heightMm: 0 }
  return { xMm, yMm, widthMm, heightMm, scale: Math.round(draft.scale * 1000) / 10, ...typed }
}

/** The valid range of each invalid field; empty while nothing was typed. */
export function listIssues(
  { page }: Pick<PlacementQuestion, 'page'>,
  draft: PlacementDraft,
  typed: TypedFields,
): Partial<Record<DraftField, FieldRange>> {
  if (Object.keys(typed).length === 0) return {}
  const fields = toFields(draft, typed)
  const isOutside = (field: DraftField, { min, max }: FieldRange) => {
    const value = fields[field] === '' ? Number.NaN : Number(fields[field])
    // Page sizes have more decimals than are shown.
    return !(value >= min && value <= max + 0.05)
  }
  const found: Partial<Record<DraftField, FieldRange>> = {}
  const check = (field: DraftField, range: FieldRange) => {
    if (isOutside(field, range)) found[field] = range
  }
  const sides = [
    ['xMm', 'widthMm', page.widthMm],
    ['yMm', 'heightMm', page.heightMm],
  ] as const
  for (const [from, length, whole] of sides) {
    check(from, { min: 0, max: toTenth(whole - minMm) })
    const start = found[from] === undefined ? Number(fields[from]) : 0
    check(length, { min: minMm, max: toTenth(whole - start) })
  }
  check('scale', { min: 20, max: 500 })
  return found
}

/** Smallest side of an area. */
const minMm = 5

function toTenth(millimetres: number): number {
  return Math.round(millimetres * 10) / 10
}

/** The draft with the typed values, which must all be valid. */
export function withFields(draft: PlacementDraft, typed: TypedFields): PlacementDraft {
  const area = draft.areas.at(-1)
  if (!area) return draft
  const number = (field: DraftField, value: number) => Number(typed[field] ?? value)
  const last: Area = {
    xMm: number('xMm', area.xMm),
    yMm: number('yMm', area.yMm),
    widthMm: number('widthMm', area.widthMm),
    heightMm: number('heightMm', area.heightMm),
  }
  const scale = number('scale', draft.scale * 100) / 100
  return { ...draft, areas: [...draft.areas.slice(0, -1), last], scale }
}

/** The placement rule of a draft, for pages of the question's size. */
export function getRule(
  { carrierOptionId, page, stock }: PlacementQuestion,
  draft: PlacementDraft,
): PlacementRule {
  return { carrierOptionId, page, stock, ...draft }
}
