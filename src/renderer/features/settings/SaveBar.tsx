import { Button } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { ErrorCallout } from '../../ui/Callout'
import styles from './settings.module.css'
import type { TabStore } from './tabStore'

/**
 * Saves one tab, or throws its changes away, and says which of the two is due. An attempt that shows faults goes to the
 * first of them in the tab, whose content the bar lies in.
 */
export function SaveBar<Values>({ store }: { store: TabStore<Values> }) {
  const { t } = useTranslation()
  const { dirty, saving, justSaved, error, faults, save, discard } = useStore(store, (state) => state)
  const faulty = Object.keys(faults).length > 0
  const bar = useRef<HTMLDivElement>(null)
  const before = useRef(faults)
  useEffect(() => {
    if (before.current === faults) return
    before.current = faults
    if (faulty) bar.current?.parentElement?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [faults, faulty])
  return (
    <div className={styles.saveBar} ref={bar}>
      {error ? <ErrorCallout error={error} /> : null}
      <div className={styles.saveRow}>
        <Button
          className={styles.save}
          loading={saving}
          aria-disabled={!dirty}
          data-disabled={!dirty || undefined}
          onClick={() => {
            if (dirty) void save()
          }}
        >
          {t('common.save')}
        </Button>
        {dirty ? (
          <Button variant="default" disabled={saving} onClick={discard}>
            {t('common.discard')}
          </Button>
        ) : null}
        <p role="status" className={styles.saveState} data-faulty={faulty && dirty}>
          {faulty && dirty ? t('settings.faultsSummary') : null}
          {!faulty && dirty ? t('settings.unsaved') : null}
          {!dirty && justSaved ? (
            <>
              <IconCheck size={20} aria-hidden /> {t('settings.saved')}
            </>
          ) : null}
        </p>
      </div>
    </div>
  )
}
