import { ActionIcon, Button, NativeSelect } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { useStation, useStores } from '../../app/storesContext'
import { sizeText } from '../../locales/placementText'
import { Panel } from '../../ui/Panel'
import { useRowFocus } from '../../ui/useRowFocus'
import { documentSizes, type PrintersValues, pageSizeOf, type RouteRow } from './printersForm'
import styles from './settings.module.css'

/** Which printer takes which label: the usual one, and rules for single carrier options. */
export function RoutingEditor() {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const values = useStore(tabs.printers, (state) => state.values)
  const edit = useStore(tabs.printers, (state) => state.edit)
  const [firstCarrier] = useStation((state) => state.settings?.carriers) ?? []
  const holder = useRowFocus<HTMLDivElement>(values?.routes.map(({ key }) => key) ?? [])
  if (!values || values.printers.length === 0) return null
  const addRule = () =>
    edit((before) => ({
      ...before,
      routes: [
        ...before.routes,
        {
          ...emptyRoute(),
          carrierOptionId: firstCarrier ? String(firstCarrier.carrierOptionId) : '',
          printer: before.printers[0]?.id ?? '',
        },
      ],
    }))
  // The first rule that matches wins, so that one for some pages belongs before those for all.
  const addPageRule = () =>
    edit((before) => ({
      ...before,
      routes: [
        { ...emptyRoute(), pages: 'larger-than-stock', printer: before.printers.at(-1)?.id ?? '' },
        ...before.routes,
      ],
    }))
  return (
    <Panel title={t('printersTab.routing')}>
      <UsualPrinter values={values} />
      <div ref={holder}>
        {values.routes.map((route, index) => (
          <RuleLine key={route.key} route={route} index={index} values={values} />
        ))}
        <div className={`${styles.addRule} ${styles.moves}`}>
          {firstCarrier ? (
            <Button variant="default" leftSection={<IconPlus size={20} aria-hidden />} onClick={addRule}>
              {t('printersTab.addRule')}
            </Button>
          ) : null}
          {values.printers.length > 1 ? (
            <Button variant="default" leftSection={<IconPlus size={20} aria-hidden />} onClick={addPageRule}>
              {t('printersTab.addPageRule')}
            </Button>
          ) : null}
        </div>
        {values.routes.some(({ pages }) => pages !== '') ? (
          <p className={`${styles.addRule} pb-soft`}>{t('printersTab.pageRuleHint')}</p>
        ) : null}
      </div>
    </Panel>
  )
}

function emptyRoute(): RouteRow {
  return { key: crypto.randomUUID(), carrierOptionId: '', pages: '', printer: '', standby: '' }
}

function UsualPrinter({ values }: { values: PrintersValues }) {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const edit = useStore(tabs.printers, (state) => state.edit)
  const faults = useStore(tabs.printers, (state) => state.faults)
  const choices = usePrinterOptions(values)
  const unknown = (path: string) => (faults[path] ? t('printersTab.unknownPrinter') : undefined)
  return (
    <div className={styles.grid}>
      <NativeSelect
        label={t('printersTab.defaultPrinter')}
        value={values.usual}
        onChange={(event) => {
          const usual = event.currentTarget.value
          edit((before) => ({ ...before, usual }))
        }}
        data={[{ value: '', label: t('printersTab.firstPrinter') }, ...choices(values.usual)]}
        error={unknown('usual')}
      />
      <NativeSelect
        label={t('printersTab.defaultStandby')}
        description={t('printersTab.standbyHint')}
        value={values.usualStandby}
        onChange={(event) => {
          const usualStandby = event.currentTarget.value
          edit((before) => ({ ...before, usualStandby }))
        }}
        data={[{ value: '', label: t('printersTab.noStandby') }, ...choices(values.usualStandby)]}
        error={unknown('usualStandby')}
      />
    </div>
  )
}

/** The printers as options; one that is set and not in the list stays visible. */
function usePrinterOptions(values: PrintersValues) {
  return (current: string) => {
    const options = values.printers.map(({ id, name }) => ({ value: id, label: name || id }))
    const known = current === '' || options.some((option) => option.value === current)
    return known ? options : [...options, { value: current, label: current }]
  }
}

/** Which pages a rule takes; a size that a provisioning file or a person's choice named stays visible. */
function pageOptions(t: TFunction, current: string) {
  const options = [
    { value: '', label: t('printersTab.allPages') },
    { value: 'larger-than-stock', label: t('printersTab.largerPages') },
    ...Object.entries(documentSizes).map(([label, value]) => ({ value, label })),
  ]
  const size = pageSizeOf(current)
  const isKnown = size === undefined || options.some(({ value }) => value === current)
  return isKnown ? options : [...options, { value: current, label: sizeText(size) }]
}

interface RuleLineProps {
  route: RouteRow
  index: number
  values: PrintersValues
}

function RuleLine({ route, index, values }: RuleLineProps) {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const edit = useStore(tabs.printers, (state) => state.edit)
  const faults = useStore(tabs.printers, (state) => state.faults)
  const carriers = useStation((state) => state.settings?.carriers) ?? []
  const choices = usePrinterOptions(values)
  const row = index + 1
  const set = (change: Partial<RouteRow>) =>
    edit((before) => ({
      ...before,
      routes: before.routes.map((each) => (each.key === route.key ? { ...each, ...change } : each)),
    }))
  const remove = () =>
    edit((before) => ({ ...before, routes: before.routes.filter((each) => each.key !== route.key) }))
  const fault = (field: 'printer' | 'standby') =>
    faults[`routing.${index}.${field}`] ? t('printersTab.unknownPrinter') : undefined
  const every = route.pages === '' && route.carrierOptionId !== ''
  const options = [
    ...(every ? [] : [{ value: '', label: t('printersTab.everyCarrier') }]),
    ...carriers.map((option) => ({ value: String(option.carrierOptionId), label: option.name })),
  ]
  const named = options.some((option) => option.value === route.carrierOptionId)
  return (
    <div className={`${styles.rule} ${styles.wideRule}`} data-row>
      <NativeSelect
        label={t('printersTab.ruleCarrier', { row })}
        value={route.carrierOptionId}
        onChange={(event) => set({ carrierOptionId: event.currentTarget.value })}
        data={named ? options : [...options, { value: route.carrierOptionId, label: route.carrierOptionId }]}
      />
      <NativeSelect
        label={t('printersTab.rulePages', { row })}
        value={route.pages}
        onChange={(event) => set({ pages: event.currentTarget.value })}
        data={pageOptions(t, route.pages)}
      />
      <NativeSelect
        label={t('printersTab.rulePrinter', { row })}
        value={route.printer}
        onChange={(event) => set({ printer: event.currentTarget.value })}
        data={choices(route.printer)}
        error={fault('printer')}
      />
      <NativeSelect
        label={t('printersTab.ruleStandby', { row })}
        value={route.standby}
        onChange={(event) => set({ standby: event.currentTarget.value })}
        data={[{ value: '', label: t('printersTab.noStandby') }, ...choices(route.standby)]}
        error={fault('standby')}
      />
      <ActionIcon aria-label={t('printersTab.removeRule', { row })} onClick={remove}>
        <IconTrash size={22} aria-hidden />
      </ActionIcon>
    </div>
  )
}
