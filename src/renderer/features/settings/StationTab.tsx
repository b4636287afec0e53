import { Button, Checkbox, NativeSelect, Switch } from '@mantine/core'
import { IconFolderOpen } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { proveBarcodesSchema } from '../../../shared/labels'
import { usePrinterChoices, useStores } from '../../app/storesContext'
import { Callout } from '../../ui/Callout'
import { Panel } from '../../ui/Panel'
import { TextField } from '../../ui/TextField'
import { useFaultText } from '../../ui/useFaultText'
import { SaveBar } from './SaveBar'
import { ScanRulesEditor } from './ScanRulesEditor'
import styles from './settings.module.css'
import type { StationValues } from './stationForm'

interface PartProps {
  values: StationValues
  set: (change: Partial<StationValues>) => void
}

/** The station itself: language and looks, how labels arrive, hot folder, waits and safety. */
export function StationTab() {
  const { tabs } = useStores()
  const values = useStore(tabs.station, (state) => state.values)
  const edit = useStore(tabs.station, (state) => state.edit)
  if (!values) return null
  const set = (change: Partial<StationValues>) => edit((before) => ({ ...before, ...change }))
  return (
    <div className={styles.wide}>
      <Look values={values} set={set} />
      <Shipping values={values} set={set} />
      <Barcodes values={values} set={set} />
      <Scanning values={values} set={set} />
      <Safety values={values} set={set} />
      <SaveBar store={tabs.station} />
    </div>
  )
}

function useStationFault() {
  const { tabs } = useStores()
  const faults = useStore(tabs.station, (state) => state.faults)
  const faultText = useFaultText()
  return (path: string, label: string) => faultText(faults[path], label)
}

function Look({ values, set }: PartProps) {
  const { t } = useTranslation()
  return (
    <Panel title={t('stationTab.groupLook')}>
      <div className={styles.grid}>
        <NativeSelect
          label={t('stationTab.language')}
          value={values.language}
          onChange={(event) => set({ language: event.currentTarget.value })}
          data={[
            { value: 'en', label: 'English' },
            { value: 'nl', label: 'Nederlands' },
          ]}
        />
        <NativeSelect
          label={t('stationTab.appearance')}
          value={values.appearance}
          onChange={(event) => set({ appearance: event.currentTarget.value })}
          data={[
            { value: 'system', label: t('stationTab.appearanceSystem') },
            { value: 'light', label: t('stationTab.appearanceLight') },
            { value: 'dark', label: t('stationTab.appearanceDark') },
          ]}
        />
      </div>
    </Panel>
  )
}

function Shipping({ values, set }: PartProps) {
  const { t } = useTranslation()
  const fault = useStationFault()
  const { tabs } = useStores()
  const labelHostsFault = useStore(tabs.station, ({ faults }) =>
    Object.keys(faults).some((path) => path.startsWith('labelHosts')),
  )
    ? t('stationTab.labelHostsFault')
    : undefined
  return (
    <Panel title={t('stationTab.groupShipping')}>
      <div className={styles.grid}>
        <NativeSelect
          label={t('stationTab.labelDelivery')}
          value={values.labelDelivery}
          onChange={(event) => set({ labelDelivery: event.currentTarget.value })}
          data={[
            { value: 'in-answer', label: t('stationTab.inAnswer') },
            { value: 'by-url', label: t('stationTab.byUrl') },
          ]}
        />
        <TextField
          label={t('stationTab.connectTimeout')}
          value={values.connectTimeout}
          onChange={(connectTimeout) => set({ connectTimeout })}
          fault={fault('connectTimeout', t('stationTab.connectTimeout'))}
          inputMode="decimal"
        />
        <TextField
          label={t('stationTab.answerTimeout')}
          value={values.answerTimeout}
          onChange={(answerTimeout) => set({ answerTimeout })}
          fault={fault('answerTimeout', t('stationTab.answerTimeout'))}
          inputMode="decimal"
        />
        <TextField
          label={t('stationTab.retentionDays')}
          value={values.retentionDays}
          onChange={(retentionDays) => set({ retentionDays })}
          fault={fault('retentionDays', t('stationTab.retentionDays'))}
          inputMode="numeric"
        />
        <TextField
          label={t('stationTab.guardDays')}
          value={values.guardDays}
          onChange={(guardDays) => set({ guardDays })}
          fault={fault('guardDays', t('stationTab.guardDays'))}
          inputMode="numeric"
        />
        {values.labelDelivery === 'by-url' ? (
          <TextField
            label={t('stationTab.labelHosts')}
            hint={t('stationTab.labelHostsHint')}
            value={values.labelHosts}
            onChange={(labelHosts) => set({ labelHosts })}
            fault={labelHostsFault}
          />
        ) : null}
      </div>
      <div className={styles.checks}>
        <Switch
          label={t('stationTab.hotFolder')}
          description={t('stationTab.hotFolderHint')}
          checked={values.hotFolder}
          onChange={(event) => set({ hotFolder: event.currentTarget.checked })}
        />
      </div>
      {values.hotFolder ? <HotFolder values={values} set={set} /> : null}
    </Panel>
  )
}

