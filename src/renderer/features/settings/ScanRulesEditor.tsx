import { ActionIcon, Button, NativeSelect } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { useStation, useStores } from '../../app/storesContext'
import { TextField } from '../../ui/TextField'
import { useFaultText } from '../../ui/useFaultText'
import { useRowFocus } from '../../ui/useRowFocus'
import { newScanRule, type ScanRuleRow } from './scanRulesForm'
import styles from './settings.module.css'

/** How scanned codes are compared for carrier options whose labels show another code than the service gives. */
export function ScanRulesEditor() {
  const { t } = useTranslation()
  const rules = useScanRules()
  const carriers = useStation((state) => state.settings?.carriers) ?? []
  const taken = new Set(rules.rows.map((row) => row.carrierOptionId))
  const free = carriers.find((option) => !taken.has(String(option.carrierOptionId)))
  const add = (carrierOptionId: number) =>
    rules.edit((rows) => [...rows, newScanRule(crypto.randomUUID(), String(carrierOptionId))])
  const holder = useRowFocus<HTMLElement>(rules.rows.map(({ key }) => key))
  return (
    <section aria-label={t('scanRules.title')} ref={holder}>
      <p className="pb-soft">{t(carriers.length === 0 ? 'scanRules.noCarriers' : 'scanRules.intro')}</p>
      {rules.rows.map((row, index) => (
        <RuleLine key={row.key} row={row} index={index} />
      ))}
      {free ? (
        <div className={styles.addRule}>
          <Button
            variant="default"
            leftSection={<IconPlus size={20} aria-hidden />}
            onClick={() => add(free.carrierOptionId)}
          >
            {t('scanRules.add')}
          </Button>
        </div>
      ) : null}
    </section>
  )
}

function useScanRules() {
  const { tabs } = useStores()
  const rows = useStore(tabs.station, (state) => state.values?.scanBack.rules) ?? []
  const editTab = useStore(tabs.station, (state) => state.edit)
  const edit = (change: (rows: ScanRuleRow[]) => ScanRuleRow[]) =>
    editTab((values) => ({
      ...values,
      scanBack: { ...values.scanBack, rules: change(values.scanBack.rules) },
    }))
  return { rows, edit }
}

interface RuleLineProps {
  row: ScanRuleRow
  index: number
}

function RuleLine({ row, index }: RuleLineProps) {
  const { t } = useTranslation()
  const { edit } = useScanRules()
  const { tabs } = useStores()
  const faults = useStore(tabs.station, (state) => state.faults)
  const carriers = useStation((state) => state.settings?.carriers) ?? []
  const number = { row: index + 1 }
  const set = (change: Partial<ScanRuleRow>) =>
    edit((rows) => rows.map((each) => (each.key === row.key ? { ...each, ...change } : each)))
  const options = carriers.map((option) => ({ value: String(option.carrierOptionId), label: option.name }))
  // A rule for an option that has no name any more must not turn into another one's.
  const named = options.some((option) => option.value === row.carrierOptionId)
  const repeated = faults[`scanBack.rules.${index}.carrierOptionId`] !== undefined
  return (
    <div className={styles.rule} data-row data-top>
      <NativeSelect
        label={t('printersTab.ruleCarrier', number)}
        value={row.carrierOptionId}
        onChange={(event) => set({ carrierOptionId: event.currentTarget.value })}
        data={named ? options : [...options, { value: row.carrierOptionId, label: row.carrierOptionId }]}
        error={repeated ? t('scanRules.repeated') : undefined}
      />
      <NativeSelect
        label={t('scanRules.kind', number)}
        value={row.kind}
        onChange={(event) => {
          const kind = kinds.find((each) => each === event.currentTarget.value)
          if (kind) set({ kind })
        }}
        data={kinds.map((kind) => ({ value: kind, label: t(`scanRules.kinds.${kind}`) }))}
      />
      <Measure row={row} index={index} set={set} />
      <ActionIcon
        className={styles.besideLabel}
        aria-label={t('scanRules.remove', number)}
        onClick={() => edit((rows) => rows.filter((each) => each.key !== row.key))}
      >
        <IconTrash size={22} aria-hidden />
      </ActionIcon>
    </div>
  )
}

const kinds = ['prefix', 'length', 'part'] as const

/** What a rule of its kind needs besides: the prefix, or a number of signs. */
function Measure({ row, index, set }: RuleLineProps & { set: (change: Partial<ScanRuleRow>) => void }) {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const faults = useStore(tabs.station, (state) => state.faults)
  const faultText = useFaultText()
  const field = { prefix: 'prefix', length: 'length', part: 'least' }[row.kind]
  const label = t(`scanRules.${row.kind}`, { row: index + 1 })
  const fault = faultText(faults[`scanBack.rules.${index}.match.${field}`], label)
  if (row.kind === 'prefix') {
    return (
      <TextField
        label={label}
        value={row.prefix}
        onChange={(prefix) => set({ prefix })}
        fault={fault}
        maxLength={40}
        needed
      />
    )
  }
  return (
    <TextField
      label={label}
      value={row.signs}
      onChange={(signs) => set({ signs })}
      fault={fault}
      inputMode="numeric"
      needed
    />
  )
}
