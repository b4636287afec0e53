import { Button } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useManifests } from '../../app/storesContext'
import { Callout } from '../../components/Callout'
import styles from './manifests.module.css'

type Verdict = 'accepted' | 'refused'

interface SubmissionProps {
  kind: 'upload' | 'pre-alert'
  state: 'sending' | 'unknown' | Verdict
  /** A person is asked what became of an unknown one. */
  onResolve: (verdict: Verdict) => Promise<void>
  children: ReactNode
}

/** An upload or a pre-alert, and for an unknown one what to do about it. */
export function Submission({ kind, state, onResolve, children }: SubmissionProps) {
  const { t } = useTranslation()
  const root = useRef<HTMLDivElement>(null)
  const busy = useManifests((store) => store.busy)
  const resolve = async (verdict: Verdict) => {
    await onResolve(verdict)
    // The buttons are gone: the keyboard goes on from what they led to.
    root.current?.focus()
  }
  return (
    <div ref={root} tabIndex={-1} data-testid={kind} data-state={state} className={styles.stack}>
      {children}
      {state === 'unknown' ? (
        <Callout
          tone="attention"
          actions={
            <>
              <Button variant="default" disabled={busy} onClick={() => void resolve('accepted')}>
                {t('manifests.itWasAccepted')}
              </Button>
              <Button variant="default" disabled={busy} onClick={() => void resolve('refused')}>
                {t('manifests.itWasNot')}
              </Button>
            </>
          }
        >
          <p>{kind === 'upload' ? t('manifests.resolveUpload') : t('manifests.resolvePreAlert')}</p>
        </Callout>
      ) : null}
    </div>
  )
}
