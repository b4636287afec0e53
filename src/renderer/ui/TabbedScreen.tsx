import { Tabs } from '@mantine/core'
import type { ReactNode } from 'react'
import { scrollToTop } from './scrollToTop'
import styles from './tabbedScreen.module.css'

interface Tab<Name extends string> {
  name: Name
  text: string
  /** Accessible name, if the badge adds something to the text. */
  accessibleName?: string | undefined
  /** A badge beside the text, hidden from screen readers. */
  badge?: ReactNode
  content: ReactNode
}

interface TabbedScreenProps<Name extends string> {
  title: string
  /** What the row of tabs is called. */
  tabsLabel: string
  tabs: readonly Tab<Name>[]
  activeTab: Name
  onTabChange: (name: Name) => void
}

/** A screen with tabs; only the active tab is mounted. */
export function TabbedScreen<Name extends string>(props: TabbedScreenProps<Name>) {
  const { title, tabsLabel, tabs, activeTab, onTabChange } = props
  return (
    <div className={styles.screen}>
      <h1 className="pb-title">{title}</h1>
      <Tabs
        value={activeTab}
        onChange={(value) => {
          const next = tabs.find(({ name }) => name === value)
          if (next) onTabChange(next.name)
        }}
        keepMounted={false}
        // A tab may take the focus when it opens, which must not happen while the arrow keys move along the tabs.
        activateTabWithKeyboard={false}
        className={styles.tabs}
      >
        <Tabs.List aria-label={tabsLabel} className={styles.list}>
          {tabs.map(({ name, text, accessibleName, badge }) => (
            <Tabs.Tab key={name} value={name} className={styles.tab} aria-label={accessibleName}>
              {text}
              {badge ? <span aria-hidden>{badge}</span> : null}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ name, content }) => (
          <Tabs.Panel
            key={name}
            value={name}
            ref={name === activeTab ? scrollToTop : undefined}
            className={styles.panel}
          >
            {content}
          </Tabs.Panel>
        ))}
      </Tabs>
    </div>
  )
}
