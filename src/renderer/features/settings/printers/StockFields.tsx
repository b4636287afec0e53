import { Button, Fieldset } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { printHeads, printModes, type Stock, stockTrackings } from '../../../../shared/printing'
import { useBridgeQuery } from '../../../bridge'
import { dpiText } from '../../../i18n/texts'
import { ChoiceSelect } from '../../../ui/ChoiceSelect'
import { FormField, FormSelect, toChoices } from '../../../ui/FormField'
import styles from '../settings.module.css'
import { useTab } from '../tabForm'
import { useFold } from '../useFold'
import {
  hasDarknessChange,
  hasPaperOfStock,
  hasSheet,
  isLabelPrinter,
  type PrinterRow,
  type SocketRow,
  type SystemRow,
  withStock,
} from './form'

export interface PrinterPartProps<Row extends PrinterRow> {
  printer: Row
  /** Index in the list of printers. */
  index: number
}

/** Binds an input to a field of one printer. */
export function usePrinterField(index: number) {
  const { form } = useTab('printers')
  return (field: string) => form.getInputProps(`printers.${index}.${field}`)
}

type StockedPartProps = PrinterPartProps<SocketRow | SystemRow>

/** Paths of the folded fields. */
const foldedPaths = [
  ...['rotate', 'offsetMm', 'collate', 'dpi', 'sheet', 'stockTracking', 'printMode'],
  ...['darkness', 'darknessChange', 'speed', 'greys'],
]

