import { ActionIcon, Stack } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { customsTotals, hsCodeAdvice } from '../../../../shared/customs'
import { readNumber } from '../../../../shared/fields'
import { formatAmount, formatNumber } from '../../../i18n/format'
import { Callout } from '../../../ui/Callout'
import { useIssueText } from '../../../ui/FormField'
import { AddButton } from '../../../ui/RowButtons'
import { TextField } from '../../../ui/TextField'
import { useRowFocus } from '../../../ui/useRowFocus'
import { useCustoms, useShip } from '../stores'
import styles from './customs.module.css'
import { type ItemField, type ItemForm, itemLabels, itemNumbers } from './form'

/** The goods: scanned, typed, or filled in from the catalogue, with their totals. */
export function CustomsItems() {
  const { t } = useTranslation()
  const items = useCustoms((state) => state.form.items)
  const addItem = useCustoms((state) => state.addItem)
  const isToBeChecked = useCustoms((state) => state.isToBeChecked)
  const holder = useRowFocus<HTMLFieldSetElement>(items.map(({ key }) => key))
  return (
    <fieldset ref={holder} aria-label={t('customs.items')}>
      <Stack gap={12}>
        <ScanField />
        {isToBeChecked ? <Callout tone="attention">{t('customs.checkItems')}</Callout> : null}
        {items.map((item, index) => (
          <ItemRow key={item.key} item={item} row={index + 1} />
        ))}
        <div>
          <AddButton onClick={addItem}>{t('customs.addItem')}</AddButton>
        </div>
        <Totals items={items} />
      </Stack>
    </fieldset>
  )
}

function ScanField() {
  const { t } = useTranslation()
  const [code, setCode] = useState('')
  const scan = useCustoms((state) => state.scan)
  const unknownCode = useCustoms((state) => state.unknownCode)
  return (
    <TextField
      label={t('customs.scan')}
      data-scan="own"
      value={code}
      onChange={setCode}
      advice={unknownCode === null ? undefined : t('customs.unknownCode', { code: unknownCode })}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        event.preventDefault()
        void scan(code)
        setCode('')
      }}
    />
  )
}

const fields: readonly { field: ItemField; numeric?: boolean }[] = [
  { field: 'productCode' },
  { field: 'product' },
  { field: 'hsCode' },
  { field: 'quantity', numeric: true },
  { field: 'countryOfOrigin' },
  { field: 'weight', numeric: true },
  { field: 'itemPrice', numeric: true },
]

function ItemRow({ item, row }: { item: ItemForm; row: number }) {
  const { t } = useTranslation()
  const editItem = useCustoms((state) => state.editItem)
  const removeItem = useCustoms((state) => state.removeItem)
  const completeItem = useCustoms((state) => state.completeItem)
  const issues = useCustoms((state) => state.issues)
  const issueText = useIssueText()
  const hsText = useHsText()
  return (
    <div className={styles.item} data-row>
      {fields.map(({ field, numeric }) => (
        <TextField
          key={field}
          className={field === 'product' ? styles.twice : undefined}
          label={t(`customs.${itemLabels[field]}`)}
          aria-label={t('customs.itemField', { field: t(`customs.${itemLabels[field]}`), row })}
          value={item[field]}
          onChange={(text) =>
            editItem(item.key, field, field === 'countryOfOrigin' ? text.toUpperCase() : text)
          }
          onBlur={() => {
            if (field === 'productCode') void completeItem(item.key)
          }}
          inputMode={numeric ? 'decimal' : undefined}
          data-part={row === 1 && field === 'quantity' ? 'customs-item' : undefined}
          errorText={issueText(issues[`items.${row - 1}.${field}`], t(`customs.${itemLabels[field]}`))}
          advice={field === 'hsCode' ? hsText(item) : undefined}
        />
      ))}
      <ActionIcon
        className={styles.besideField}
        aria-label={t('customs.removeItem', { row })}
        onClick={() => removeItem(item.key)}
      >
        <IconX size={22} aria-hidden />
      </ActionIcon>
    </div>
  )
}

/** Advice about an item's HS code; none for a row that names no product yet. */
function useHsText() {
  const { t } = useTranslation()
  return ({ product, hsCode }: ItemForm): string | undefined => {
    if (hsCode.trim() === '') return product === '' ? undefined : t('customs.hsMissing')
    const advice = hsCodeAdvice(hsCode)
    if (advice === null) return undefined
    return advice === 'hs-form' ? t('customs.hsForm') : t('customs.hsLostZero')
  }
}

function Totals({ items }: { items: readonly ItemForm[] }) {
  const { t, i18n } = useTranslation()
  const currency = useCustoms((state) => state.form.currency)
  const weight = useShip((state) => readNumber(state.form.weight))
  const pricesLeftOut = useCustoms((state) => state.pricesLeftOut)
  const totals = customsTotals(itemNumbers(items))
  const number = (amount: number) => formatNumber(amount, i18n.language)
  const sums = {
    pieces: number(totals.pieces),
    weight: number(totals.weight),
    currency,
    value: formatAmount(totals.value, i18n.language),
  }
  return (
    <>
      <p role="status">
        <strong>{t('customs.totals', sums)}</strong>
      </p>
      {pricesLeftOut ? <Callout tone="attention">{t('customs.pricesLeftOut', { currency })}</Callout> : null}
      {weight > 0 && totals.weight > weight ? (
        <Callout tone="attention">
          {t('customs.tooHeavy', { items: sums.weight, parcel: number(weight) })}
        </Callout>
      ) : null}
    </>
  )
}
