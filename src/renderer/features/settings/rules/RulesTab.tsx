import { ActionIcon, Button, Group, Stack } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useBridgeMutation, useSettings } from '../../../bridge'
import { ErrorCallout } from '../../../ui/Callout'
import { listOptionChoices } from '../../../ui/carrierOptions'
import { FormField, FormSelect, toChoices } from '../../../ui/FormField'
import { Panel } from '../../../ui/Panel'
import { AddButton, RemoveButton } from '../../../ui/RowButtons'
import { RuleExtras, RuleFacts } from '../../../ui/RuleLine'
import fieldStyles from '../../../ui/ui.module.css'
import { useRowFocus } from '../../../ui/useRowFocus'
import { listPrinterChoices } from '../printerChoices'
import styles from '../settings.module.css'
import { SaveBar, useTab } from '../tabForm'
import { useFold } from '../useFold'
import { newRule, type RuleRow } from './form'

/** The rules that fill in orders; the first match applies. They can be tried on orders before they are saved. */
export function RulesTab() {
  const { t } = useTranslation()
  const { form } = useTab('rules')
  const { orderRules } = form.values
  const holder = useRowFocus<HTMLDivElement>(orderRules.map(({ key }) => key))
  return (
    <div className={styles.wide}>
      <p>{t('rulesTab.intro')}</p>
      <Stack ref={holder} gap={12}>
        {orderRules.length === 0 ? <p className="pb-soft">{t('rulesTab.empty')}</p> : null}
        {orderRules.map((row, index) => (
          <Rule key={row.key} row={row} index={index} isLast={index === orderRules.length - 1} />
        ))}
        <div>
          <AddButton onClick={() => form.insertListItem('orderRules', newRule())}>
            {t('rulesTab.add')}
          </AddButton>
        </div>
      </Stack>
      <TryOut />
      <SaveBar tab={useTab('rules')} />
    </div>
  )
}

