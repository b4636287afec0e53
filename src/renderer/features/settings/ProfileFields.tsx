import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { printModes, stockTrackings } from '../../../shared/printing'
import { TextField } from '../../components/TextField'
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
  return (
    <>
      <Darkness {...part} />
      <Speed {...part} />
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
  return (
    <TextField
      label={t('printerTools.speed')}
      hint={t('printerTools.speedHint')}
      value={printer.speed}
      onChange={(speed) => set({ speed })}
      fault={fault('speed', t('printerTools.speed'))}
      inputMode="numeric"
    />
  )
}
