import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { type SavedTab, useStoppedSave } from '../settings/tabForm'

interface StepFooterProps {
  /** The tab of the settings that the step saves. */
  tab: SavedTab
  /** Called when the step shows none of the fields that stopped a save. */
  onUnseen?: () => void
  /** The buttons. */
  children: ReactNode
}

/** The buttons of a step that saves a tab of the settings, and why it could not be saved. */
export function StepFooter({ tab, onUnseen, children }: StepFooterProps) {
  const { t } = useTranslation()
  const { belowFields, isStopped } = useStoppedSave(tab, onUnseen)
  return (
    <>
      <ErrorCallout error={tab.error} />
      {isStopped ? <Callout tone="bad">{t('settings.issuesSummary')}</Callout> : null}
      <Group align="stretch" gap={12} mt={6} ref={belowFields}>
        {children}
      </Group>
    </>
  )
}
