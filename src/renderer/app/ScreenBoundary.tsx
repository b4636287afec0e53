import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { maxScreenErrorLength } from '../../shared/app'
import { callMain } from '../bridge'
import { Callout } from '../ui/Callout'
import { SaveDiagnostics } from '../ui/SaveDiagnostics'
import styles from './app.module.css'

/**
 * Limits a rendering error to one screen: the error goes to the log, and a message with a retry button replaces the
 * screen. Typed input is kept, because it lives in stores outside of the components.
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
