import type { IssueCode } from '../../../shared/manifest'

/** Notes what a check found; row and column from 0. */
export type Note = (row: number, column: number, code: IssueCode, detail?: string) => void
