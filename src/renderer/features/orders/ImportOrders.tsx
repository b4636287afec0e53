import { Button, Checkbox, Group, Modal, MultiSelect, Radio, Stack } from '@mantine/core'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  type ImportField,
  type ImportPlan,
  importFields,
  type OnDuplicate,
  type OrderDifference,
  type OrderMapping,
  onDuplicateSchema,
  weightUnitSchema,
} from '../../../shared/orders'
import { useBridgeMutation } from '../../bridge'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { ChoiceSelect } from '../../ui/ChoiceSelect'
import { TextField } from '../../ui/TextField'
import { useOrderImports } from './importStore'
import styles from './orders.module.css'
import { SaveMapping } from './SaveMapping'

interface ImportOrdersProps {
  plan: ImportPlan
  onPlan: (plan: ImportPlan) => void
  onClose: () => void
}

/** Shows the orders in a file, maps its columns to fields, and imports the orders. */
export function ImportOrders({ plan, onPlan, onClose }: ImportOrdersProps) {
  const { t } = useTranslation()
  const getIsAwaited = useOrderImports((imports) => imports.isAwaited)
  // The next key of a person who works on something else must not press Import.
  const [isAwaited] = useState(getIsAwaited)
  const [onDuplicate, setOnDuplicate] = useState<OnDuplicate>('skip')
  const [replaced, setReplaced] = useState<ReadonlySet<string>>(new Set())
  /** The last change of the mapping, until its plan has arrived. */
  const [wanted, setWanted] = useState<OrderMapping | null>(null)
  const latest = useRef<OrderMapping | null>(null)
  const replan = useBridgeMutation('planOrderImport')
  const takeFirstRow = useBridgeMutation('takeFirstRow')
  const drop = useBridgeMutation('dropOrderFile')
  const take = useBridgeMutation('importOrders', { onSuccess: onClose })
  const { importId, mapping } = plan
  /** Plans with the last change, once the previous plan has arrived. */
  const planLatest = () => {
    const next = latest.current
    if (next === null) return
    const onSettled = () => {
      if (latest.current === next) change(null)
      else planLatest()
    }
    replan.mutate({ importId, mapping: next }, { onSuccess: onPlan, onSettled })
  }
  const change = (changed: OrderMapping | null) => {
    latest.current = changed
    setWanted(changed)
    planLatest()
  }
  const cancel = () => {
    // An import can't be cancelled; its end would close the dialog of the next file.
    if (take.isPending) return
    drop.mutate({ importId })
    onClose()
  }
  const error = take.error ?? replan.error ?? takeFirstRow.error
  const isPlanning = wanted !== null || takeFirstRow.isPending
  return (
    <Modal opened title={t('orders.importTitle', { file: plan.fileName })} onClose={cancel} size={1080}>
      <Stack gap={10} pb={10}>
        <p data-autofocus={isAwaited ? undefined : true} tabIndex={-1}>
          {t('orders.planFacts', { count: plan.total, rows: plan.rows })}{' '}
          {plan.remembered ? t(plan.hasHeader ? 'orders.remembered' : 'orders.rememberedColumns') : ''}
        </p>
        <Checkbox
          label={t('orders.hasHeader')}
          checked={plan.hasHeader}
          disabled={isPlanning}
          onChange={(event) =>
            takeFirstRow.mutate({ importId, hasHeader: event.currentTarget.checked }, { onSuccess: onPlan })
          }
        />
        {plan.hasHeader || plan.remembered ? null : <Callout tone="info">{t('orders.noHeader')}</Callout>}
        {plan.withIssues > 0 ? (
          <Callout tone="attention">{t('orders.planIssues', { count: plan.withIssues })}</Callout>
        ) : null}
      </Stack>
      <Preview plan={plan} />
      <Mapping
        plan={plan}
        mapping={wanted ?? mapping}
        onChange={change}
        busy={isPlanning}
        disabled={takeFirstRow.isPending}
      />
      {plan.duplicates > 0 ? (
        <Radio.Group
          label={t('orders.duplicates', { count: plan.duplicates })}
          value={onDuplicate}
          onChange={(value) => {
            const choice = onDuplicateSchema.safeParse(value)
            if (choice.success) setOnDuplicate(choice.data)
          }}
        >
          <Group gap={10}>
            <Radio value="skip" label={t('orders.duplicateSkip')} />
            <Radio value="update" label={t('orders.duplicateUpdate')} />
            {plan.differences.length > 0 ? <Radio value="chosen" label={t('orders.duplicateAsk')} /> : null}
          </Group>
        </Radio.Group>
      ) : null}
      {onDuplicate === 'chosen' ? (
        <Differences differences={plan.differences} replaced={replaced} onReplace={setReplaced} />
      ) : null}
      <ErrorCallout error={error} />
      <div className={styles.dialogActions}>
        <Button
          data-autofocus={isAwaited ? true : undefined}
          disabled={plan.total === 0 || isPlanning}
          loading={take.isPending}
          onClick={() => take.mutate({ importId, mapping, onDuplicate, replaced: [...replaced] })}
        >
          {t('orders.take', { count: plan.total })}
        </Button>
        <Button variant="default" disabled={take.isPending} onClick={cancel}>
          {t('common.cancel')}
        </Button>
      </div>
    </Modal>
  )
}