/** One rule: a summary line, and its fields under a fold. */
function Rule({ row, index, isLast }: { row: RuleRow; index: number; isLast: boolean }) {
  const { t } = useTranslation()
  const { form } = useTab('rules')
  const carriers = useSettings((settings) => settings.carriers) ?? []
  const path = `orderRules.${index}`
  const name = row.name || t('rulesTab.unnamed', { row: index + 1 })
  const move = (by: number) => form.reorderListItem('orderRules', { from: index, to: index + by })
  const options = listOptionChoices(carriers)
  const isNamed = row.carrierOptionId === '' || options.some(({ value }) => value === row.carrierOptionId)
  const hasIssues = Object.keys(form.errors).some((each) => each.startsWith(`${path}.`))
  // A new rule is unfolded.
  const [isOpen, toggle] = useFold(hasIssues, row.name === '')
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  const field = (key: Exclude<keyof RuleRow, 'key'>, numeric?: 'whole' | 'decimal') => (
    <FormField
      {...form.getInputProps(`${path}.${key}`)}
      label={t(`rulesTab.field.${key}`)}
      field={key}
      numeric={numeric}
    />
  )
  return (
    <section className={`pb-surface ${styles.card}`} aria-label={name} data-row>
      <Group gap="4px 12px">
        <Button
          variant="subtle"
          leftSection={<Chevron size={20} aria-hidden />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {`${index + 1}. ${name}`}
        </Button>
        <Group align="stretch" gap={10} className={styles.cardRemove}>
          <ActionIcon aria-label={t('rulesTab.up', { name })} disabled={index === 0} onClick={() => move(-1)}>
            <IconArrowUp size={22} aria-hidden />
          </ActionIcon>
          <ActionIcon aria-label={t('rulesTab.down', { name })} disabled={isLast} onClick={() => move(1)}>
            <IconArrowDown size={22} aria-hidden />
          </ActionIcon>
          <RemoveButton
            label={t('rulesTab.remove', { name })}
            onClick={() => form.removeListItem('orderRules', index)}
          />
        </Group>
      </Group>
      <Summary row={row} />
      {isOpen ? (
        <>
          <div className={styles.grid}>
            <FormField
              {...form.getInputProps(`${path}.name`)}
              label={t('rulesTab.field.name')}
              maxLength={80}
              needed
            />
          </div>
          <fieldset className={styles.fineGroup}>
            <legend>{t('rulesTab.when')}</legend>
            <div className={styles.grid}>
              {field('countries')}
              {field('postalCodes')}
              {field('skus')}
              <div className={fieldStyles.fieldPair}>
                {field('minWeight', 'decimal')}
                {field('maxWeight', 'decimal')}
              </div>
              <div className={fieldStyles.fieldPair}>
                {field('minValue', 'decimal')}
                {field('maxValue', 'decimal')}
              </div>
            </div>
            <div className={styles.grid}>
              {field('columnName')}
              <FormSelect
                {...form.getInputProps(`${path}.columnMatch`)}
                label={t('rulesTab.field.columnMatch')}
                data={(['is', 'contains'] as const).map((value) => ({
                  value,
                  label: t(`rulesTab.match.${value}`),
                }))}
              />
              {field('columnText')}
            </div>
          </fieldset>
          <fieldset className={styles.fineGroup}>
            <legend>{t('rulesTab.set')}</legend>
            <FormSelect
              {...form.getInputProps(`${path}.carrierOptionId`)}
              label={t('rulesTab.field.carrierOptionId')}
              title={options.find(({ value }) => value === row.carrierOptionId)?.label ?? ''}
              data={[
                { value: '', label: t('rulesTab.asItIs') },
                ...options,
                ...(isNamed ? [] : [{ value: row.carrierOptionId, label: row.carrierOptionId }]),
              ]}
            />
            <div className={styles.grid}>
              <div className={fieldStyles.fieldPair}>
                {field('numberOfPackages', 'whole')}
                {field('weight', 'decimal')}
              </div>
              {field('content')}
              <FormSelect
                {...form.getInputProps(`${path}.signatureRequired`)}
                label={t('rulesTab.field.signatureRequired')}
                data={toChoices({ '': t('rulesTab.asItIs'), yes: t('common.yes'), no: t('common.no') })}
              />
              <PrinterSelect path={path} printer={row.printer} />
              {field('invoiceTerms')}
              {field('invoiceCurrency')}
              {field('invoiceReason')}
            </div>
          </fieldset>
        </>
      ) : null}
    </section>
  )
}

/** «5–20», «≥ 5» or «≤ 20»; empty without a bound. */
function toRangeWords(min: string, max: string): string {
  if (min !== '' && max !== '') return `${min}–${max}`
  if (min !== '') return `≥ ${min}`
  return max === '' ? '' : `≤ ${max}`
}

/** Summary of a rule: its conditions and the values it sets. */
function Summary({ row }: { row: RuleRow }) {
  const { t } = useTranslation()
  const settings = useSettings()
  const options = listOptionChoices(settings?.carriers ?? [])
  const option = options.find(({ value }) => value === row.carrierOptionId)
  const printer = settings?.printers.find(({ id }) => id === row.printer)
  const conditions = [
    ['countries', row.countries],
    ['postalCodes', row.postalCodes],
    ['weight', toRangeWords(row.minWeight, row.maxWeight)],
    ['value', toRangeWords(row.minValue, row.maxValue)],
    ['skus', row.skus],
  ] as const
  const when = conditions.flatMap(([fact, value]) =>
    value === '' ? [] : t(`rulesTab.fact.${fact}`, { value }),
  )
  if (row.columnName !== '') {
    when.push(`«${row.columnName}» ${t(`rulesTab.match.${row.columnMatch}`)} «${row.columnText}»`)
  }
  const fills = [
    option?.label ?? row.carrierOptionId,
    row.numberOfPackages === '' ? '' : `${t('rulesTab.field.numberOfPackages')}: ${row.numberOfPackages}`,
    row.weight === '' ? '' : `${row.weight} kg`,
    row.content,
    row.signatureRequired === '' ? '' : t(`rulesTab.signature.${row.signatureRequired}`),
    row.printer === '' ? '' : t('rulesTab.ruledPrinter', { printer: printer?.name ?? row.printer }),
    ...[row.invoiceTerms, row.invoiceCurrency, row.invoiceReason],
  ].filter((text) => text !== '')
  return (
    <p className="pb-soft">
      {when.join(', ') || t('rulesTab.always')} → {fills.join(' · ') || t('rulesTab.nothing')}
    </p>
  )
}

/** The printer of the labels. */
function PrinterSelect({ path, printer }: { path: string; printer: string }) {
  const { t } = useTranslation()
  const { form } = useTab('rules')
  const printers = useSettings((settings) => settings.printers) ?? []
  return (
    <FormSelect
      {...form.getInputProps(`${path}.printer`)}
      label={t('rulesTab.field.printer')}
      data={[{ value: '', label: t('rulesTab.byRouting') }, ...listPrinterChoices(t, printers, printer)]}
    />
  )
}

/** Shows which of the typed rules applies to each order of the list, and why. */
function TryOut() {
  const { t } = useTranslation()
  const { read } = useTab('rules')
  const trial = useBridgeMutation('tryOrderRules')
  const begin = () => {
    const rules = read()?.orderRules
    if (rules) trial.mutate({ rules })
  }
  return (
    <Panel title={t('rulesTab.tryOut')}>
      <Stack gap={12}>
        <Group align="stretch" gap={10}>
          <Button variant="default" loading={trial.isPending} onClick={begin}>
            {t('rulesTab.try')}
          </Button>
        </Group>
        <ErrorCallout error={trial.error} />
        {trial.data?.length === 0 ? <p>{t('rulesTab.noOrders')}</p> : null}
        {trial.data !== undefined && trial.data.length > 0 ? (
          <table className={styles.table} aria-label={t('rulesTab.tryOut')}>
            <thead>
              <tr>
                <th scope="col">{t('fields.reference')}</th>
                <th scope="col">{t('rulesTab.holds')}</th>
              </tr>
            </thead>
            <tbody>
              {trial.data.map(({ orderId, reference, rule, because, ruled }) => (
                <tr key={orderId} data-testid="tried-order">
                  <td>{reference}</td>
                  <td>
                    {rule === null ? t('rulesTab.none') : rule}
                    <RuleFacts facts={because} />
                    <RuleExtras ruled={ruled} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        ) : null}
      </Stack>
    </Panel>
  )
}
