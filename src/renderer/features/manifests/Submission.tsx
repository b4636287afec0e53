import { Button } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/Callout'
import styles from './manifests.module.css'
import { useManifests } from './stores'

type Verdict = 'accepted' | 'refused'

interface SubmissionProps {
  kind: 'upload' | 'pre-alert'
  state: 'sending' | 'unknown' | Verdict
  /** An acceptance that somebody has to look at. */
  doubtful?: boolean
  /** What became of it. */
  words: ReactNode
  /** A person says what became of an unknown one. */
  onResolve: (verdict: Verdict) => Promise<void>
  /** What the service answered. */
  children: ReactNode
}

const tones = { accepted: 'good', refused: 'bad', sending: 'info' } as const

/** An upload or a pre-alert: what became of it, and for an unknown one what to do about that. */
export function Submission({ kind, state, doubtful, words, onResolve, children }: SubmissionProps) {
  const { t } = useTranslation()
  const root = useRef<HTMLDivElement>(null)
  const busy = useManifests((store) => store.busy)
  const resolve = async (verdict: Verdict) => {
    await onResolve(verdict)
    // The buttons are gone: the keyboard goes on from what they led to.
    root.current?.focus()
  }
  const verdictButton = (verdict: Verdict, text: string) => (
    <Button variant="default" disabled={busy} onClick={() => void resolve(verdict)}>
      {text}
    </Button>
  )
  return (
    <div ref={root} tabIndex={-1} data-testid={kind} data-state={state} className={styles.stack}>
      {state === 'unknown' ? (
        <Callout
          tone="attention"
          actions={
            <>
              {verdictButton('accepted', t('manifests.itWasAccepted'))}
              {verdictButton('refused', t('manifests.itWasNot'))}
            </>
          }
        >
          {words}
          <p>{kind === 'upload' ? t('manifests.resolveUpload') : t('manifests.resolvePreAlert')}</p>
        </Callout>
      ) : (
        <Callout tone={doubtful ? 'attention' : tones[state]}>{words}</Callout>
      )}
      {children}
    </div>
  )
}
