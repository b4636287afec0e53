import { Button, Checkbox, Group, Stack, Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { proveBarcodesSchema } from '../../../shared/labels'
import { arePrefixesAlike } from '../../../shared/scanner'
import { doFoldersMeet } from '../../../shared/settings'
import { useSettings } from '../../bridge'
import { Callout } from '../../ui/Callout'
import { listOptionChoices } from '../../ui/carrierOptions'
import { FormField, FormSelect, languageChoices, toChoices } from '../../ui/FormField'
import { useNavigation } from '../../ui/navigation'
import { Panel } from '../../ui/Panel'
import { RestoreStation } from '../../ui/RestoreStation'
import { AddButton, RemoveButton } from '../../ui/RowButtons'
import { SaveDiagnostics } from '../../ui/SaveDiagnostics'
import { useRowFocus } from '../../ui/useRowFocus'
import { CommandSheet } from './CommandSheet'
import { ConsigneesPanel } from './ConsigneesPanel'
import { FolderField } from './FolderField'
import { newScanRule, type ScanRuleRow } from './form'
import { ScalePanel } from './ScalePanel'
import styles from './settings.module.css'
import { SaveBar, useTab } from './tabForm'
import { UpdatesPanel } from './UpdatesPanel'

/** Settings of the station itself: language and appearance, label delivery, hot folder, time-outs and safety. */
export function StationTab() {
  return (
    <div className={styles.wide}>
      <Look />
      <Shipping />
      <Backup />
      <Barcodes />
      <Scanning />
      <ConsigneesPanel />
      <ScannerFields />
      <ScalePanel />
      <Safety />
      <SetupAgain />
      <UpdatesPanel />
      <Diagnostics />
      <SaveBar tab={useTab('station')} />
    </div>
  )
}

function SetupAgain() {
  const { t } = useTranslation()
  const goToSetup = useNavigation((state) => state.goToSetup)
  return (
    <Panel title={t('setup.again')}>
      <p>{t('setup.againHint')}</p>
      <Group align="stretch" gap={10}>
        <Button variant="default" onClick={() => goToSetup('language')}>
          {t('setup.again')}
        </Button>
      </Group>
    </Panel>
  )
}

function Diagnostics() {
  const { t } = useTranslation()
  return (
    <Panel title={t('stationTab.groupDiagnostics')}>
      <p>{t('stationTab.diagnosticsHint')}</p>
      <Group align="stretch" gap={10}>
        <SaveDiagnostics />
      </Group>
    </Panel>
  )
}

function Look() {
  const { t } = useTranslation()
  const { form } = useTab('station')
  return (
    <Panel title={t('stationTab.groupLook')}>
      <div className={styles.grid}>
        <FormSelect
          {...form.getInputProps('language')}
          label={t('stationTab.language')}
          data={languageChoices}
        />
        <FormSelect
          {...form.getInputProps('appearance')}
          label={t('stationTab.appearance')}
          data={toChoices({
            system: t('stationTab.appearanceSystem'),
            light: t('stationTab.appearanceLight'),
            dark: t('stationTab.appearanceDark'),
          })}
        />
        <FormSelect
          {...form.getInputProps('startWithComputer')}
          label={t('stationTab.startWithComputer')}
          data={toChoices({
            off: t('stationTab.startOff'),
            window: t('stationTab.startWindow'),
            hidden: t('stationTab.startHidden'),
          })}
        />
      </div>
    </Panel>
  )
}

function Shipping() {
  const { t } = useTranslation()
  const { form } = useTab('station')
  const { labelDelivery, hotFolder, orderImport } = form.values
  const mappings = (useSettings()?.importMappings ?? []).map(({ name }) => name)
  const numberField = (path: string, label: string, numeric: 'whole' | 'decimal') => (
    <FormField {...form.getInputProps(path)} label={label} numeric={numeric} />
  )
  return (
    <Panel title={t('stationTab.groupShipping')}>
      <div className={styles.grid}>
        <FormSelect
          {...form.getInputProps('labelDelivery')}
          label={t('stationTab.labelDelivery')}
          data={toChoices({ 'in-answer': t('stationTab.inAnswer'), 'by-url': t('stationTab.byUrl') })}
        />
        {numberField('network.connectTimeoutMs', t('stationTab.connectTimeout'), 'decimal')}
        {numberField('network.answerTimeoutMs', t('stationTab.answerTimeout'), 'decimal')}
        {numberField('retentionDays', t('stationTab.retentionDays'), 'whole')}
        {numberField('batch.parallelCreations', t('batch.parallelCreations'), 'whole')}
        <FormSelect
          {...form.getInputProps('combineOrders')}
          label={t('combine.setting')}
          data={toChoices({ ask: t('combine.ask'), never: t('combine.never') })}
        />
        {numberField('guardDays', t('stationTab.guardDays'), 'whole')}
        {labelDelivery === 'by-url' ? (
          <FormField
            {...form.getInputProps('labelHosts')}
            label={t('stationTab.labelHosts')}
            hint={t('stationTab.labelHostsHint')}
            errorText={t('stationTab.labelHostsIssue')}
          />
        ) : null}
      </div>
      <div className={styles.checks}>
        <Switch
          {...form.getInputProps('hotFolder.on', { type: 'checkbox' })}
          label={t('stationTab.hotFolder')}
          description={t('stationTab.hotFolderHint')}
        />
      </div>
      {hotFolder.on ? (
        <Stack gap={12}>
          <FolderField {...form.getInputProps('hotFolder.path')} label={t('stationTab.hotFolderPath')} />
          <FormSelect
            {...form.getInputProps('hotFolder.mode')}
            label={t('stationTab.hotFolderMode')}
            data={toChoices({ ship: t('stationTab.hotFolderShip'), hold: t('stationTab.hotFolderHold') })}
          />
          <FormSelect
            {...form.getInputProps('hotFolder.mapping')}
            label={t('stationTab.hotFolderMapping')}
            description={t('stationTab.hotFolderMappingHint')}
            data={[{ value: '', label: t('stationTab.hotFolderNoMapping') }, ...mappings]}
          />
          <Checkbox
            {...form.getInputProps('hotFolder.print', { type: 'checkbox' })}
            label={t('stationTab.hotFolderPrint')}
          />
          <Checkbox
            {...form.getInputProps('hotFolder.shared', { type: 'checkbox' })}
            label={t('stationTab.hotFolderShared')}
            description={t('stationTab.hotFolderSharedHint')}
          />
        </Stack>
      ) : null}
      <div className={styles.checks}>
        <Switch
          {...form.getInputProps('orderImport.on', { type: 'checkbox' })}
          label={t('stationTab.orderImport')}
          description={t('stationTab.orderImportHint')}
        />
      </div>
      {orderImport.on ? (
        <Stack gap={12}>
          <FolderField
            {...form.getInputProps('orderImport.path')}
            label={t('stationTab.orderImportPath')}
            errorText={
              doFoldersMeet({ hotFolder: hotFolder.on ? hotFolder : null, orderImport })
                ? t('stationTab.foldersMeet')
                : undefined
            }
          />
          <FormSelect
            {...form.getInputProps('orderImport.onDuplicate')}
            label={t('stationTab.orderImportDuplicates')}
            data={toChoices({ skip: t('orders.duplicateSkip'), update: t('orders.duplicateUpdate') })}
          />
        </Stack>
      ) : null}
    </Panel>
  )
}

function Backup() {
  const { t } = useTranslation()
  const { form } = useTab('station')
  return (
    <Panel title={t('stationTab.backup')}>
      <p className="pb-soft">{t('stationTab.backupHint')}</p>
      <Stack gap={12}>
        <FolderField {...form.getInputProps('backup.folder')} label={t('stationTab.backupFolder')} />
        <div className={styles.grid}>
          <FormField
            {...form.getInputProps('backup.keep')}
            label={t('stationTab.backupKeep')}
            numeric="whole"
          />
        </div>
      </Stack>
      <Group align="stretch" gap={10}>
        <RestoreStation />
      </Group>
    </Panel>
  )
}

function Barcodes() {
  const { t } = useTranslation()
  const { form } = useTab('station')
  return (
    <Panel title={t('barcodes.group')}>
      <FormSelect
        {...form.getInputProps('proveBarcodes')}
        label={t('barcodes.setting')}
        description={t('barcodes.settingHint')}
        data={proveBarcodesSchema.options.map((value) => ({ value, label: t(`barcodes.choices.${value}`) }))}
      />
    </Panel>
  )
}

function Scanning() {
  const { t } = useTranslation()
  const { form } = useTab('station')
  const { on, rules } = form.values.scanBack
  return (
    <Panel title={t('scanRules.group')}>
      <div className={styles.checks}>
        <Switch
          {...form.getInputProps('scanBack.on', { type: 'checkbox' })}
          label={t('scan.setting')}
          description={t('scan.settingHint')}
        />
        {on ? (
          <Switch
            {...form.getInputProps('scanBack.required', { type: 'checkbox' })}
            label={t('scan.requiredSetting')}
            description={t('scan.requiredHint')}
          />
        ) : null}
      </div>
      {on || rules.length > 0 ? <ScanRules /> : null}
    </Panel>
  )
}

function ScannerFields() {
  const { t } = useTranslation()
  const { form } = useTab('station')
  const { commands = true, commandPrefix = '', badgePrefix = '' } = form.values.scanner
  const field = (name: 'prefix' | 'suffix' | 'commandPrefix' | 'badgePrefix') => (
    <FormField
      {...form.getInputProps(`scanner.${name}`)}
      label={t(`scanner.${name}`)}
      hint={name === 'prefix' || name === 'commandPrefix' ? t(`scanner.${name}Hint`) : undefined}
      errorText={t(
        name === 'badgePrefix' && arePrefixesAlike({ commands, commandPrefix, badgePrefix })
          ? 'scanner.prefixesAlike'
          : 'scanner.affixIssue',
      )}
      maxLength={20}
    />
  )
  return (
    <Panel title={t('scanner.group')}>
      <p className="pb-soft">{t('scanner.intro')}</p>
      <div className={styles.grid}>
        {field('prefix')}
        {field('suffix')}
        <FormField {...form.getInputProps('scanner.maxGapMs')} label={t('scanner.maxGap')} numeric="whole" />
        <FormField
          {...form.getInputProps('scanner.minLength')}
          label={t('scanner.minLength')}
          numeric="whole"
        />
        {commands ? field('commandPrefix') : null}
        {field('badgePrefix')}
      </div>
      <div className={styles.checks}>
        <Switch
          {...form.getInputProps('scanner.printOnScan', { type: 'checkbox' })}
          label={t('scanner.printOnScan')}
          description={t('scanner.printOnScanHint')}
        />
      </div>
      <div className={styles.checks}>
        <Switch
          {...form.getInputProps('scanner.commands', { type: 'checkbox' })}
          label={t('scanner.commandsOn')}
          description={t('scanner.commandsOnHint')}
        />
      </div>
      {commands ? <CommandSheet /> : null}
    </Panel>
  )
}

/** How scans are compared for carrier options whose labels show a different code than the service returns. */
function ScanRules() {
  const { t } = useTranslation()
  const { form } = useTab('station')
  const { rules } = form.values.scanBack
  const carriers = useSettings((settings) => settings.carriers) ?? []
  const taken = new Set(rules.map((row) => row.carrierOptionId))
  const free = carriers.find((option) => !taken.has(String(option.carrierOptionId)))
  const holder = useRowFocus<HTMLElement>(rules.map(({ key }) => key))
  return (
    <section aria-label={t('scanRules.title')} ref={holder}>
      <p className="pb-soft">{t(carriers.length === 0 ? 'scanRules.noCarriers' : 'scanRules.intro')}</p>
      {rules.map((row, index) => (
        <RuleLine key={row.key} row={row} index={index} />
      ))}
      {free ? (
        <div className={styles.addRule}>
          <AddButton
            onClick={() => form.insertListItem('scanBack.rules', newScanRule(String(free.carrierOptionId)))}
          >
            {t('scanRules.add')}
          </AddButton>
        </div>
      ) : null}
    </section>
  )
}

function RuleLine({ row, index }: { row: ScanRuleRow; index: number }) {
  const { t } = useTranslation()
  const { form } = useTab('station')
  const carriers = useSettings((settings) => settings.carriers) ?? []
  const path = `scanBack.rules.${index}`
  const number = { row: index + 1 }
  const options = listOptionChoices(carriers)
  // A rule for an option without a name must not show another option.
  const named = options.some((option) => option.value === row.carrierOptionId)
  const measure = { prefix: 'prefix', length: 'length', part: 'least' }[row.kind]
  return (
    <div className={styles.rule} data-row data-top>
      <FormSelect
        {...form.getInputProps(`${path}.carrierOptionId`)}
        label={t('printersTab.ruleCarrier', number)}
        data={named ? options : [...options, { value: row.carrierOptionId, label: row.carrierOptionId }]}
        errorText={t('scanRules.repeated')}
      />
      <FormSelect
        {...form.getInputProps(`${path}.kind`)}
        label={t('scanRules.kind', number)}
        data={(['prefix', 'length', 'part'] as const).map((kind) => ({
          value: kind,
          label: t(`scanRules.kinds.${kind}`),
        }))}
      />
      <FormField
        key={row.kind === 'prefix' ? 'prefix' : 'signs'}
        {...form.getInputProps(`${path}.${row.kind === 'prefix' ? 'prefix' : 'signs'}`)}
        error={form.errors[`${path}.match.${measure}`]}
        label={t(`scanRules.${row.kind}`, number)}
        numeric={row.kind === 'prefix' ? undefined : 'whole'}
        maxLength={row.kind === 'prefix' ? 40 : undefined}
        needed
      />
      <RemoveButton
        className={styles.besideLabel}
        label={t('scanRules.remove', number)}
        onClick={() => form.removeListItem('scanBack.rules', index)}
      />
    </div>
  )
}

function Safety() {
  const { t } = useTranslation()
  const { form } = useTab('station')
  return (
    <Panel title={t('stationTab.groupSafety')}>
      <div className={styles.checks}>
        <Switch
          {...form.getInputProps('allowWeakStorage', { type: 'checkbox' })}
          label={t('stationTab.allowWeakStorage')}
        />
        <Switch
          {...form.getInputProps('manifestLockAgreed', { type: 'checkbox' })}
          label={t('stationTab.manifestLockAgreed')}
        />
      </div>
      <Callout tone={form.values.allowWeakStorage ? 'attention' : 'info'}>
        {t('stationTab.allowWeakStorageWarning')}
      </Callout>
    </Panel>
  )
}
