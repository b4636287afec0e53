import { Button, Popover } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useBridgeMutation } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { TextField } from '../../ui/TextField'
import styles from './ship.module.css'
import { useScan } from './stores'

const reasons = ['unreadable', 'notPrinted', 'noScanner'] as const

/** Goes on without the scan of a label, with a reason that stays with its print job. */
export function SkipScan({ shipmentId }: { shipmentId: string }) {
  const { t } = useTranslation()
  const [isAsking, setIsAsking] = useState(false)
  const [reason, setReason] = useState('')
  const noteSkipped = useScan((state) => state.noteSkipped)
  const skip = useBridgeMutation('skipScan', { onSuccess: () => noteSkipped(shipmentId) })
  return (
    <Popover opened={isAsking} onChange={setIsAsking} trapFocus withArrow position="bottom-end">
      <Popover.Target>
        <Button variant="default" aria-expanded={isAsking} onClick={() => setIsAsking(!isAsking)}>
          {t('scan.skip')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          className={styles.skipScan}
          onSubmit={(event) => {
            event.preventDefault()
            if (reason.trim() !== '') skip.mutate({ shipmentId, reason })
          }}
        >
          <div className={styles.outcomeMoves}>
            {reasons.map((each) => (
              <Button key={each} variant="default" onClick={() => setReason(t(`scan.reasons.${each}`))}>
                {t(`scan.reasons.${each}`)}
              </Button>
            ))}
          </div>
          <TextField
            label={t('scan.skipReason')}
            value={reason}
            onChange={setReason}
            maxLength={200}
            data-autofocus
            needed
          />
          <Button type="submit" mt="sm" loading={skip.isPending} disabled={reason.trim() === ''}>
            {t('scan.skipNow')}
          </Button>
          {skip.error ? <ErrorCallout error={skip.error} /> : null}
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
