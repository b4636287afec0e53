import { ActionIcon, Box, Button, Group, Menu } from '@mantine/core'
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconDeviceFloppy,
  IconFileImport,
  IconPackages,
  IconRowInsertTop,
  IconRowRemove,
  IconSearch,
  IconTransitionBottom,
} from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ManifestDetails } from '../../../shared/consignments'
import { useBridgeMutation } from '../../bridge'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { FileChoice } from '../../ui/FileChoice'
import { TextField } from '../../ui/TextField'
import { fieldName, Grid } from './Grid'
import { findIssues, getBlock, useGrid } from './gridStore'
import { ImportDialog } from './ImportDialog'
import styles from './manifests.module.css'
import { useOpenManifest } from './openManifestStore'
import { pageCallOptions, useReadFile } from './queries'
import { ShipmentsDialog } from './ShipmentsDialog'

/** The grid of lines, and the tools that fill it. */
export function LinesTab({ page }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const error = useGrid((state) => state.error)
  const added = useOpenManifest((state) => state.added)
  const locked = page.lock === 'locked'
  return (
    <>
      {locked ? <Callout tone="info">{t('manifests.readOnly')}</Callout> : null}
      {added ? <Callout tone="info">{t('manifests.addedText', added)}</Callout> : null}
      <ErrorCallout error={error} />
      <Toolbar page={page} />
      <CellHint />
      <Grid />
      <ImportDialog page={page} />
    </>
  )
}

function Toolbar({ page: { id: manifestId, lock } }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const locked = lock === 'locked'
  const readFile = useReadFile(manifestId)
  const { mutate: save } = useBridgeMutation('saveManifestLines', pageCallOptions(manifestId))
  const [choosing, setChoosing] = useState(false)
  return (
    <Group gap={6}>
      <FileChoice
        label={t('manifests.importFile')}
        accept=".csv,.txt,.tsv,.xlsx"
        disabled={locked}
        leftSection={<IconFileImport size={20} aria-hidden />}
        onFile={(file) => readFile.mutate(file)}
      />
      <Button
        variant="default"
        disabled={locked}
        leftSection={<IconPackages size={20} aria-hidden />}
        onClick={() => setChoosing(true)}
      >
        {t('manifests.addShipments')}
      </Button>
      <EditButtons locked={locked} />
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={t('manifests.saveLines')} title={t('manifests.saveLines')}>
            <IconDeviceFloppy size={22} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => save({ manifestId, kind: 'csv' })}>{t('common.saveCsv')}</Menu.Item>
          <Menu.Item onClick={() => save({ manifestId, kind: 'xlsx' })}>{t('common.saveXlsx')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Find />
      <ShipmentsDialog manifestId={manifestId} opened={choosing} onClose={() => setChoosing(false)} />
    </Group>
  )
}

function EditButtons({ locked }: { locked: boolean }) {
  const { t } = useTranslation()
  const { active, anchor, edit, undo, redo } = useGrid((state) => state)
  const canUndo = useGrid((state) => state.summary?.canUndo ?? false)
  const canRedo = useGrid((state) => state.summary?.canRedo ?? false)
  const block = getBlock({ active, anchor })
  const buttons = [
    { name: t('manifests.undo'), Icon: IconArrowBackUp, off: !canUndo, run: undo },
    { name: t('manifests.redo'), Icon: IconArrowForwardUp, off: !canRedo, run: redo },
    {
      name: t('manifests.fillDown'),
      Icon: IconTransitionBottom,
      off: block.from === block.to,
      run: () => edit({ kind: 'fill', ...block }),
    },
    {
      name: t('manifests.insertLine'),
      Icon: IconRowInsertTop,
      off: false,
      run: () => edit({ kind: 'insert', at: block.from, count: 1 }),
    },
    {
      name: t('manifests.removeLines'),
      Icon: IconRowRemove,
      off: false,
      run: () => edit({ kind: 'remove', from: block.from, to: block.to }),
    },
  ]
  return (
    <>
      {buttons.map(({ name, Icon, off, run }) => (
        <ActionIcon
          key={name}
          aria-label={name}
          title={name}
          disabled={locked || off}
          onClick={() => void run()}
        >
          <Icon size={22} aria-hidden />
        </ActionIcon>
      ))}
    </>
  )
}

function Find() {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const find = useGrid((state) => state.find)
  const notFound = useGrid((state) => state.notFound)
  return (
    <div className={styles.find}>
      <TextField
        label={t('manifests.find')}
        classNames={{ label: 'pb-unseen' }}
        placeholder={t('manifests.find')}
        value={text}
        onChange={setText}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void find(text)
        }}
        leftSection={<IconSearch size={20} aria-hidden />}
        rightSectionWidth={120}
        rightSection={
          notFound ? (
            <Box component="span" fz={15} c="var(--pb-bad)">
              {t('manifests.notFound')}
            </Box>
          ) : null
        }
      />
    </div>
  )
}

/** The check results of the active cell. */
function CellHint() {
  const { t } = useTranslation()
  const active = useGrid((state) => state.active)
  const pages = useGrid((state) => state.pages)
  const empty = useGrid((state) => state.summary?.lines === 0)
  const own = findIssues(pages, active)
  const place = t('manifests.cellOf', { line: active.row + 1, field: fieldName(t, active.column) })
  return (
    <p className={styles.hint} role="status" data-severity={own[0]?.severity}>
      <strong>{place}</strong> {empty ? t('manifests.noLines') : null}
      {own.map((issue) => t(`issues.${issue.code}`, { detail: issue.detail })).join(' ')}
    </p>
  )
}
