import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { BatchEnd, BatchItem, BatchOutcome } from '../../../shared/batches'
import { formatMoment } from '../../i18n/format'
import { Callout, ErrorWords } from '../../ui/Callout'
import { useNavigation } from '../../ui/navigation'
import { useOrderIssueText } from '../../ui/OrderValueField'
import { answerLooks, type Look, labelLooks, warningLook } from '../../ui/tone'

export const outcomeLooks: Record<BatchOutcome, Look> = {
  created: labelLooks.exists,
  refused: labelLooks.refused,
  unknown: labelLooks.unknown,
  duplicate: answerLooks.duplicate,
  incomplete: warningLook,
  left: labelLooks['does-not-exist'],
  elsewhere: labelLooks['does-not-exist'],
}

/** Describes how and in which batch an order ended; the order may have been corrected since. */
export function useBatchEndText() {
  const { t, i18n } = useTranslation()
  return ({ outcome, begunAt }: BatchEnd): string =>
    t('batch.endedIn', {
      outcome: t(`batch.outcomes.${outcome}`),
      time: formatMoment(begunAt, i18n.language),
    })
}

/** Why a batch did not ship an order that is still open. */
export function BatchEndCallout({ end }: { end: BatchEnd }) {
  const endText = useBatchEndText()
  return (
    <Callout tone="attention">
      <p>
        <strong>{endText(end)}</strong>
      </p>
      <WhyWords end={end} />
    </Callout>
  )
}

/** Why an order of a batch ended this way, with a link to its shipment. */
export function WhyWords({
  end: { issues, error, shipmentId },
}: {
  end: Pick<BatchItem, 'issues' | 'error' | 'shipmentId'>
}) {
  const { t } = useTranslation()
  const showShipment = useNavigation((state) => state.showShipment)
  const issueText = useOrderIssueText()
  return (
    <>
      {issues.map((issue) => issueText(issue)).join(' ')}
      <ErrorWords error={error} />
      {shipmentId === null ? null : (
        <Button variant="subtle" size="compact-sm" onClick={() => showShipment(shipmentId, 'all')}>
          {t('outcome.showInHistory')}
        </Button>
      )}
    </>
  )
}
