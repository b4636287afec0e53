import { ActionIcon, Group } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSettings } from '../../../bridge'
import { sizeText } from '../../../i18n/texts'
import { listOptionChoices } from '../../../ui/carrierOptions'
import { FormSelect } from '../../../ui/FormField'
import { Panel } from '../../../ui/Panel'
import { AddButton, RemoveButton } from '../../../ui/RowButtons'
import { useRowFocus } from '../../../ui/useRowFocus'
import { withKey } from '../form'
import { listPrinterChoices } from '../printerChoices'
import styles from '../settings.module.css'
import { useTab } from '../tabForm'
import { documentSizes, hasRouting, type RouteRow, readPageSize } from './form'

const emptyRoute = { carrierOptionId: '', pages: '', printer: '', standby: '' }

interface RoutingEditorProps {
  /** From how many printers on it is shown also without any routing. */
  fromPrinters: number
}

/** The routing of labels to printers: the default printer, and rules for carrier options or pages. */
export function RoutingEditor({ fromPrinters }: RoutingEditorProps) {
  const { t } = useTranslation()
  const { form } = useTab('printers')
  const { printers, routing } = form.values
  const isRouted = useIsRouted()
  const [firstCarrier] = useSettings((settings) => settings.carriers) ?? []
  const holder = useRowFocus<HTMLDivElement>(routing.map(({ key }) => key))
  const moved = useFocusOnMoved(holder)
  if (printers.length < fromPrinters && !isRouted) return null
  const addRule = () =>
    form.insertListItem(
      'routing',
      withKey({
        ...emptyRoute,
        carrierOptionId: firstCarrier ? String(firstCarrier.carrierOptionId) : '',
        printer: printers[0]?.id ?? '',
      }),
    )
  // The first matching rule wins, so a rule for some pages goes before the rules for all.
  const addPageRule = () =>
    form.insertListItem(
      'routing',
      withKey({ ...emptyRoute, pages: 'larger-than-stock', printer: printers.at(-1)?.id ?? '' }),
      0,
    )
  return (
    <Panel title={t('printersTab.routing')}>
      <div ref={holder}>
        <UsualPrinter />
        {routing.map((route, index) => (
          <RuleLine
            key={route.key}
            route={route}
            index={index}
            onMove={(by) => {
              moved.current = { row: index + by, by }
              form.reorderListItem('routing', { from: index, to: index + by })
            }}
          />
        ))}
        <Group align="stretch" gap={10} className={styles.addRule}>
          {firstCarrier && printers.length > 0 ? (
            <AddButton onClick={addRule}>{t('printersTab.addRule')}</AddButton>
          ) : null}
          {printers.length > 1 ? (
            <AddButton onClick={addPageRule}>{t('printersTab.addPageRule')}</AddButton>
          ) : null}
        </Group>
        {routing.length > 1 || routing.some(({ pages }) => pages !== '') ? (
          <p className={`${styles.addRule} pb-soft`}>{t('printersTab.pageRuleHint')}</p>
        ) : null}
      </div>
    </Panel>
  )
}

/** Whether there is any routing. Stays true until a save, so that the panel does not close with its last choice. */
function useIsRouted(): boolean {
  const { form, isDirty } = useTab('printers')
  const [wasRouted, setRouted] = useState(false)
  const isRouted = hasRouting(form.values) || (wasRouted && isDirty)
  if (isRouted !== wasRouted) setRouted(isRouted)
  return isRouted
}

interface Move {
  /** The rule's new row. */
  row: number
  by: -1 | 1
}

/** Keeps the focus on the pressed move button, or on the other one if the rule is at the end. */
function useFocusOnMoved(holder: { current: HTMLElement | null }) {
  const moved = useRef<Move | null>(null)
  useEffect(() => {
    if (moved.current === null) return
    const { row, by } = moved.current
    moved.current = null
    const buttons = holder.current
      ?.querySelectorAll('[data-row]')
      [row]?.querySelectorAll<HTMLButtonElement>('[data-move]')
    const [up, down] = [...(buttons ?? [])]
    const [wanted, other] = by < 0 ? [up, down] : [down, up]
    if (wanted?.disabled) other?.focus()
    else wanted?.focus()
  })
  return moved
}

