import type { TFunction } from 'i18next'
import { manifestFields } from '../../../shared/consignments'

/** What people call the field of a column. */
export function fieldName(t: TFunction, column: number): string {
  const field = manifestFields[column]
  return field === undefined ? '' : t(`lineFields.${field}`)
}
