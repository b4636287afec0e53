import { useTranslation } from 'react-i18next'
import { useBridgeQuery } from '../../bridge'
import { useNavigation } from '../../ui/navigation'
import { TabbedScreen } from '../../ui/TabbedScreen'
import { BoardPanel } from './BoardPanel'
import { BulkPanel } from './BulkPanel'
import { LookUpPanel } from './LookUpPanel'
import styles from './track.module.css'

/** Tracking: one code, codes in bulk, and the board of watched parcels. */
export function TrackScreen() {
  const { t } = useTranslation()
  const { trackTab: tab, goToTrack } = useNavigation((state) => state)
  const { data: found } = useBridgeQuery('getTrackingBoard', undefined)
  const alerts = found?.alerts.reduce((total, { count }) => total + count, 0) ?? 0
  const board = { name: 'board' as const, text: t('track.tabBoard'), content: <BoardPanel /> }
  const counted = {
    ...board,
    accessibleName: t('track.tabBoardCount', { count: alerts }),
    badge: <span className={styles.count}>{alerts}</span>,
  }
  return (
    <TabbedScreen
      title={t('track.title')}
      tabsLabel={t('track.tabs')}
      tabs={[
        { name: 'single', text: t('track.tabOne'), content: <LookUpPanel /> },
        { name: 'bulk', text: t('track.tabBulk'), content: <BulkPanel /> },
        alerts > 0 ? counted : board,
      ]}
      activeTab={tab}
      onTabChange={goToTrack}
    />
  )
}