interface DifferencesProps {
  differences: readonly OrderDifference[]
  /** References of the orders to replace. */
  replaced: ReadonlySet<string>
  onReplace: (references: ReadonlySet<string>) => void
}

/** Orders of the file that differ from the list. Ticked ones are replaced. */
function Differences({ differences, replaced, onReplace }: DifferencesProps) {
  const { t } = useTranslation()
  const all = differences.map(({ reference }) => reference)
  const tick = (reference: string, isTicked: boolean) => {
    const next = new Set(replaced)
    if (isTicked) next.add(reference)
    else next.delete(reference)
    onReplace(next)
  }
  return (
    <div className={styles.preview}>
      <Group gap={10}>
        <Button variant="default" size="sm" onClick={() => onReplace(new Set(all))}>
          {t('orders.replaceAll', { count: all.length })}
        </Button>
        <Button variant="default" size="sm" onClick={() => onReplace(new Set())}>
          {t('orders.replaceNone')}
        </Button>
      </Group>
      <table aria-label={t('orders.differences')}>
        <thead>
          <tr>
            <th scope="col">{t('orders.replaceIt')}</th>
            <th scope="col">{t('orders.differences')}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ reference, changes, itemsDiffer }) => (
            <tr key={reference}>
              <td>
                <Checkbox
                  label={reference}
                  checked={replaced.has(reference)}
                  onChange={(event) => tick(reference, event.currentTarget.checked)}
                />
              </td>
              <td>
                {changes.map(({ field, before, after }) => (
                  <div key={field}>
                    <strong>{t(`fields.${field}`)}</strong> {before || t('orders.nothingThere')} →{' '}
                    {after || t('orders.nothingThere')}
                  </div>
                ))}
                {itemsDiffer ? <div>{t('orders.itemsDiffer')}</div> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const previewRows = 5

/** The first orders as the list would show them. */
function Preview({ plan }: { plan: ImportPlan }) {
  const { t } = useTranslation()
  return (
    <div className={styles.preview}>
      <table aria-label={t('orders.preview')}>
        <thead>
          <tr>
            <th scope="col">{t('fields.reference')}</th>
            <th scope="col">{t('orders.consignee')}</th>
            <th scope="col">{t('orders.address')}</th>
            <th scope="col">{t('fields.weight')}</th>
            <th scope="col">{t('orders.items')}</th>
            <th scope="col">{t('orders.toCorrect')}</th>
          </tr>
        </thead>
        <tbody>
          {plan.orders.slice(0, previewRows).map(({ values, items, issues, source }) => (
            <tr key={source.line}>
              <td>{values.reference}</td>
              <td>{[values.companyName, values.firstName, values.lastName].filter(Boolean).join(' ')}</td>
              <td>
                {[
                  [values.street, values.houseNumber].filter(Boolean).join(' '),
                  [values.postalCode, values.city].filter(Boolean).join(' '),
                  values.country,
                ]
                  .filter(Boolean)
                  .join(', ')}
              </td>
              <td>{values.weight}</td>
              <td>{items.length === 0 ? '' : items.length}</td>
              <td>{issues.map(({ field }) => t(`fields.${field}`)).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Fields that shops often omit because all of their orders have the same value. */
const usuallyFixedFields: ReadonlySet<ImportField> = new Set([
  'country',
  'content',
  'weight',
  'numberOfPackages',
  'length',
  'width',
  'height',
  'carrierOptionId',
  'currency',
  'hsCode',
  'countryOfOrigin',
])

interface MappingProps {
  plan: ImportPlan
  /** The mapping with changes that are not in the plan yet. */
  mapping: OrderMapping
  busy: boolean
  /** While the columns are about to get other names. */
  disabled: boolean
  onChange: (mapping: OrderMapping) => void
}

/** Maps columns to fields; a field without a column may get a fixed text. */
function Mapping({ plan, mapping, busy, disabled, onChange }: MappingProps) {
  const { t } = useTranslation()
  const { header, hasHeader, sample } = plan
  const names = [...new Set(header.filter((name) => name.trim() !== ''))]
  // Without a header the columns have letters only, so the option also shows the first value.
  const columns = hasHeader
    ? names
    : names.map((name, at) => ({ value: name, label: [name, sample[0]?.[at]].filter(Boolean).join(': ') }))
  const set = (field: ImportField, source: OrderMapping['fields'][ImportField]) => {
    const { [field]: _before, ...fields } = mapping.fields
    onChange({ ...mapping, fields: source === undefined ? fields : { ...fields, [field]: source } })
  }
  const toField = (field: ImportField) => {
    const source = mapping.fields[field]
    const chosen = source !== undefined && 'columns' in source ? source.columns : []
    const fixed = source !== undefined && 'fixed' in source ? source.fixed : ''
    return (
      <div key={field} className={styles.mappingField} title={chosen.join(' + ')}>
        <MultiSelect
          label={t(`orders.field.${field}`)}
          classNames={{
            input: styles.columnBox,
            pill: styles.chosenColumn,
            ...(chosen.length === 1 && { pillsList: styles.oneColumn }),
            ...(chosen.length > 0 && { inputField: styles.furtherColumn }),
          }}
          data={columns}
          value={chosen}
          maxValues={5}
          searchable
          disabled={disabled}
          placeholder={chosen.length === 0 ? t('orders.noColumn') : undefined}
          onChange={(names) => set(field, names.length === 0 ? undefined : { columns: names })}
        />
        {chosen.length === 0 && usuallyFixedFields.has(field) ? (
          <FixedText
            label={t('orders.fixed', { field: t(`orders.field.${field}`) })}
            value={fixed}
            disabled={disabled}
            onSet={(text) => set(field, text === '' ? undefined : { fixed: text })}
          />
        ) : null}
      </div>
    )
  }
  return (
    <details className={styles.mapping} open={!plan.remembered}>
      <summary>{t('orders.mapping')}</summary>
      <div className={styles.mappingFields} aria-busy={busy}>
        {importFields.filter((field) => !usuallyFixedFields.has(field)).map(toField)}
      </div>
      <h3 className={styles.mappingPart}>{t('orders.mappingFixed')}</h3>
      <div className={styles.mappingFields} aria-busy={busy}>
        {importFields.filter((field) => usuallyFixedFields.has(field)).map(toField)}
        <ChoiceSelect
          label={t('orders.weightUnit')}
          value={mapping.weightUnit}
          disabled={disabled}
          choices={weightUnitSchema.options}
          onChange={(weightUnit) => onChange({ ...mapping, weightUnit })}
        />
      </div>
      <SaveMapping mapping={mapping} />
    </details>
  )
}

interface FixedTextProps {
  label: string
  value: string
  disabled: boolean
  onSet: (text: string) => void
}

/** A text for all orders of the file; applied when the field is left. */
function FixedText({ label, value, disabled, onSet }: FixedTextProps) {
  const { t } = useTranslation()
  const [text, setText] = useState(value)
  const [applied, setApplied] = useState(value)
  // Another plan may bring another text, and a refused one the previous text.
  if (value !== applied) {
    setApplied(value)
    setText(value)
  }
  return (
    <TextField
      aria-label={label}
      placeholder={t('orders.fixedHint')}
      value={text}
      disabled={disabled}
      onChange={setText}
      maxLength={500}
      onBlur={() => text.trim() !== value && onSet(text.trim())}
    />
  )
}
