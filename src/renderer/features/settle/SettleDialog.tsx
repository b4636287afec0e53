import { Button, Modal } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useSettle } from '../../app/storesContext'
import { Callout, ErrorCallout } from '../../components/Callout'
import { TextField } from '../../components/TextField'
import styles from './settle.module.css'

/** Where a person says what became of a shipment whose outcome is unknown. */
export function SettleDialog() {
  const { t } = useTranslation()
  const target = useSettle((state) => state.target)
  const error = useSettle((state) => state.error)
  const close = useSettle((state) => state.close)
  return (
    <Modal
      opened={target !== null}
      onClose={close}
      size={760}
      title={t('settle.title')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <p>{t('settle.explain', { reference: target?.reference ?? '' })}</p>
      <div className={styles.choices}>
        <Exists />
        <DoesNotExist />
      </div>
      {error ? <ErrorCallout error={error} /> : null}
      <div className={styles.moves}>
        <Button variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
      </div>
    </Modal>
  )
}

function Exists() {
  const { t } = useTranslation()
  const { barcode, barcodeMissing, busy, setBarcode, exists } = useSettle((state) => state)
  return (
    <section className={styles.choice} aria-labelledby="settle-exists">
      <h3 id="settle-exists" className={styles.title}>
        {t('settle.exists')}
      </h3>
      <p>{t('settle.existsHint')}</p>
      <TextField
        label={t('settle.trackingCode')}
        value={barcode}
        onChange={setBarcode}
        fault={barcodeMissing ? t('settle.trackingCodeNeeded') : undefined}
        maxLength={200}
        data-autofocus
      />
      <Button loading={busy} onClick={() => void exists()}>
        {t('settle.saveExists')}
      </Button>
    </section>
  )
}

function DoesNotExist() {
  const { t } = useTranslation()
  const { confirming, busy, askAgain, doesNotExist } = useSettle((state) => state)
  return (
    <section className={styles.choice} aria-labelledby="settle-does-not-exist">
      <h3 id="settle-does-not-exist" className={styles.title}>
        {t('settle.notExists')}
      </h3>
      <p>{t('settle.notExistsHint')}</p>
      {confirming ? (
        <>
          <Callout tone="attention">{t('settle.notExistsWarning')}</Callout>
          <Button color="red.9" loading={busy} onClick={() => void doesNotExist()}>
            {t('settle.notExistsConfirm')}
          </Button>
        </>
      ) : (
        <Button variant="default" disabled={busy} onClick={askAgain}>
          {t('settle.notExists')}
        </Button>
      )}
    </section>
  )
}
