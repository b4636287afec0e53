import { Tabs } from '@mantine/core'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useBoard, useNavigation } from '../../app/storesContext'
import { troubleCount } from '../../stores/boardStore'
import { type TrackTab, trackTabs } from '../../stores/navigationStore'
import { BoardPanel } from '../board/BoardPanel'
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
  const words: Record<TrackTab, string> = {
    one: t('track.tabOne'),
    many: t('track.tabMany'),
    board: t('track.tabBoard'),
  }
  return (
    <div className={styles.screen}>
      <h1 className="pb-title">{t('track.title')}</h1>
      <Tabs
        value={tab}
        onChange={(value) => {
          const next = trackTabs.find((name) => name === value)
          if (next) goToTrack(next)
        }}
        keepMounted={false}
        className={styles.tabs}
      >
        <Tabs.List aria-label={t('track.tabs')}>
          {trackTabs.map((name) => (
            <Tabs.Tab
              key={name}
              value={name}
              className={styles.tab}
              aria-label={
                name === 'board' && troubles > 0 ? t('track.tabBoardCount', { count: troubles }) : undefined
              }
            >
              {words[name]}
              {name === 'board' && troubles > 0 ? (
                <span className={styles.count} aria-hidden>
                  {troubles}
                </span>
              ) : null}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="one" className={styles.panel}>
          <LookUpPanel />
        </Tabs.Panel>
        <Tabs.Panel value="many" className={styles.panel}>
          <ManyPanel />
        </Tabs.Panel>
        <Tabs.Panel value="board" className={styles.panel}>
          <BoardPanel />
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}
