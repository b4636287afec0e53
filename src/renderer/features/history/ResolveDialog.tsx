import { Button, Group, Modal } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useBridgeMutation } from '../../bridge'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { useDialog, useDialogs } from '../../ui/dialogs'
import { TextField } from '../../ui/TextField'
import styles from './history.module.css'

/** Resolves a shipment with an unknown outcome: it exists, or it does not. */
export function ResolveDialog() {
  const { t } = useTranslation()
  const dialog = useDialog('resolve')
  const close = useDialogs((state) => state.close)
  return (
    <Modal opened={dialog !== undefined} onClose={close} size={760} title={t('resolve.title')}>
      {dialog ? <Question key={dialog.shipmentId} {...dialog} onClose={close} /> : null}
    </Modal>
  )
}

interface QuestionProps {
  shipmentId: string
  reference: string
  onClose: () => void
}

function Question({ shipmentId, reference, onClose }: QuestionProps) {
  const { t } = useTranslation()
  const { mutate, isPending, error } = useBridgeMutation('resolveShipment')
  const answered = { onSuccess: onClose }
  return (
    <>
      <p>{t('resolve.explain', { reference })}</p>
      <div className={styles.verdicts}>
        <Exists
          busy={isPending}
          onAnswer={(barcode) => mutate({ shipmentId, verdict: 'exists', barcode }, answered)}
        />
        <DoesNotExist
          busy={isPending}
          onAnswer={() => mutate({ shipmentId, verdict: 'does-not-exist' }, answered)}
        />
      </div>
      <ErrorCallout error={error} />
      <Group justify="flex-end" align="stretch" gap={10} mt={18}>
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
      </Group>
    </>
  )
}

function Exists({ busy, onAnswer }: { busy: boolean; onAnswer: (barcode: string) => void }) {
  const { t } = useTranslation()
  const [barcode, setBarcode] = useState('')
  const [missing, setMissing] = useState(false)
  return (
    <section className={styles.verdict} aria-labelledby="resolve-exists">
      <h3 id="resolve-exists" className={styles.verdictTitle}>
        {t('resolve.exists')}
      </h3>
      <p>{t('resolve.existsHint')}</p>
      <TextField
        label={t('resolve.trackingCode')}
        value={barcode}
        onChange={(text) => {
          setBarcode(text)
          setMissing(false)
        }}
        errorText={missing ? t('resolve.trackingCodeNeeded') : undefined}
        maxLength={200}
        data-autofocus
      />
      <Button
        loading={busy}
        onClick={() => {
          if (barcode.trim() === '') setMissing(true)
          else onAnswer(barcode.trim())
        }}
      >
        {t('resolve.saveExists')}
      </Button>
    </section>
  )
}

function DoesNotExist({ busy, onAnswer }: { busy: boolean; onAnswer: () => void }) {
  const { t } = useTranslation()
  const [confirming, setConfirming] = useState(false)
  return (
    <section className={styles.verdict} aria-labelledby="resolve-does-not-exist">
      <h3 id="resolve-does-not-exist" className={styles.verdictTitle}>
        {t('resolve.notExists')}
      </h3>
      <p>{t('resolve.notExistsHint')}</p>
      {confirming ? (
        <>
          <Callout tone="attention">{t('resolve.notExistsWarning')}</Callout>
          <Button color="red.9" loading={busy} onClick={onAnswer}>
            {t('resolve.notExistsConfirm')}
          </Button>
        </>
      ) : (
        <Button variant="default" disabled={busy} onClick={() => setConfirming(true)}>
          {t('resolve.notExists')}
        </Button>
      )}
    </section>
  )
}
