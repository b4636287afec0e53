import { ActionIcon, Button, NativeSelect } from '@mantine/core'
import { IconFolder, IconFolderOpen, IconNetwork, IconPrinter, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useEffect, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { isDevicePath, printerLanguages, printHeads } from '../../../shared/printing'
import { usePrinterChoices, useStores } from '../../app/storesContext'
import { dpiText } from '../../locales/printerText'
import { ErrorCallout } from '../../ui/Callout'
import { TextField } from '../../ui/TextField'
import { PrinterTools } from './PrinterTools'
import { type PrinterPartProps, usePrinterPart } from './printerPart'
import type { PrinterRow } from './printersForm'
import { StockFields } from './StockFields'
import styles from './settings.module.css'

const icons = { folder: IconFolder, system: IconPrinter, socket: IconNetwork }

/** One printer: what it is called, where it is, and what labels are in it. */
export function PrinterCard({ printer, index }: { printer: PrinterRow; index: number }) {
  const { t } = useTranslation()
  const titleId = useId()
  const part = usePrinterPart(printer, index)
  const { tabs } = useStores()
  const edit = useStore(tabs.printers, (state) => state.edit)
  const Icon = icons[printer.driver]
  const kinds = {
    folder: t('printersTab.kindFolder'),
    system: t('printersTab.kindSystem'),
    socket: t('printersTab.kindSocket'),
  }
  const name = printer.name || printer.id
  const remove = () =>
    edit((values) => ({
      ...values,
      printers: values.printers.filter((each) => each.id !== printer.id),
    }))
  return (
    <section className={styles.card} aria-labelledby={titleId} data-row>
      <div className={styles.cardHead}>
        <Icon size={24} aria-hidden />
        <h2 id={titleId} className={styles.cardTitle}>
          {t('printersTab.printer', { name })}
        </h2>
        <span className="pb-soft">
          {kinds[printer.driver]} · <span className="pb-mono">{printer.id}</span>
        </span>
        <ActionIcon
          className={styles.cardRemove}
          aria-label={t('printersTab.remove', { name })}
          onClick={remove}
        >
          <IconTrash size={22} aria-hidden />
        </ActionIcon>
      </div>
      <div className={styles.grid}>
        <TextField
          label={t('printersTab.name')}
          value={printer.name}
          placeholder={printer.id}
          onChange={(text) => part.set({ name: text })}
          fault={part.fault('name', t('printersTab.name'))}
        />
        {printer.driver === 'socket' ? <SocketFields {...part} /> : null}
        {printer.driver === 'system' ? <QueueField {...part} /> : null}
      </div>
      {printer.driver === 'folder' ? <FolderField {...part} /> : <StockFields {...part} />}
      <PrinterTools printer={printer} />
    </section>
  )
}

function FolderField({ printer, set, fault }: PrinterPartProps) {
  const { t } = useTranslation()
  const chooseFolder = usePrinterChoices((state) => state.chooseFolder)
  const choose = async () => {
    const path = await chooseFolder()
    if (path !== null) set({ path })
  }
  return (
    <div className={styles.pathRow}>
      <TextField
        label={t('printersTab.path')}
        hint={t('printersTab.pathHint')}
        value={printer.path}
        onChange={(path) => set({ path })}
        fault={fault('path', t('printersTab.path'))}
        needed
      />
      <Button
        variant="default"
        leftSection={<IconFolderOpen size={20} aria-hidden />}
        onClick={() => void choose()}
      >
        {t('printersTab.chooseFolder')}
      </Button>
    </div>
  )
}

function SocketFields({ printer, set, fault }: PrinterPartProps) {
  const { t } = useTranslation()
  return (
    <>
      <TextField
        label={t('printersTab.host')}
        hint={t('printersTab.hostHint')}
        value={printer.host}
        onChange={(host) => set({ host })}
        fault={fault('host', t('printersTab.host'))}
        needed
      />
      {isDevicePath(printer.host.trim()) ? null : (
        <TextField
          label={t('printersTab.port')}
          value={printer.port}
          onChange={(port) => set({ port })}
          fault={fault('port', t('printersTab.port'))}
          inputMode="numeric"
        />
      )}
      <NativeSelect
        label={t('printersTab.dpi')}
        value={printer.dpi}
        onChange={(event) => set({ dpi: event.currentTarget.value })}
        data={printHeads.map((dpi) => ({
          value: String(dpi),
          label: dpiText(t, dpi),
        }))}
      />
      <NativeSelect
        label={t('printersTab.printerLanguage')}
        value={printer.language}
        onChange={(event) => set({ language: event.currentTarget.value })}
        data={printerLanguages.map((language) => ({ value: language, label: language.toUpperCase() }))}
      />
    </>
  )
}

function QueueField(part: PrinterPartProps): ReactNode {
  const { printer, set, fault } = part
  const { t } = useTranslation()
  const { queues, loading, error, load } = usePrinterChoices((state) => state)
  useEffect(() => {
    void load()
  }, [load])
  const options = queues.map(({ queue, isDefault }) => ({
    value: queue,
    label: isDefault ? t('printersTab.queueDefault', { queue }) : queue,
  }))
  // A queue that is set and not there now must not turn into another one.
  if (!queues.some((each) => each.queue === printer.queue)) {
    options.unshift({ value: printer.queue, label: printer.queue || t('job.choosePrinter') })
  }
  return (
    <>
      <NativeSelect
        label={t('printersTab.queue')}
        className="pb-required"
        value={printer.queue}
        onChange={(event) => set({ queue: event.currentTarget.value })}
        data={options}
        error={fault('queue', t('printersTab.queue'))}
        description={!loading && queues.length === 0 ? t('printersTab.queueNone') : undefined}
      />
      <div className={styles.beside}>
        <Button variant="default" loading={loading} onClick={() => void load()}>
          {t('printersTab.queueRefresh')}
        </Button>
      </div>
      {error ? <ErrorCallout error={error} /> : null}
      <QueueLanguage {...part} />
    </>
  )
}

/** Whether a queue's driver draws, or the app in the language of the printer behind it. */
function QueueLanguage({ printer, set }: PrinterPartProps) {
  const { t } = useTranslation()
  return (
    <NativeSelect
      label={t('printersTab.printerLanguage')}
      description={t('printersTab.queueLanguageHint')}
      value={printer.language}
      onChange={(event) => set({ language: event.currentTarget.value })}
      data={[
        { value: '', label: t('printersTab.queueDraws') },
        ...printerLanguages.map((language) => ({ value: language, label: language.toUpperCase() })),
      ]}
    />
  )
}
