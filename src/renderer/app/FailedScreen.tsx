import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { maxScreenErrorLength } from '../../shared/app'
import { callMain } from '../bridge'
import { Callout } from '../ui/Callout'
import { SaveDiagnostics } from '../ui/SaveDiagnostics'
import styles from './app.module.css'

/**
 * Keeps a screen that throws to itself: it is noted in the log, and a sentence stands in its place with a way to show it
 * again. What is typed is in stores, outside of what is shown.
 */
export class ScreenBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override componentDidCatch(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    void callMain('noteScreenError', { error: text.slice(0, maxScreenErrorLength) })
  }

  override render() {
    return this.state.hasFailed ? (
      <FailedScreen onRetry={() => this.setState({ hasFailed: false })} />
    ) : (
      this.props.children
    )
  }
}

function FailedScreen({ onRetry }: { onRetry: () => void }) {
  const { t } = useTranslation()
  return (
    <div className={styles.waiting}>
      <h1 className="pb-title">{t('common.screenFailed')}</h1>
      <Callout
        tone="bad"
        actions={
          <>
            <Button onClick={onRetry}>{t('common.tryAgain')}</Button>
            <SaveDiagnostics size="sm" />
          </>
        }
      >
        <p>{t('common.screenFailedWayOn')}</p>
      </Callout>
    </div>
  )
}
