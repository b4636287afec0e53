import { Button, NativeSelect } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { usePrinterChoices } from '../../app/storesContext'
import { TextField } from '../../ui/TextField'
import { ProfileFields, QueueProfileFields } from './ProfileFields'
import type { PrinterPartProps } from './printerPart'
import { type PrinterRow, withStock } from './printersForm'
import styles from './settings.module.css'
import { customStock, isStockPreset, stockPresets } from './stockPresets'

/** The parts of a printer that lie under the fold. */
const finePaths = [
  ...['rotate', 'offsetMm', 'collate', 'dpi', 'sheet', 'stockTracking', 'printMode'],
  ...['darkness', 'darknessChange', 'speed', 'greys'],
]

/** The label material in a printer, and under a fold how the picture lies on it. */
export function StockFields(part: PrinterPartProps) {
  const { t } = useTranslation()
  const [unfolded, setUnfolded] = useState(false)
  const { printer, set, fault, isFaulty } = part
  // What keeps the tab from being saved must be seen.
  const fine = unfolded || isFaulty(finePaths)
  const Chevron = fine ? IconChevronDown : IconChevronRight
  return (
    <>
      <div className={styles.grid}>
        <StockSize {...part} />
        {printer.driver === 'system' ? <QueuePaper {...part} /> : null}
        <TextField
          label={t('printersTab.copies')}
          value={printer.copies}
          onChange={(copies) => set({ copies })}
          fault={fault('copies', t('printersTab.copies'))}
          inputMode="numeric"
        />
      </div>
      <div>
        <Button
          variant="subtle"
          leftSection={<Chevron size={20} aria-hidden />}
          aria-expanded={fine}
          onClick={() => setUnfolded(!fine)}
        >
          {t('printersTab.fineTuning')}
        </Button>
      </div>
      {fine ? <FineTuning {...part} /> : null}
    </>
  )
}

function StockSize({ printer, set, fault }: PrinterPartProps) {
  const { t } = useTranslation()
  const words = {
    '100x150': t('printersTab.stock100x150'),
    '102x152': t('printersTab.stock102x152'),
    a6: t('printersTab.stockA6'),
    '102x203': t('printersTab.stock102x203'),
    '59x191': t('printersTab.stock59x191'),
    a5: t('printersTab.stockA5'),
    a4: t('printersTab.stockA4'),
    custom: t('printersTab.stockCustom'),
  }
  return (
    <>
      <NativeSelect
        label={t('printersTab.stock')}
        value={printer.stock}
        onChange={(event) => {
          const chosen = event.currentTarget.value
          if (isStockPreset(chosen)) set(withStock(printer, chosen))
        }}
        data={stockPresets.map((preset) => ({ value: preset, label: words[preset] }))}
      />
      {printer.stock === customStock ? (
        <>
          <TextField
            label={t('printersTab.widthMm')}
            value={printer.widthMm}
            onChange={(widthMm) => set({ widthMm })}
            fault={fault('stock.widthMm', t('printersTab.widthMm'))}
            inputMode="decimal"
          />
          <TextField
            label={t('printersTab.heightMm')}
            value={printer.heightMm}
            onChange={(heightMm) => set({ heightMm })}
            fault={fault('stock.heightMm', t('printersTab.heightMm'))}
            inputMode="decimal"
          />
        </>
      ) : null}
    </>
  )
}

/** Found by the size as a rule; a person names it where a driver's papers can't be recognised. */
function QueuePaper({ printer, set, fault }: PrinterPartProps) {
  const { t } = useTranslation()
  const queues = usePrinterChoices((state) => state.queues)
  const offered = queues.find(({ queue }) => queue === printer.queue)?.media ?? []
  // A name that is set and not offered now must not turn into another one.
  const names =
    printer.paper === '' || offered.includes(printer.paper) ? offered : [printer.paper, ...offered]
  return (
    <NativeSelect
      label={t('printersTab.paper')}
      description={t('printersTab.paperHint')}
      value={printer.paper}
      onChange={(event) => set({ paper: event.currentTarget.value })}
      data={[
        { value: '', label: t('printersTab.paperBySize') },
        ...names.map((name) => ({ value: name, label: name })),
      ]}
      error={fault('paper', t('printersTab.paper'))}
    />
  )
}

const tuned: { field: 'offsetX' | 'offsetY'; path: string }[] = [
  { field: 'offsetX', path: 'offsetMm.x' },
  { field: 'offsetY', path: 'offsetMm.y' },
]

function FineTuning(part: PrinterPartProps) {
  const { printer, set, fault } = part
  const { t } = useTranslation()
  return (
    <div className={styles.grid}>
      <NativeSelect
        label={t('printersTab.rotate')}
        value={printer.rotate}
        onChange={(event) => set({ rotate: event.currentTarget.value })}
        data={['0', '90', '180', '270'].map((degrees) => ({
          value: degrees,
          label: t('printersTab.rotateValue', { degrees }),
        }))}
      />
      {tuned.map(({ field, path }) => (
        <TextField
          key={field}
          label={t(`printersTab.${field}`)}
          value={printer[field]}
          onChange={(text) => set(offsetChange(field, text))}
          fault={fault(path, t(`printersTab.${field}`))}
          inputMode="decimal"
        />
      ))}
      {printer.copies.trim() === '1' ? null : (
        <NativeSelect
          label={t('printerProfile.collate')}
          description={t('printerProfile.collateHint')}
          value={printer.collate ? 'together' : 'each'}
          onChange={(event) => set({ collate: event.currentTarget.value === 'together' })}
          data={[
            { value: 'together', label: '1, 2, 1, 2' },
            { value: 'each', label: '1, 1, 2, 2' },
          ]}
        />
      )}
      {printer.driver === 'socket' ? <ProfileFields {...part} /> : <QueueProfileFields {...part} />}
    </div>
  )
}

function offsetChange(field: 'offsetX' | 'offsetY', text: string): Partial<PrinterRow> {
  return field === 'offsetX' ? { offsetX: text } : { offsetY: text }
}
