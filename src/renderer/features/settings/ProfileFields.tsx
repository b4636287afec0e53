import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { printHeads, printModes, stockTrackings } from '../../../shared/printing'
import { dpiText } from '../../locales/printerText'
import { TextField } from '../../ui/TextField'
import type { PrinterPartProps } from './printerPart'

/** What a label printer is set to for each label; what is left empty stays as it is set at the printer. */
export function ProfileFields(part: PrinterPartProps) {
  const { printer, set, fault } = part
  const { t } = useTranslation()
  const asSet = { value: '', label: t('printerProfile.asSet') }
  return (
    <>
      <NativeSelect
        label={t('printerProfile.stockTracking')}
        value={printer.stockTracking}
        onChange={(event) => set({ stockTracking: event.currentTarget.value })}
        data={[
          asSet,
          ...stockTrackings.map((kind) => ({ value: kind, label: t(`printerProfile.tracking.${kind}`) })),
        ]}
      />
      {printer.language === 'epl2' ? null : (
        <NativeSelect
          label={t('printerProfile.printMode')}
          value={printer.printMode}
          onChange={(event) => set({ printMode: event.currentTarget.value })}
          data={[
            asSet,
            ...printModes.map((mode) => ({ value: mode, label: t(`printerProfile.mode.${mode}`) })),
          ]}
        />
      )}
      <Darkness {...part} />
      {printer.language === 'zpl' ? (
        <TextField
          label={t('printerProfile.darknessChange')}
          hint={t('printerProfile.darknessChangeHint')}
          value={printer.darknessChange}
          onChange={(darknessChange) => set({ darknessChange })}
          fault={fault('darknessChange', t('printerProfile.darknessChange'))}
          inputMode="text"
        />
      ) : null}
      <Speed {...part} />
      <NativeSelect
        label={t('printerTools.greys')}
        value={printer.greys}
        onChange={(event) => set({ greys: event.currentTarget.value })}
        data={[
          { value: 'threshold', label: t('printerTools.threshold') },
          { value: 'dither', label: t('printerTools.dither') },
        ]}
      />
    </>
  )
}

/** The part of it that queues of the system have, too. */
export function QueueProfileFields(part: PrinterPartProps) {
  const { t } = useTranslation()
  return (
    <>
      <NativeSelect
        label={t('printersTab.dpi')}
        value={part.printer.dpi}
        onChange={(event) => part.set({ dpi: event.currentTarget.value })}
        data={[
          { value: '', label: t('printerProfile.asQueue') },
          ...printHeads.map((dpi) => ({ value: String(dpi), label: dpiText(t, dpi) })),
        ]}
      />
      <Darkness {...part} />
      <Speed {...part} />
      <SheetFields {...part} />
    </>
  )
}

const sheetSizes = [
  { field: 'sheetWidth', path: 'sheet.widthMm' },
  { field: 'sheetHeight', path: 'sheet.heightMm' },
  { field: 'sheetMarginX', path: 'sheet.marginMm.x' },
  { field: 'sheetMarginY', path: 'sheet.marginMm.y' },
  { field: 'sheetGapX', path: 'sheet.gapMm.x' },
  { field: 'sheetGapY', path: 'sheet.gapMm.y' },
] as const

/** How labels lie on a sheet of labels; nothing but the first two fields while there are none. */
function SheetFields({ printer, set, fault }: PrinterPartProps) {
  const { t } = useTranslation()
  const hasSheet = printer.sheetColumns.trim() !== '' || printer.sheetRows.trim() !== ''
  return (
    <>
      <TextField
        label={t('printerProfile.sheetColumns')}
        hint={t('printerProfile.noSheet')}
        value={printer.sheetColumns}
        onChange={(sheetColumns) => set({ sheetColumns })}
        fault={fault('sheet.columns', t('printerProfile.sheetColumns'))}
        inputMode="numeric"
      />
      <TextField
        label={t('printerProfile.sheetRows')}
        hint={t('printerProfile.noSheet')}
        value={printer.sheetRows}
        onChange={(sheetRows) => set({ sheetRows })}
        fault={fault('sheet.rows', t('printerProfile.sheetRows'))}
        inputMode="numeric"
      />
      {hasSheet
        ? sheetSizes.map(({ field, path }) => (
            <TextField
              key={field}
              label={t(`printerProfile.${field}`)}
              value={printer[field]}
              onChange={(text) => set({ [field]: text })}
              fault={fault(path, t(`printerProfile.${field}`))}
              inputMode="decimal"
            />
          ))
        : null}
    </>
  )
}

function Darkness({ printer, set, fault }: PrinterPartProps) {
  const { t } = useTranslation()
  return (
    <TextField
      label={t('printersTab.darkness')}
      hint={t('printersTab.darknessHint')}
      value={printer.darkness}
      onChange={(darkness) => set({ darkness })}
      fault={fault('darkness', t('printersTab.darkness'))}
      inputMode="numeric"
    />
  )
}

function Speed({ printer, set, fault }: PrinterPartProps) {
  const { t } = useTranslation()
  const isEpl2 = printer.language === 'epl2'
  const label = isEpl2 ? t('printerProfile.speedEpl2') : t('printerTools.speed')
  return (
    <TextField
      label={label}
      hint={isEpl2 ? t('printerProfile.speedEpl2Hint') : t('printerTools.speedHint')}
      value={printer.speed}
      onChange={(speed) => set({ speed })}
      fault={fault('speed', label)}
      inputMode="numeric"
    />
  )
}
