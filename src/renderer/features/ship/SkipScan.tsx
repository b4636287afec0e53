import { useTranslation } from 'react-i18next'
import { useBridgeMutation } from '../../bridge'
import { ReasonPopover } from '../../ui/Reason'
import { useScan } from './stores'

const reasons = ['unreadable', 'notPrinted', 'noScanner'] as const

/** Goes on without the scan of a label, with a reason that stays with its print job. */
export function SkipScan({ shipmentId }: { shipmentId: string }) {
  const { t } = useTranslation()
  const noteSkipped = useScan((state) => state.noteSkipped)
  const skip = useBridgeMutation('skipScan', { onSuccess: () => noteSkipped(shipmentId) })
  return (
    <ReasonPopover
      open={t('scan.skip')}
      position="bottom-end"
      usual={reasons.map((each) => t(`scan.reasons.${each}`))}
      label={t('scan.skipReason')}
      save={t('scan.skipNow')}
      isSaving={skip.isPending}
      error={skip.error}
      onSave={(reason) => skip.mutate({ shipmentId, reason })}
    />
  )
}
