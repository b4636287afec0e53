import { useTranslation } from 'react-i18next'
import type { ManifestDetails } from '../../../shared/consignments'
import { useBridgeQuery } from '../../bridge'
import { Callout } from '../../ui/Callout'

/** Says that the service does not have the lines as they are now; nothing while the outcome of an upload is unknown. */
export function UnsentLines({ page }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const accepted = page.uploads.find(({ state }) => state === 'accepted')
  if (!page.hasUnsentLines || page.unknownUpload || accepted === undefined) return null
  return (
    <Callout tone="attention">
      {t('manifests.unsentLinesText', { lines: page.summary.lines, sent: accepted.lines })}
    </Callout>
  )
}

const parcelsNamed = 10

/** Names the parcels among the lines whose shipments were cancelled at the carrier after they were added. */
export function CancelledParcels({ page }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const { data: parcels = [] } = useBridgeQuery('listCancelledParcels', { manifestId: page.id })
  if (parcels.length === 0) return null
  const named = parcels.slice(0, parcelsNamed).join(', ')
  return (
    <Callout tone="attention">
      {t('manifests.cancelledParcels', {
        count: parcels.length,
        parcels: parcels.length > parcelsNamed ? `${named} …` : named,
      })}
    </Callout>
  )
}
