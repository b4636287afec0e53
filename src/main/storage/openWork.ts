import { z } from 'zod'

/**
 * Counts what is open in a journal: shipments that are being created, labels on their way to a printer, and shipments, uploads, pre-alerts and
 * prints whose outcome nobody has looked at. For the station's own connection and for the process that reads a closed database.
 */
export const openWorkSql = `
  select
    (select count(*) from shipments where state in ('intended', 'sent')) as creating,
    (select count(*) from print_jobs where state in ('sending', 'handed-over')) as printing,
    (select count(*) from shipments where state = 'unknown')
      + (select count(*) from manifest_uploads where state in ('sent', 'unknown'))
      + (select count(*) from pre_alerts where state in ('sent', 'unknown'))
      + (select count(*) from print_jobs where state = 'unconfirmed') as unknown
`

/** What `openWorkSql` answers. */
export const openWorkRow = z.object({ creating: z.int(), printing: z.int(), unknown: z.int() })
