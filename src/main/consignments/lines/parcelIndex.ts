import { type ManifestRow, toPosition } from '../../../shared/consignments'

const parcelId = toPosition('parcelId')

/** The parcels of lines, by their ids. */
export class ParcelIndex {
  /** The number of lines. */
  readonly lines: number
  private readonly ids: ReadonlyMap<string, string>

  constructor(rows: readonly ManifestRow[]) {
    this.lines = rows.length
    this.ids = new Map(rows.map(({ [parcelId]: id = '' }) => [toComparable(id), id]))
  }

  /**
   * The id as a line has it, also if it differs in what a person or a spreadsheet program changes: blanks, hyphens, capitals and
   * leading zeros. Undefined if no line has it.
   */
  find(id: string): string | undefined {
    return this.ids.get(toComparable(id))
  }
}

function toComparable(id: string): string {
  return id
    .replace(/[\s-]+/g, '')
    .replace(/^0+/, '')
    .toUpperCase()
}
