import { Button } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { ErrorCallout } from '../../components/Callout'
import type { TabStore } from '../../stores/tabStore'
import styles from './settings.module.css'

/** Saves one tab, or throws its changes away, and says which of the two is due. */
export function SaveBar<Values>({ store }: { store: TabStore<Values> }) {
  const { t } = useTranslation()
  const { dirty, saving, justSaved, error, faults, save, discard } = useStore(store, (state) => state)
  const faulty = Object.keys(faults).length > 0
  return (
    <div className={styles.saveBar}>
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
