import { ActionIcon } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/Callout'
import { dialogInFront } from '../../ui/dialogs'
import styles from './ship.module.css'
import { useShip } from './stores'

/** References that were scanned while a shipment was being created: each is that of a next parcel. */
export function KeptScans() {
  const { t } = useTranslation()
  const kept = useShip((state) => state.kept)
  const catching = useShip((state) => state.catching)
  const dropKept = useShip((state) => state.dropKept)
  useCatching()
  if (kept.length === 0 && catching === '') return null
  return (
    <div role="status" data-testid="kept-scans">
      <Callout tone="info">
        <p>{t('ship.kept')}</p>
        <ul className={styles.kept}>
          {kept.map((code) => (
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
          {catching === '' ? null : <li>{catching}…</li>}
        </ul>
      </Callout>
    </div>
  )
}

/**
 * Catches what a scanner types while the form is being sent, before any field sees it. One that began then is caught to
 * its end, so that its rest does not get into the draft that came back.
 */
function useCatching(): void {
  const on = useShip((state) => state.sending || state.catching !== '')
  const catchKey = useShip((state) => state.catchKey)
  const endCatching = useShip((state) => state.endCatching)
  useEffect(() => {
    if (!on) return
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || dialogInFront()) return
      if (event.key.length === 1 || event.key === 'Enter') {
        event.preventDefault()
        event.stopPropagation()
        catchKey(event.key)
      } else if (event.key !== 'Shift') endCatching()
    }
    window.addEventListener('keydown', onKey, true)
    window.addEventListener('pointerdown', endCatching, true)
    return () => {
      window.removeEventListener('keydown', onKey, true)
      window.removeEventListener('pointerdown', endCatching, true)
    }
  }, [on, catchKey, endCatching])
}