function UsualPrinter() {
  const { t } = useTranslation()
  const { form } = useTab('printers')
  const { printers, usual, usualStandby } = form.values
  const choices = (chosen: string) => listPrinterChoices(t, printers, chosen)
  return (
    <div className={styles.grid}>
      <FormSelect
        {...form.getInputProps('usual')}
        label={t('printersTab.defaultPrinter')}
        data={[{ value: '', label: t('printersTab.firstPrinter') }, ...choices(usual)]}
        errorText={t('printersTab.unknownPrinter')}
      />
      <FormSelect
        {...form.getInputProps('usualStandby')}
        label={t('printersTab.defaultStandby')}
        description={t('printersTab.standbyHint')}
        data={[{ value: '', label: t('printersTab.noStandby') }, ...choices(usualStandby)]}
        errorText={t('printersTab.unknownPrinter')}
      />
    </div>
  )
}

/** The page sizes of a rule; a size from provisioning or an earlier decision stays visible. */
function pageOptions(t: TFunction, current: string) {
  const options = [
    { value: '', label: t('printersTab.allPages') },
    { value: 'larger-than-stock', label: t('printersTab.largerPages') },
    ...Object.entries(documentSizes).map(([label, value]) => ({ value, label })),
  ]
  const size = readPageSize(current)
  const isKnown = size === undefined || options.some(({ value }) => value === current)
  return isKnown ? options : [...options, { value: current, label: sizeText(t, size) }]
}

interface RuleLineProps {
  route: RouteRow
  index: number
  onMove: (by: -1 | 1) => void
}

function RuleLine({ route, index, onMove }: RuleLineProps) {
  const { t } = useTranslation()
  const { form } = useTab('printers')
  const carriers = useSettings((settings) => settings.carriers) ?? []
  const choices = (chosen: string) => listPrinterChoices(t, form.values.printers, chosen)
  const bound = (field: string) => form.getInputProps(`routing.${index}.${field}`)
  const row = index + 1
  const isEveryPageRule = route.pages === '' && route.carrierOptionId !== ''
  const options = [
    ...(isEveryPageRule ? [] : [{ value: '', label: t('printersTab.everyCarrier') }]),
    ...listOptionChoices(carriers),
  ]
  const named = options.some((option) => option.value === route.carrierOptionId)
  return (
    <div className={`${styles.rule} ${styles.wideRule}`} data-row>
      <FormSelect
        {...bound('carrierOptionId')}
        label={t('printersTab.ruleCarrier', { row })}
        data={named ? options : [...options, { value: route.carrierOptionId, label: route.carrierOptionId }]}
      />
      <FormSelect
        {...bound('pages')}
        label={t('printersTab.rulePages', { row })}
        data={pageOptions(t, route.pages)}
      />
      <FormSelect
        {...bound('printer')}
        label={t('printersTab.rulePrinter', { row })}
        data={choices(route.printer)}
        errorText={t('printersTab.unknownPrinter')}
      />
      <FormSelect
        {...bound('standby')}
        label={t('printersTab.ruleStandby', { row })}
        data={[{ value: '', label: t('printersTab.noStandby') }, ...choices(route.standby)]}
        errorText={t('printersTab.unknownPrinter')}
      />
      <div className={styles.ruleActions}>
        <ActionIcon
          aria-label={t('printersTab.moveRuleUp', { row })}
          disabled={index === 0}
          onClick={() => onMove(-1)}
          data-move="up"
        >
          <IconArrowUp size={22} aria-hidden />
        </ActionIcon>
        <ActionIcon
          aria-label={t('printersTab.moveRuleDown', { row })}
          disabled={index === form.values.routing.length - 1}
          onClick={() => onMove(1)}
          data-move="down"
        >
          <IconArrowDown size={22} aria-hidden />
        </ActionIcon>
        <RemoveButton
          label={t('printersTab.removeRule', { row })}
          onClick={() => form.removeListItem('routing', index)}
        />
      </div>
    </div>
  )
}
