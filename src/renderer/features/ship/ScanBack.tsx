import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ShipmentDetails } from '../../../shared/shipments'
import { useBridgeMutation, useSettings } from '../../bridge'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { ReasonDialog } from '../../ui/ReasonDialog'
import { TextField } from '../../ui/TextField'
import { isScannable, listAwaited } from './scanStore'
import styles from './ship.module.css'
import { useScan } from './stores'

/** The field in which a printed label is scanned back, on stations that do so. */
export function ScanBack({ shipment }: { shipment: ShipmentDetails }) {
  const { t } = useTranslation()
  const scanBack = useSettings()?.scanBack
  const { outcome, failure, check, proven, skipped } = useScan((state) => state)
  const [code, setCode] = useState('')
  if (scanBack === undefined || !isScannable(shipment, scanBack)) return null
  const right = outcome?.shipmentId === shipment.id && outcome.matches
  const awaited = listAwaited(shipment, { proven, skipped })
  const send = () => {
    if (code.trim() === '') return
    void check(shipment.id, code)
    setCode('')
  }
  return (
    <Stack gap={10}>
      <form
        className={styles.scan}
        aria-label={t('scan.title')}
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <TextField
          label={t('scan.title')}
          value={code}
          onChange={setCode}
          maxLength={500}
          autoComplete="off"
          data-scan="label"
        />
        <Button type="submit" variant="default">
          {t('scan.check')}
        </Button>
        <div role="status">
          {right ? (
            <Callout tone="good">
              <p>{t('scan.right')}</p>
              {awaited.length > 0 ? <p>{t('scan.left', { barcodes: awaited.join(', ') })}</p> : null}
            </Callout>
          ) : null}
        </div>
        {failure?.shipmentId === shipment.id ? <ErrorCallout error={failure.error} /> : null}
      </form>
      {scanBack.required && awaited.length > 0 ? (
        <Callout tone="attention" actions={<SkipScan shipmentId={shipment.id} />}>
          {t('scan.required')}
        </Callout>
      ) : null}
    </Stack>
  )
}

const skipReasons = ['unreadable', 'notPrinted', 'noScanner'] as const

/** Skips the scan of a label; the reason is stored with its print job. */
function SkipScan({ shipmentId }: { shipmentId: string }) {
  const { t } = useTranslation()
  const noteSkipped = useScan((state) => state.noteSkipped)
  const skip = useBridgeMutation('skipScan', { onSuccess: () => noteSkipped(shipmentId) })
  return (
    <ReasonDialog
      open={t('scan.skip')}
      title={t('scan.skipTitle')}
      usual={skipReasons.map((each) => t(`scan.reasons.${each}`))}
      label={t('scan.skipReason')}
      maxLength={200}
      save={t('scan.skipNow')}
      isSaving={skip.isPending}
      error={skip.error}
      onSave={(reason) => skip.mutate({ shipmentId, reason })}
    />
  )
}
