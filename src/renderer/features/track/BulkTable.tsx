import { Button, Group, Stack } from '@mantine/core'
import { IconCopy, IconDownload, IconSearch } from '@tabler/icons-react'
import { memo, useDeferredValue, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ColumnNames } from '../../../shared/tracking'
import { ChoiceSelect } from '../../ui/ChoiceSelect'
import { toChoices } from '../../ui/FormField'
import { TextField } from '../../ui/TextField'
import { BulkRows } from './BulkRows'
import styles from './bulk.module.css'
import { type BulkState, useBulk } from './bulkStore'
import { applyBulkView } from './bulkView'
import { ParcelActionErrors } from './ParcelActions'

const noRows: BulkState['table'] = { rows: [] }

/** The rows of a bulk look-up: filter, sort, save and copy. */
export function BulkTable() {
  const table = useBulk((state) => state.table)
  const view = useBulk((state) => state.view)
  // A new object for each answer, since the rows may be the same array with more in it.
  const shown = useMemo(() => ({ rows: applyBulkView(table.rows, view) }), [table, view])
  // Deferred, so that rendering the rows, even the first time, does not block the window.
  const drawn = useDeferredValue(shown, noRows)
  return (
    <Stack gap={10} flex={1}>
      <Group align="end" gap={10}>
        <Filters />
        <Count shown={shown.rows.length} count={table.rows.length} />
        <ExportButtons />
      </Group>
      <ParcelActionErrors shipmentIds={shown.rows.flatMap((row) => row.shipment?.id ?? [])} />
      <BulkRows table={drawn} />
    </Stack>
  )
}

function Count({ shown, count }: { shown: number; count: number }) {
  const { t } = useTranslation()
  return (
    <p className={styles.count} role="status">
      {t('bulk.shown', { shown, count })}
    </p>
  )
}

/** Memoised without the rows, so that an answer does not render it again. */
const Filters = memo(function Filters() {
  const { t } = useTranslation()
  const view = useBulk((state) => state.view)
  const setSearch = useBulk((state) => state.setSearch)
  const setOnly = useBulk((state) => state.setOnly)
  return (
    <>
      <TextField
        className={styles.filter}
        label={t('bulk.filter')}
        placeholder={t('bulk.filterHint')}
        leftSection={<IconSearch size={20} aria-hidden />}
        value={view.search}
        onChange={setSearch}
      />
      <ChoiceSelect
        label={t('bulk.only')}
        value={view.only}
        choices={toChoices({
          all: t('bulk.onlyAll'),
          found: t('bulk.onlyFound'),
          'not-found': t('bulk.onlyNotFound'),
          ours: t('bulk.onlyOurs'),
        })}
        onChange={setOnly}
      />
    </>
  )
})

/** Saves the rows to a file or copies them. */
const ExportButtons = memo(function ExportButtons() {
  const { t } = useTranslation()
  const save = useBulk((state) => state.save)
  const copy = useBulk((state) => state.copy)
  const names = useColumnNames()
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconCopy size={20} aria-hidden />}
        onClick={() => void copy(names)}
      >
        {t('bulk.copy')}
      </Button>
      <Button
        variant="default"
        leftSection={<IconDownload size={20} aria-hidden />}
        onClick={() => void save('csv', names)}
      >
        {t('common.saveCsv')}
      </Button>
      <Button
        variant="default"
        leftSection={<IconDownload size={20} aria-hidden />}
        onClick={() => void save('xlsx', names)}
      >
        {t('common.saveXlsx')}
      </Button>
    </>
  )
})

function useColumnNames(): ColumnNames {
  const { t } = useTranslation()
  return {
    code: t('bulk.code'),
    found: t('bulk.found'),
    statusCode: t('bulk.statusCode'),
    description: t('bulk.status'),
    location: t('bulk.location'),
    dateTime: t('bulk.dateTime'),
    events: t('bulk.eventCount'),
    reference: t('bulk.shipment'),
    yes: t('common.yes'),
    no: t('common.no'),
  }
}