function Barcodes({ values, set }: PartProps) {
  const { t } = useTranslation()
  return (
    <Panel title={t('barcodes.group')}>
      <NativeSelect
        label={t('barcodes.setting')}
        description={t('barcodes.settingHint')}
        value={values.proveBarcodes}
        onChange={(event) => set({ proveBarcodes: event.currentTarget.value })}
        data={proveBarcodesSchema.options.map((value) => ({ value, label: t(`barcodes.choices.${value}`) }))}
      />
    </Panel>
  )
}

function Scanning({ values, set }: PartProps) {
  const { t } = useTranslation()
  const { on, rules } = values.scanBack
  return (
    <Panel title={t('scanRules.group')}>
      <div className={styles.checks}>
        <Switch
          label={t('scan.setting')}
          description={t('scan.settingHint')}
          checked={values.scanBack.on}
          onChange={(event) => set({ scanBack: { ...values.scanBack, on: event.currentTarget.checked } })}
        />
      </div>
      {on || rules.length > 0 ? <ScanRulesEditor /> : null}
    </Panel>
  )
}

function HotFolder({ values, set }: PartProps) {
  const { t } = useTranslation()
  const fault = useStationFault()
  const chooseFolder = usePrinterChoices((state) => state.chooseFolder)
  const choose = async () => {
    const hotFolderPath = await chooseFolder()
    if (hotFolderPath !== null) set({ hotFolderPath })
  }
  return (
    <div className={styles.editor}>
      <div className={styles.pathRow}>
        <TextField
          label={t('stationTab.hotFolderPath')}
          hint={t('printersTab.pathHint')}
          value={values.hotFolderPath}
          onChange={(hotFolderPath) => set({ hotFolderPath })}
          fault={fault('hotFolder.path', t('stationTab.hotFolderPath'))}
        />
        <Button
          variant="default"
          leftSection={<IconFolderOpen size={20} aria-hidden />}
          onClick={() => void choose()}
        >
          {t('printersTab.chooseFolder')}
        </Button>
      </div>
      <Checkbox
        label={t('stationTab.hotFolderPrint')}
        checked={values.hotFolderPrint}
        onChange={(event) => set({ hotFolderPrint: event.currentTarget.checked })}
      />
    </div>
  )
}

function Safety({ values, set }: PartProps) {
  const { t } = useTranslation()
  return (
    <Panel title={t('stationTab.groupSafety')}>
      <div className={styles.checks}>
        <Switch
          label={t('stationTab.allowWeakStorage')}
          checked={values.allowWeakStorage}
          onChange={(event) => set({ allowWeakStorage: event.currentTarget.checked })}
        />
        <Switch
          label={t('stationTab.manifestLockAgreed')}
          checked={values.manifestLockAgreed}
          onChange={(event) => set({ manifestLockAgreed: event.currentTarget.checked })}
        />
      </div>
      <Callout tone={values.allowWeakStorage ? 'attention' : 'info'}>
        {t('stationTab.allowWeakStorageWarning')}
      </Callout>
    </Panel>
  )
}
