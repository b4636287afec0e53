import { Modal } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { toShortcut } from '../../ui/dialogs'
import { useNavigation } from '../../ui/navigation'
import type { HelpPlace } from './pages'

/** Loaded on demand: the bundle contains all guides. */
const HelpContents = lazy(async () => ({ default: (await import('./HelpContents')).HelpContents }))

/**
 * The help, which F1 opens on every screen.
 * @param place the screen whose page is shown first
 */
export function HelpDialog({ place }: { place: HelpPlace }) {
  const { t } = useTranslation()
  const open = useNavigation((state) => state.helpOpen)
  const showHelp = useNavigation((state) => state.showHelp)
  useHotkeys([['F1', toShortcut(() => showHelp(true))]], [])
  return (
    <Modal opened={open} title={t('nav.help')} onClose={() => showHelp(false)} size={1160}>
      <Suspense fallback={<p>{t('common.loading')}</p>}>
        <HelpContents place={place} />
      </Suspense>
    </Modal>
  )
}