/** The stock in a printer, with folded fields for the layout on it. */
export function StockFields(part: StockedPartProps) {
  const { t } = useTranslation()
  const { printer, index } = part
  const { form } = useTab('printers')
  const bound = usePrinterField(index)
  const hasIssues = Object.keys(form.errors).some((path) =>
    foldedPaths.some((name) => `${path}.`.startsWith(`printers.${index}.${name}.`)),
  )
  const [isOpen, toggle] = useFold(hasIssues)
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  return (
    <>
      <div className={styles.grid}>
        <StockSize {...part} />
        {printer.driver === 'system' ? <QueuePaper printer={printer} index={index} /> : null}
        <FormField {...bound('copies')} label={t('printersTab.copies')} numeric="whole" />
      </div>
      <div>
        <Button
          variant="subtle"
          leftSection={<Chevron size={20} aria-hidden />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {t('printersTab.fineTuning')}
        </Button>
      </div>
      {isOpen ? <FineTuning {...part} /> : null}
    </>
  )
}

/** The stock size: a common preset, or custom. */
export function StockSize({ printer, index }: StockedPartProps) {
  const { t } = useTranslation()
  const { form } = useTab('printers')
  const bound = usePrinterField(index)
  const boundSide = (side: keyof Stock) => {
    const field = bound(`stock.${side}`)
    const onChange = (text: string) => {
      field.onChange(text)
      // As with a preset: a paper of the previous size would be printed on unasked.
      if (hasPaperOfStock(printer)) form.setFieldValue(`printers.${index}.paper`, '')
    }
    return { ...field, onChange }
  }
  return (
    <>
      <ChoiceSelect
        label={t('printersTab.stock')}
        value={printer.preset}
        choices={toChoices({
          '100x150': t('printersTab.stock100x150'),
          '102x152': t('printersTab.stock102x152'),
          a6: t('printersTab.stockA6'),
          '102x203': t('printersTab.stock102x203'),
          '59x191': t('printersTab.stock59x191'),
          a5: t('printersTab.stockA5'),
          a4: t('printersTab.stockA4'),
          custom: t('printersTab.stockCustom'),
        })}
        onChange={(preset) => form.replaceListItem('printers', index, withStock(printer, preset))}
      />
      {printer.preset === 'custom' ? (
        <>
          <FormField {...boundSide('widthMm')} label={t('printersTab.widthMm')} numeric="decimal" />
          <FormField {...boundSide('heightMm')} label={t('printersTab.heightMm')} numeric="decimal" />
        </>
      ) : null}
    </>
  )
}

/**
 * The paper name of a driver. Usually it is found by size; a person sets it if the driver's papers can't be
 * recognised.
 */
function QueuePaper({ printer, index }: PrinterPartProps<SystemRow>) {
  const { t } = useTranslation()
  const bound = usePrinterField(index)
  const { data: queues = [] } = useBridgeQuery('listSystemQueues', undefined)
  const offered = queues.find(({ queue }) => queue === printer.queue)?.media ?? []
  // A configured name that is not offered now must not change into another one.
  const names =
    printer.paper === '' || offered.includes(printer.paper) ? offered : [printer.paper, ...offered]
  return (
    <FormSelect
      {...bound('paper')}
      label={t('printersTab.paper')}
      description={t('printersTab.paperHint')}
      data={[
        { value: '', label: t('printersTab.paperBySize') },
        ...names.map((name) => ({ value: name, label: name })),
      ]}
    />
  )
}

/** The layout on the stock, the printer's settings for it, and sheets of labels. */
function FineTuning({ printer, index }: StockedPartProps) {
  const { t } = useTranslation()
  const bound = usePrinterField(index)
  return (
    <>
      <Group title={t('printersTab.groupPlacement')}>
        <FormSelect
          {...bound('rotate')}
          label={t('printersTab.rotate')}
          data={['0', '90', '180', '270'].map((degrees) => ({
            value: degrees,
            label: t('printersTab.rotateValue', { degrees }),
          }))}
        />
        <FormField {...bound('offsetMm.x')} label={t('printersTab.offsetX')} numeric="decimal" />
        <FormField {...bound('offsetMm.y')} label={t('printersTab.offsetY')} numeric="decimal" />
        {printer.copies.trim() === '1' ? null : (
          <FormSelect
            {...bound('collate')}
            label={t('printerProfile.collate')}
            description={t('printerProfile.collateHint')}
            data={toChoices({ together: '1, 2, 1, 2', each: '1, 1, 2, 2' })}
          />
        )}
      </Group>
      <Group title={t('printersTab.groupPrinting')}>
        {printer.driver === 'system' ? (
          <FormSelect
            {...bound('dpi')}
            label={t('printersTab.dpi')}
            data={[
              { value: '', label: t('printerProfile.asQueue') },
              ...printHeads.map((dpi) => ({ value: String(dpi), label: dpiText(t, dpi) })),
            ]}
          />
        ) : null}
        {isLabelPrinter(printer) ? (
          <LabelPrinterFields printer={printer} index={index} />
        ) : (
          <>
            <Darkness index={index} />
            <Speed printer={printer} index={index} />
          </>
        )}
      </Group>
      {printer.driver === 'system' ? <SheetFields printer={printer} index={index} /> : null}
    </>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Fieldset legend={title} className={styles.fineGroup}>
      <div className={styles.grid}>{children}</div>
    </Fieldset>
  )
}

/** Settings that the app sends to a label printer with each label; empty ones stay as set at the printer. */
function LabelPrinterFields({ printer, index }: StockedPartProps) {
  const { t } = useTranslation()
  const bound = usePrinterField(index)
  const asSet = { value: '', label: t('printerProfile.asSet') }
  return (
    <>
      <FormSelect
        {...bound('stockTracking')}
        label={t('printerProfile.stockTracking')}
        data={[
          asSet,
          ...stockTrackings.map((kind) => ({ value: kind, label: t(`printerProfile.tracking.${kind}`) })),
        ]}
      />
      {printer.language === 'epl2' ? null : (
        <FormSelect
          {...bound('printMode')}
          label={t('printerProfile.printMode')}
          data={[
            asSet,
            ...printModes.map((mode) => ({ value: mode, label: t(`printerProfile.mode.${mode}`) })),
          ]}
        />
      )}
      <Darkness index={index} />
      {hasDarknessChange(printer) ? (
        <FormField
          {...bound('darknessChange')}
          label={t('printerProfile.darknessChange')}
          hint={t('printerProfile.darknessChangeHint')}
          inputMode="text"
        />
      ) : null}
      <Speed printer={printer} index={index} />
      <FormSelect
        {...bound('greys')}
        label={t('printerTools.greys')}
        data={toChoices({ threshold: t('printerTools.threshold'), dither: t('printerTools.dither') })}
      />
    </>
  )
}

const sheetMeasures = [
  { label: 'sheetWidth', path: 'sheet.widthMm' },
  { label: 'sheetHeight', path: 'sheet.heightMm' },
  { label: 'sheetMarginX', path: 'sheet.marginMm.x' },
  { label: 'sheetMarginY', path: 'sheet.marginMm.y' },
  { label: 'sheetGapX', path: 'sheet.gapMm.x' },
  { label: 'sheetGapY', path: 'sheet.gapMm.y' },
] as const

/** The layout of a sheet of labels; only the first two fields while there is none. */
function SheetFields({ printer, index }: PrinterPartProps<SystemRow>) {
  const { t } = useTranslation()
  const bound = usePrinterField(index)
  return (
    <Group title={t('printersTab.groupSheet')}>
      <FormField
        {...bound('sheet.columns')}
        label={t('printerProfile.sheetColumns')}
        hint={t('printerProfile.noSheet')}
        numeric="whole"
      />
      <FormField
        {...bound('sheet.rows')}
        label={t('printerProfile.sheetRows')}
        hint={t('printerProfile.noSheet')}
        numeric="whole"
      />
      {hasSheet(printer)
        ? sheetMeasures.map(({ label, path }) => (
            <FormField key={path} {...bound(path)} label={t(`printerProfile.${label}`)} numeric="decimal" />
          ))
        : null}
    </Group>
  )
}

function Darkness({ index }: { index: number }) {
  const { t } = useTranslation()
  const bound = usePrinterField(index)
  return (
    <FormField
      {...bound('darkness')}
      label={t('printersTab.darkness')}
      hint={t('printersTab.darknessHint')}
      numeric="whole"
    />
  )
}

function Speed({ printer, index }: StockedPartProps) {
  const { t } = useTranslation()
  const bound = usePrinterField(index)
  const isEpl2 = printer.language === 'epl2'
  return (
    <FormField
      {...bound('speed')}
      label={isEpl2 ? t('printerProfile.speedEpl2') : t('printerTools.speed')}
      hint={isEpl2 ? t('printerProfile.speedEpl2Hint') : t('printersTab.darknessHint')}
      numeric="whole"
    />
  )
}
