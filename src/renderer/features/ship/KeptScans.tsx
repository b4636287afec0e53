import { ActionIcon } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/Callout'
import styles from './ship.module.css'
import { useShip } from './stores'

/** References scanned while a shipment was being created, each for a later parcel. */
export function KeptScans() {
  const { t } = useTranslation()
  const kept = useShip((state) => state.kept)
  const partialCode = useShip((state) => state.partialCode)
  const dropKept = useShip((state) => state.dropKept)
  if (kept.length === 0 && partialCode === '') return null
  return (
    <div role="status" data-testid="kept-scans">
      <Callout tone="info">
        <p>{t('ship.kept')}</p>
        <ul className={styles.kept}>
          {kept.map(({ code }) => (
            <li key={code}>
              <strong>{code}</strong>
              <ActionIcon
                color="gray"
                aria-label={t('ship.dropKept', { code })}
                onClick={() => dropKept(code)}
              >
                <IconX size={20} aria-hidden />
              </ActionIcon>
            </li>
          ))}
          {partialCode === '' ? null : <li>{partialCode}…</li>}
        </ul>
      </Callout>
    </div>
  )
}
