import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useBoard, useNavigation } from '../../app/storesContext'
import { TabbedScreen } from '../../ui/TabbedScreen'
import { BoardPanel } from '../board/BoardPanel'
import { troubleCount } from '../board/boardStore'
import { LookUpPanel } from './LookUpPanel'
import { ManyPanel } from './ManyPanel'
import styles from './track.module.css'

/** Tracking: one code, many codes, and the board of parcels that the station watches. */
export function TrackScreen() {
  const { t } = useTranslation()
  const tab = useNavigation((state) => state.trackTab)
  const goToTrack = useNavigation((state) => state.goToTrack)
  const refresh = useBoard((state) => state.refresh)
  const troubles = useBoard((state) => troubleCount(state.board))
  useEffect(() => {
    void refresh()
  }, [refresh])
  const board = { name: 'board' as const, text: t('track.tabBoard'), content: <BoardPanel /> }
  const counted = {
    ...board,
    longText: t('track.tabBoardCount', { count: troubles }),
    mark: <span className={styles.count}>{troubles}</span>,
  }
  return (
    <TabbedScreen
      title={t('track.title')}
      tabsLabel={t('track.tabs')}
      tabs={[
        { name: 'one', text: t('track.tabOne'), content: <LookUpPanel /> },
        { name: 'many', text: t('track.tabMany'), content: <ManyPanel /> },
        troubles > 0 ? counted : board,
      ]}
      front={tab}
      onFront={goToTrack}
    />
  )
}
