import { Box, Button, Group } from '@mantine/core'
import { IconFolder, IconNetwork, IconPrinter } from '@tabler/icons-react'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { isDevicePath, printerLanguages, printHeads } from '../../../../shared/printing'
import { useBridgeQuery } from '../../../bridge'
import { dpiText } from '../../../i18n/texts'
import { ErrorCallout } from '../../../ui/Callout'
import { FormField, FormSelect } from '../../../ui/FormField'
import { RemoveButton } from '../../../ui/RowButtons'
import { FolderField } from '../FolderField'
import styles from '../settings.module.css'
import { useTab } from '../tabForm'
import type { PrinterRow, SocketRow, SystemRow } from './form'
import { PrinterTools } from './PrinterTools'
import { type PrinterPartProps, StockFields, usePrinterField } from './StockFields'

const icons = { folder: IconFolder, system: IconPrinter, socket: IconNetwork }

/** One printer: its name, connection and stock. */
export function PrinterCard({ printer, index }: PrinterPartProps<PrinterRow>) {
  const { t } = useTranslation()
  const titleId = useId()
  const { form } = useTab('printers')
  const bound = usePrinterField(index)
  const Icon = icons[printer.driver]
  const kinds = {
    folder: t('printersTab.kindFolder'),
    system: t('printersTab.kindSystem'),
    socket: t('printersTab.kindSocket'),
  }
  const name = printer.name || printer.id
  const { connection, output } = renderFields(printer, index)
  return (
    <section className={`pb-surface ${styles.card}`} aria-labelledby={titleId} data-row>
      <Group gap="4px 12px" wrap="nowrap">
        <Icon size={24} className={styles.cardIcon} aria-hidden />
        <Box flex={1} miw={0}>
          <Box id={titleId} component="h2" fz={18}>
            {t('printersTab.printer', { name })}
          </Box>
          <p className="pb-soft">
            {kinds[printer.driver]} · <span className="pb-mono">{printer.id}</span>
          </p>
        </Box>
        <RemoveButton
          className={styles.cardRemove}
          label={t('printersTab.remove', { name })}
          onClick={() => form.removeListItem('printers', index)}
        />
      </Group>
      <div className={styles.grid}>
        <FormField {...bound('name')} label={t('printersTab.name')} placeholder={printer.id} />
        {connection}
      </div>
      {output}
      <PrinterTools printer={printer} />
    </section>
  )
}

interface PrinterFields {
  /** Beside the printer's name. */
  connection: ReactNode
  /** Below: where its labels go to. */
  output: ReactNode
}

/** Does not compile unless it has the fields of every driver. */
function renderFields(printer: PrinterRow, index: number): PrinterFields {
  switch (printer.driver) {
    case 'folder':
      return { connection: null, output: <PathField index={index} /> }
    case 'system':
      return {
        connection: <QueueFields printer={printer} index={index} />,
        output: <StockFields printer={printer} index={index} />,
      }
    case 'socket':
      return {
        connection: <SocketFields printer={printer} index={index} />,
        output: <StockFields printer={printer} index={index} />,
      }
  }
}

function PathField({ index }: { index: number }) {
  const { t } = useTranslation()
  return <FolderField {...usePrinterField(index)('path')} label={t('printersTab.path')} needed />
}

const languageChoices = printerLanguages.map((language) => ({
  value: language,
  label: language.toUpperCase(),
}))

function SocketFields({ printer, index }: PrinterPartProps<SocketRow>) {
  const { t } = useTranslation()
  const bound = usePrinterField(index)
  return (
    <>
      <FormField {...bound('host')} label={t('printersTab.host')} hint={t('printersTab.hostHint')} needed />
      {isDevicePath(printer.host.trim()) ? null : (
        <FormField {...bound('port')} label={t('printersTab.port')} numeric="whole" />
      )}
      <FormSelect
        {...bound('dpi')}
        label={t('printersTab.dpi')}
        data={printHeads.map((dpi) => ({ value: String(dpi), label: dpiText(t, dpi) }))}
      />
      <FormSelect {...bound('language')} label={t('printersTab.printerLanguage')} data={languageChoices} />
    </>
  )
}

/** The operating system's queue, and whether its driver renders or the app does in the printer's language. */
function QueueFields({ printer, index }: PrinterPartProps<SystemRow>) {
  const { t } = useTranslation()
  const bound = usePrinterField(index)
  const { data: queues = [], isFetching, error, refetch } = useBridgeQuery('listSystemQueues', undefined)
  const options = queues.map(({ queue, isDefault }) => ({
    value: queue,
    label: isDefault ? t('printersTab.queueDefault', { queue }) : queue,
  }))
  // A configured queue that does not exist now must not change into another one.
  if (!queues.some((each) => each.queue === printer.queue)) {
    options.unshift({ value: printer.queue, label: printer.queue || t('job.choosePrinter') })
  }
  return (
    <>
      <FormSelect
        {...bound('queue')}
        label={t('printersTab.queue')}
        className="pb-required"
        data={options}
        description={!isFetching && queues.length === 0 ? t('printersTab.queueNone') : undefined}
      />
      <div className={styles.beside}>
        <Button
          variant="default"
          classNames={{ label: styles.oneLine }}
          loading={isFetching}
          onClick={() => void refetch()}
        >
          {t('printersTab.queueRefresh')}
        </Button>
      </div>
      <ErrorCallout error={error} />
      <FormSelect
        {...bound('language')}
        label={t('printersTab.printerLanguage')}
        description={t('printersTab.queueLanguageHint')}
        data={[{ value: '', label: t('printersTab.queueDraws') }, ...languageChoices]}
      />
    </>
  )
}
