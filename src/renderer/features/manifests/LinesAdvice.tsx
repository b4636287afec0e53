import { useTranslation } from 'react-i18next'
import type { ManifestDetails } from '../../../shared/consignments'
import { useBridgeQuery } from '../../bridge'
import { formatNumber } from '../../i18n/format'
import { Callout } from '../../ui/Callout'

/** Says that the service does not have the lines as they are now; nothing while the outcome of an upload is unknown. */
export function UnsentLines({ page }: { page: ManifestDetails }) {
  const { t, i18n } = useTranslation()
  const accepted = page.uploads.find(({ state }) => state === 'accepted')
  if (!page.hasUnsentLines || page.unknownUpload || accepted === undefined) return null
  return (
    <Callout tone="attention">
      {t('manifests.unsentLinesText', {
        lines: formatNumber(page.summary.lines, i18n.language),
        sent: formatNumber(accepted.lines, i18n.language),
      })}
    </Callout>
  )
}

const parcelsNamed = 10

/** Names the parcels among the lines whose shipments were cancelled at the carrier after they were added. */
export function CancelledParcels({ page }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const { data: parcels = [] } = useBridgeQuery('listCancelledParcels', { manifestId: page.id })
  const count = parcels.length
  if (count === 0) return null
  const named = parcels.slice(0, parcelsNamed).join(', ')
  const sentence = t('manifests.cancelledParcels', {
    count,
    parcels: count > parcelsNamed ? `${named} …` : named,
  })
  // The lines of a locked manifest can't be changed.
  const canRemove = page.lock !== 'locked'
  return (
    <Callout tone="attention">
      {canRemove ? `${sentence} ${t('manifests.cancelledRemove', { count })}` : sentence}
    </Callout>
  )
}
