import { Box, Button } from '@mantine/core'
import { IconFolderCheck } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OrderFileIssue } from '../../../shared/hotFolder'
import { useBridgeQuery } from '../../bridge'
import { errorText } from '../../i18n/texts'
import { ErrorCallout } from '../../ui/Callout'
import panes from '../../ui/listPane.module.css'
import { Empty } from '../../ui/Panel'
import styles from './hotFolder.module.css'
import { useHotFolderView } from './hotFolderViewStore'
import { IssuePane } from './IssuePane'

/** Problems of the hot folder. Each file or shipment can be corrected and sent again, or closed. */
export function HotFolderScreen() {
  const { t } = useTranslation()
  const [closed, setClosed] = useState(false)
  const selectedId = useHotFolderView((view) => view.selectedId)
  const select = useHotFolderView((view) => view.select)
  const found = useBridgeQuery('listOrderFileIssues', { closed })
  const issues = found.data?.issues ?? []
  const selected = issues.find(({ id }) => id === selectedId) ?? issues[0]
  // A problem that arrives later must not replace the one that is being corrected.
  useEffect(() => {
    if (selected !== undefined) select(selected.id)
  }, [selected, select])
  const more = (found.data?.total ?? 0) - issues.length
  return (
    <section className={styles.screen} aria-label={t('nav.hotFolder')}>
      <div className={panes.left}>
        <div className={panes.top}>
          <h1 className="pb-title">{t('nav.hotFolder')}</h1>
          <fieldset className={panes.lists} aria-label={t('hotFolder.lists')}>
            {[false, true].map((each) => (
              <Button
                key={String(each)}
                variant={closed === each ? 'filled' : 'default'}
                aria-pressed={closed === each}
                onClick={() => setClosed(each)}
              >
                {t(each ? 'hotFolder.closed' : 'hotFolder.open')}
              </Button>
            ))}
          </fieldset>
        </div>
        <ErrorCallout error={found.error} />
        {found.data !== undefined && issues.length === 0 ? (
          <Empty
            icon={<IconFolderCheck size={56} stroke={1.3} aria-hidden />}
            title={t(closed ? 'hotFolder.noneClosed' : 'hotFolder.none')}
            hint={t(closed ? 'hotFolder.noneClosedHint' : 'hotFolder.noneHint')}
          />
        ) : (
          <IssueList issues={issues} selectedId={selected?.id} onSelect={select} />
        )}
        {more > 0 ? <p>{t('hotFolder.more', { count: more })}</p> : null}
      </div>
      {selected === undefined ? null : <IssuePane key={selected.id} issue={selected} />}
    </section>
  )
}

const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -1_000_000, End: 1_000_000 }

interface IssueListProps {
  issues: readonly OrderFileIssue[]
  selectedId: string | undefined
  onSelect: (id: string) => void
}

/** Problems, newest first. The arrow keys move the selection. */
function IssueList({ issues, selectedId, onSelect }: IssueListProps) {
  const { t } = useTranslation()
  const list = useRef<HTMLUListElement>(null)
  const at = issues.findIndex(({ id }) => id === selectedId)
  useEffect(() => {
    const row = list.current?.querySelectorAll<HTMLButtonElement>('button')[at]
    row?.scrollIntoView({ block: 'nearest' })
    if (list.current?.contains(document.activeElement)) row?.focus()
  }, [at])
  const onKeyDown = (event: KeyboardEvent) => {
    const places = steps[event.key]
    if (places === undefined) return
    event.preventDefault()
    const next = issues[Math.max(0, Math.min(issues.length - 1, at + places))]
    if (next !== undefined) onSelect(next.id)
  }
  return (
    <ul ref={list} aria-label={t('hotFolder.list')} className={`pb-surface ${styles.list}`}>
      {issues.map((issue, index) => (
        <li key={issue.id}>
          <button
            type="button"
            className={styles.row}
            aria-current={index === at}
            onClick={() => onSelect(issue.id)}
            onKeyDown={onKeyDown}
          >
            <span className={styles.rowTop}>
              <strong>{issue.reference ?? issue.file}</strong>
              <Box component="span" flex="none" c="var(--pb-attention)" fw={650} data-kind={issue.kind}>
                {t(`hotFolder.kind.${issue.kind}`)}
              </Box>
            </span>
            <span className={styles.what}>{errorText(t, issue.error)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
