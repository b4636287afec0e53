import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { useStores } from '../../app/storesContext'
import { useFaultText } from '../../ui/useFaultText'
import { useRowFocus } from '../../ui/useRowFocus'
import type { CarrierRow } from './carriersForm'
import { SaveBar } from './SaveBar'
import styles from './settings.module.css'

/** Carrier options of the account with the names that operators know them by. */
export function CarriersTab() {
  const { t } = useTranslation()
  const { tabs } = useStores()
  return (
    <div className={styles.wide}>
      <p>{t('carriersTab.intro')}</p>
      <CarriersEditor />
      <SaveBar store={tabs.carriers} />
    </div>
  )
}

/** The editable table of carrier options, without its save button. */
export function CarriersEditor() {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const rows = useStore(tabs.carriers, (state) => state.values) ?? []
  const edit = useStore(tabs.carriers, (state) => state.edit)
  const add = () =>
    edit((before) => [...before, { key: crypto.randomUUID(), name: '', carrierId: '', carrierOptionId: '' }])
  const holder = useRowFocus<HTMLDivElement>(rows.map((row) => row.key))
  return (
    <div className={styles.editor} ref={holder}>
      {rows.length === 0 ? (
        <p className="pb-soft">{t('carriersTab.empty')}</p>
      ) : (
        <table className={styles.table}>
          <caption className="pb-unseen">{t('carriersTab.caption')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('carriersTab.name')}</th>
              <th scope="col">{t('carriersTab.carrierId')}</th>
              <th scope="col">{t('carriersTab.carrierOptionId')}</th>
              <td className={styles.actionColumn} />
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <CarrierLine key={row.key} row={row} index={index} />
            ))}
          </tbody>
        </table>
      )}
      <div>
        <Button variant="default" leftSection={<IconPlus size={20} aria-hidden />} onClick={add}>
          {t('carriersTab.add')}
        </Button>
      </div>
    </div>
  )
}

function CarrierLine({ row, index }: { row: CarrierRow; index: number }) {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const edit = useStore(tabs.carriers, (state) => state.edit)
  const number = index + 1
  const remove = () => edit((rows) => rows.filter((each) => each.key !== row.key))
  return (
    <tr data-row>
      <Cell row={row} index={index} field="name" />
      <Cell row={row} index={index} field="carrierId" />
      <Cell row={row} index={index} field="carrierOptionId" />
      <td>
        <ActionIcon
          aria-label={t('carriersTab.removeRow', {
            name: row.name || t('carriersTab.unnamed', { row: number }),
          })}
          onClick={remove}
        >
          <IconTrash size={22} aria-hidden />
        </ActionIcon>
      </td>
    </tr>
  )
}

interface CellProps {
  row: CarrierRow
  index: number
  field: 'name' | 'carrierId' | 'carrierOptionId'
}

function Cell({ row, index, field }: CellProps) {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const edit = useStore(tabs.carriers, (state) => state.edit)
  const fault = useStore(tabs.carriers, (state) => state.faults[`${index}.${field}`])
  const faultText = useFaultText()
  const label = t(`carriersTab.${field}`)
  const change = (text: string) =>
    edit((rows) => rows.map((each) => (each.key === row.key ? { ...each, [field]: text } : each)))
  return (
    <td>
      <TextInput
        aria-label={t('carriersTab.rowField', { field: label, row: index + 1 })}
        value={row[field]}
        onChange={(event) => change(event.currentTarget.value)}
        error={faultText(fault, label)}
        inputMode={field === 'name' ? undefined : 'numeric'}
        autoComplete="off"
      />
    </td>
  )
}
