import { Tabs } from '@mantine/core'
import type { ReactNode } from 'react'
import { startAtTop } from './startAtTop'
import styles from './tabbedScreen.module.css'

interface Tab<Name extends string> {
  name: Name
  text: string
  /** Accessible name, if the badge adds something to the text. */
  longText?: string | undefined
  /** A badge beside the text, hidden from screen readers. */
  mark?: ReactNode
  content: ReactNode
}

interface TabbedScreenProps<Name extends string> {
  title: string
  /** What the row of tabs is called. */
  tabsLabel: string
  tabs: readonly Tab<Name>[]
  front: Name
  onFront: (name: Name) => void
}

/** A screen with tabs; only the active tab is mounted. */
export function TabbedScreen<Name extends string>(props: TabbedScreenProps<Name>) {
  const { title, tabsLabel, tabs, front, onFront } = props
  return (
    <div className={styles.screen}>
      <h1 className="pb-title">{title}</h1>
      <Tabs
        value={front}
        onChange={(value) => {
          const next = tabs.find(({ name }) => name === value)
          if (next) onFront(next.name)
        }}
        keepMounted={false}
        // A tab may take the focus when it opens, which must not happen while the arrow keys move along the tabs.
        activateTabWithKeyboard={false}
        className={styles.tabs}
      >
        <Tabs.List aria-label={tabsLabel} className={styles.list}>
          {tabs.map(({ name, text, longText, mark }) => (
            <Tabs.Tab key={name} value={name} className={styles.tab} aria-label={longText}>
              {text}
              {mark ? <span aria-hidden>{mark}</span> : null}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ name, content }) => (
          <Tabs.Panel
            key={name}
            value={name}
            ref={name === front ? startAtTop : undefined}
            className={styles.panel}
          >
            {content}
          </Tabs.Panel>
        ))}
      </Tabs>
    </div>
  )
}
