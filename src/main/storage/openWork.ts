import { z } from 'zod'

/**
 * Counts unfinished work in a journal: shipments being created, labels being sent to a printer, and shipments, uploads,
 * pre-alerts and prints with an unresolved outcome. An upload or pre-alert that is being sent has no outcome yet. Used on
 * the station's own connection and for a closed database.
 */
export const openWorkSql = `
  select
    (select count(*) from shipments where state in ('intended', 'sent')) as creating,
    (select count(*) from print_jobs where state = 'sending') as printing,
    (select count(*) from shipments where state = 'unknown')
      + (select count(*) from manifest_uploads where state in ('sending', 'unknown'))
      + (select count(*) from pre_alerts where state in ('sending', 'unknown'))
      + (select count(*) from print_jobs where state = 'unconfirmed') as unknown
`

/** The result of `openWorkSql`. */
export const openWorkRow = z.object({ creating: z.int(), printing: z.int(), unknown: z.int() })
