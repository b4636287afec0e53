import { Button, Stack, Textarea } from '@mantine/core'
import { IconFileImport, IconListSearch, IconSearch } from '@tabler/icons-react'
import { type DragEvent, memo, useDeferredValue, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type CodeList, codesInText } from '../../../shared/tracking'
import { Callout } from '../../ui/Callout'
import { Empty } from '../../ui/Panel'
import { BulkStatus } from './BulkStatus'
import { BulkTable } from './BulkTable'
import styles from './bulk.module.css'
import type { LoadedCodes } from './bulkStore'
import { useBulk } from './bulkStore'
import { TrackOptions } from './TrackOptions'
import { useTrack } from './trackStore'

/** Looks up codes in bulk: pasted, typed, or from a file. */
export function BulkPanel() {
  const { t } = useTranslation()
  const started = useBulk((state) => state.progress !== null)
  // Deferred, so that the button responds before the table is rendered.
  const hasTable = useDeferredValue(started)
  return (
    <Stack gap={12} mih="100%" pb={16}>
      <Source />
      <BulkStatus />
      {hasTable ? (
        <BulkTable />
      ) : (
        <Empty
          icon={<IconListSearch size={56} stroke={1.3} aria-hidden />}
          title={t('bulk.emptyTitle')}
          hint={t('bulk.emptyHint')}
        />
      )}
    </Stack>
  )
}

/** Memoised without the rows, so that an answer does not render it again. */
const Source = memo(function Source() {
  const { t } = useTranslation()
  const isLoaded = useBulk((state) => state.loaded !== null)
  const reading = useBulk((state) => state.reading)
  const dropFile = useBulk((state) => state.dropFile)
  const chooseFile = useBulk((state) => state.chooseFile)
  const start = useBulk((state) => state.start)
  const running = useBulk((state) => state.progress?.state === 'running')
  const options = useTrack((state) => state.options)
  const [over, setOver] = useState(false)
  const startButton = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // The field that had the focus is gone, and starting is the next step.
    if (isLoaded) startButton.current?.focus()
  }, [isLoaded])
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file !== undefined) void dropFile(file)
  }
  return (
    <section
      className={`pb-surface ${styles.source}`}
      data-over={over}
      aria-label={t('bulk.form')}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div className={styles.codes}>
        {isLoaded ? <LoadedList /> : <CodesField />}
        <div className={styles.actions}>
          <Button
            ref={startButton}
            leftSection={<IconSearch size={20} aria-hidden />}
            loading={running}
            onClick={() => void start(options)}
          >
            {t('bulk.start')}
          </Button>
          <Button
            variant="default"
            loading={reading}
            leftSection={<IconFileImport size={20} aria-hidden />}
            onClick={() => void chooseFile()}
          >
            {t('bulk.chooseFile')}
          </Button>
        </div>
      </div>
      <TrackOptions />
    </section>
  )
})

function CodesField() {
  const { t } = useTranslation()
  const text = useBulk((state) => state.text)
  const hasNoCodes = useBulk((state) => state.hasNoCodes)
  const setText = useBulk((state) => state.setText)
  const loadLongPaste = useBulk((state) => state.loadLongPaste)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  // Empty lines between typed codes need no message.
  const leftOut = useLeftOut({ ...codesInText(text), empty: 0 }).join(' · ')
  return (
    <Textarea
      ref={field}
      className={styles.field}
      label={t('bulk.codes')}
      description={leftOut || t('bulk.codesHint')}
      error={hasNoCodes ? t('bulk.nothing') : undefined}
      rows={3}
      spellCheck={false}
      autoComplete="off"
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onPaste={(event) => {
        const { value, selectionStart, selectionEnd } = event.currentTarget
        const pasted = event.clipboardData.getData('text/plain')
        const after = value.slice(0, selectionStart) + pasted + value.slice(selectionEnd)
        if (loadLongPaste(after)) event.preventDefault()
      }}
    />
  )
}

/** Why codes of a list are left out. */
function useLeftOut({ duplicates, empty, tooLong, tooMany }: Omit<CodeList, 'codes'>): string[] {
  const { t } = useTranslation()
  return [
    duplicates > 0 ? t('bulk.duplicates', { count: duplicates }) : '',
    empty > 0 ? t('bulk.empty', { count: empty }) : '',
    tooLong > 0 ? t('bulk.tooLong', { count: tooLong }) : '',
    tooMany > 0 ? t('bulk.tooMany', { count: tooMany }) : '',
  ].filter(Boolean)
}

/** Counts of a long list: its codes, and those that were left out. */
function LoadedList() {
  const loaded = useBulk((state) => state.loaded)
  return loaded === null ? null : <Loaded loaded={loaded} />
}

function Loaded({ loaded }: { loaded: LoadedCodes }) {
  const { t } = useTranslation()
  const unload = useBulk((state) => state.unload)
  const hasNoCodes = useBulk((state) => state.hasNoCodes)
  const leftOut = useLeftOut(loaded)
  const { inexact, cellErrors, column } = loaded
  const facts = column === null ? leftOut : [t('bulk.column', { column }), ...leftOut]
  return (
    <Stack gap={6} data-testid="bulk-loaded">
      <p className={styles.loadedCount}>
        {loaded.file ?? t('bulk.loadedPaste')}: {t('bulk.loaded', { count: loaded.codes.length })}
      </p>
      {facts.length > 0 ? <p>{facts.join(' · ')}</p> : null}
      {inexact > 0 ? <Callout tone="attention">{t('bulk.inexact', { count: inexact })}</Callout> : null}
      {cellErrors > 0 ? (
        <Callout tone="attention">{t('bulk.cellErrors', { count: cellErrors })}</Callout>
      ) : null}
      {hasNoCodes ? <Callout tone="attention">{t('bulk.nothing')}</Callout> : null}
      <div>
        <Button variant="default" onClick={unload}>
          {t('bulk.unload')}
        </Button>
      </div>
    </Stack>
  )
}
