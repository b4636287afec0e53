import { Button, Progress, Textarea } from '@mantine/core'
import { IconFileImport, IconListSearch, IconPlayerStop, IconRefresh, IconSearch } from '@tabler/icons-react'
import { type DragEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useBulk, useTrack } from '../../app/storesContext'
import { Callout, ErrorCallout, ErrorWords } from '../../components/Callout'
import { Empty } from '../../components/Panel'
import { ManyTable } from './ManyTable'
import styles from './many.module.css'
import { TrackOptions } from './TrackOptions'

/** Looks up many codes at once: pasted, typed, or from a file. */
export function ManyPanel() {
  const { t } = useTranslation()
  const started = useBulk((state) => state.progress !== null)
  return (
    <div className={styles.panel}>
      <Source />
      <Progressing />
      {started ? (
        <ManyTable />
      ) : (
        <Empty
          icon={<IconListSearch size={56} stroke={1.3} aria-hidden />}
          title={t('bulk.emptyTitle')}
          hint={t('bulk.emptyHint')}
        />
      )}
    </div>
  )
}

function Source() {
  const { t } = useTranslation()
  const { loaded, reading, dropFile, chooseFile, start } = useBulk((state) => state)
  const running = useBulk((state) => state.progress?.state === 'running')
  const options = useTrack((state) => state.options)
  const [over, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file !== undefined) void dropFile(file)
  }
  return (
    <section
      className={styles.source}
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
        {loaded === null ? <CodesField /> : <LoadedList />}
        <div className={styles.moves}>
          <Button
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
}

function CodesField() {
  const { t } = useTranslation()
  const { text, nothingToAsk, setText, takePaste } = useBulk((state) => state)
  return (
    <Textarea
      className={styles.field}
      label={t('bulk.codes')}
      description={t('bulk.codesHint')}
      error={nothingToAsk ? t('bulk.nothing') : undefined}
      rows={3}
      spellCheck={false}
      autoComplete="off"
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onPaste={(event) => {
        if (takePaste(event.clipboardData.getData('text/plain'))) event.preventDefault()
      }}
    />
  )
}

/** A long list by its counts: what it holds and what was left out of it. */
function LoadedList() {
  const { t } = useTranslation()
  const loaded = useBulk((state) => state.loaded)
  const unload = useBulk((state) => state.unload)
  const nothingToAsk = useBulk((state) => state.nothingToAsk)
  if (loaded === null) return null
  const { duplicates, empty, tooLong, tooMany, inexact, cellErrors, column } = loaded
  const leftOut = [
    column === null ? '' : t('bulk.column', { column }),
    duplicates > 0 ? t('bulk.duplicates', { count: duplicates }) : '',
    empty > 0 ? t('bulk.empty', { count: empty }) : '',
    tooLong > 0 ? t('bulk.tooLong', { count: tooLong }) : '',
    tooMany > 0 ? t('bulk.tooMany', { count: tooMany }) : '',
  ].filter(Boolean)
  return (
    <div className={styles.loaded} data-testid="bulk-loaded">
      <p className={styles.loadedCount}>
        {loaded.file ?? t('bulk.loadedPaste')}: {t('bulk.loaded', { count: loaded.codes.length })}
      </p>
      {leftOut.length > 0 ? <p>{leftOut.join(' · ')}</p> : null}
      {inexact > 0 ? <Callout tone="attention">{t('bulk.inexact', { count: inexact })}</Callout> : null}
      {cellErrors > 0 ? (
        <Callout tone="attention">{t('bulk.cellErrors', { count: cellErrors })}</Callout>
      ) : null}
      {nothingToAsk ? <Callout tone="attention">{t('bulk.nothing')}</Callout> : null}
      <div>
        <Button variant="default" onClick={unload}>
          {t('bulk.unload')}
        </Button>
      </div>
    </div>
  )
}

function Progressing() {
  const { t } = useTranslation()
  const { progress, error, done, cancel, resume } = useBulk((state) => state)
  const running = progress?.state === 'running'
  const unfinished = progress !== null && !running && progress.answered < progress.total
  const percent = progress === null || progress.total === 0 ? 0 : (progress.answered / progress.total) * 100
  return (
    <>
      {progress === null ? null : (
        <div className={styles.progress}>
          <Progress.Root size="lg" className={styles.bar}>
            <Progress.Section value={percent} aria-label={t('bulk.progress')} />
          </Progress.Root>
          <p role="status" data-testid="bulk-progress" data-state={progress.state}>
            {t('bulk.progressText', { answered: progress.answered, total: progress.total })}
            {progress.pausing ? ` ${t('bulk.pausing')}` : ''}
          </p>
          {running ? (
            <Button
              variant="default"
              leftSection={<IconPlayerStop size={20} aria-hidden />}
              onClick={() => void cancel()}
            >
              {t('bulk.cancel')}
            </Button>
          ) : null}
        </div>
      )}
      {unfinished ? (
        <Callout
          tone="attention"
          actions={
            <Button leftSection={<IconRefresh size={20} aria-hidden />} onClick={() => void resume()}>
              {t('bulk.resume')}
            </Button>
          }
        >
          <p>{progress.failed > 0 ? t('bulk.failed', { count: progress.failed }) : t('bulk.cancelled')}</p>
          {error ? <ErrorWords error={error} /> : null}
        </Callout>
      ) : null}
      {error && !unfinished ? <ErrorCallout error={error} /> : null}
      {done === null ? null : (
        <Callout tone="good">
          <p role="status">
            {done.kind === 'saved'
              ? t('bulk.saved', { path: done.path })
              : t('bulk.copied', { count: done.count })}
          </p>
        </Callout>
      )}
    </>
  )
}
