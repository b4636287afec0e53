import { Button, Modal } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useResolve } from '../../app/storesContext'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { TextField } from '../../ui/TextField'
import styles from './resolve.module.css'

/** Where a person says what became of a shipment whose outcome is unknown. */
export function ResolveDialog() {
  const { t } = useTranslation()
  const target = useResolve((state) => state.target)
  const error = useResolve((state) => state.error)
  const close = useResolve((state) => state.close)
  return (
    <Modal
      opened={target !== null}
      onClose={close}
      size={760}
      title={t('resolve.title')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <p>{t('resolve.explain', { reference: target?.reference ?? '' })}</p>
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
  const { barcode, barcodeMissing, busy, setBarcode, exists } = useResolve((state) => state)
  return (
    <section className={styles.choice} aria-labelledby="resolve-exists">
      <h3 id="resolve-exists" className={styles.title}>
        {t('resolve.exists')}
      </h3>
      <p>{t('resolve.existsHint')}</p>
      <TextField
        label={t('resolve.trackingCode')}
        value={barcode}
        onChange={setBarcode}
        fault={barcodeMissing ? t('resolve.trackingCodeNeeded') : undefined}
        maxLength={200}
        data-autofocus
      />
      <Button loading={busy} onClick={() => void exists()}>
        {t('resolve.saveExists')}
      </Button>
    </section>
  )
}

function DoesNotExist() {
  const { t } = useTranslation()
  const { confirming, busy, askAgain, doesNotExist } = useResolve((state) => state)
  return (
    <section className={styles.choice} aria-labelledby="resolve-does-not-exist">
      <h3 id="resolve-does-not-exist" className={styles.title}>
        {t('resolve.notExists')}
      </h3>
      <p>{t('resolve.notExistsHint')}</p>
      {confirming ? (
        <>
          <Callout tone="attention">{t('resolve.notExistsWarning')}</Callout>
          <Button color="red.9" loading={busy} onClick={() => void doesNotExist()}>
            {t('resolve.notExistsConfirm')}
          </Button>
        </>
      ) : (
        <Button variant="default" disabled={busy} onClick={askAgain}>
          {t('resolve.notExists')}
        </Button>
      )}
    </section>
  )
}
