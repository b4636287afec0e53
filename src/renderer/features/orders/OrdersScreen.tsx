import { ActionIcon, Button } from '@mantine/core'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppError } from '../../../shared/errors'
import { maxTableMegabytes } from '../../../shared/inputIssues'
import { type ImportPlan, type OrderState, orderStateSchema } from '../../../shared/orders'
import { ok, type Result } from '../../../shared/result'
import { useBridgeMutation, useBridgeQuery } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { ChoiceSelect } from '../../ui/ChoiceSelect'
import { FileChoice, readChosen } from '../../ui/FileChoice'
import { TextField } from '../../ui/TextField'
import { BatchPanel } from './BatchPanel'
import { ImportOrders } from './ImportOrders'
import { OrderFilters } from './OrderFilters'
import { OrderPane } from './OrderPane'
import { OrderTable } from './OrderTable'
import styles from './orders.module.css'
import { useOrdersView } from './ordersView'
import { ShipOrders } from './ShipOrders'
import { SkipOrders } from './SkipOrders'
import { useDroppedAndPasted } from './useDroppedAndPasted'

/** A file or pasted rows that are to be imported. */
interface Table {
  fileName: string
  pasted: boolean
  read: () => Promise<Result<ArrayBuffer, AppError>>
}

/** The orders to ship: import, correct, ship or skip them. */
export function OrdersScreen() {
  const { t } = useTranslation()
  const [plan, setPlan] = useState<ImportPlan | null>(null)
  const [fileErrors, setFileErrors] = useState<readonly AppError[]>([])
  /** Further files and pasted rows, imported one after the other. */
  const waiting = useRef<Table[]>([])
  /** Whether a table is being read or imported. */
  const isBusy = useRef(false)
  const readFile = useBridgeMutation('readOrderFile')
  const search = useRef<HTMLInputElement>(null)
  useEffect(() => search.current?.focus(), [])

  /** Reads the next table. One that can't be read is reported and does not hold up the others. */
  const readNext = async () => {
    const next = waiting.current.shift()
    isBusy.current = next !== undefined
    if (next === undefined) return
    const skip = (error: AppError) => {
      setFileErrors((before) => [...before.filter(({ message }) => message !== error.message), error])
      void readNext()
    }
    const bytes = await next.read()
    if (!bytes.ok) {
      skip(bytes.error)
      return
    }
    const { fileName, pasted } = next
    readFile.mutate({ fileName, bytes: bytes.value, pasted }, { onSuccess: setPlan, onError: skip })
  }
  const add = (tables: readonly Table[]) => {
    waiting.current.push(...tables)
    if (isBusy.current) return
    setFileErrors([])
    void readNext()
  }
  const addFiles = (files: readonly File[]) =>
    add(
      files.map((file) => ({
        fileName: file.name,
        pasted: false,
        read: () => readChosen(file, maxTableMegabytes, 'table-unreadable'),
      })),
    )
  const close = () => {
    setPlan(null)
    void readNext()
  }
  const isOver = useDroppedAndPasted({
    onFiles: addFiles,
    onRows(text) {
      const bytes = new TextEncoder().encode(text).buffer
      add([{ fileName: t('orders.pasted'), pasted: true, read: async () => ok(bytes) }])
    },
  })
  return (
    <section className={styles.screen} data-over={isOver} aria-label={t('nav.orders')}>
      <div className={styles.left}>
        <div className={styles.top}>
          <h1 className="pb-title">{t('nav.orders')}</h1>
          <ListTabs />
          <Search searchRef={search} />
          <OrderFilters />
          <FileChoice
            label={t('orders.importFile')}
            accept=".csv,.txt,.tsv,.xlsx"
            onFile={(file) => addFiles([file])}
          />
          <AddOrder />
        </div>
        <BatchPanel />
        {fileErrors.map((error) => (
          <ErrorCallout key={error.message} error={error} />
        ))}
        <OrderTable />
        <TickedActions />
      </div>
      <OrderPane />
      {plan ? <ImportOrders plan={plan} onPlan={setPlan} onClose={close} /> : null}
    </section>
  )
}

function AddOrder() {
  const { t } = useTranslation()
  const add = useOrdersView((view) => view.add)
  return (
    <ActionIcon
      size={44}
      variant="default"
      aria-label={t('orders.add')}
      title={t('orders.add')}
      onClick={add}
    >
      <IconPlus size={22} aria-hidden />
    </ActionIcon>
  )
}

/** The four lists with their counts; a select where there is no room for four buttons. */
function ListTabs() {
  const { t } = useTranslation()
  const filter = useOrdersView((view) => view.filter)
  const show = useOrdersView((view) => view.show)
  const counts = useBridgeQuery('countOrders', undefined).data
  const name = (state: OrderState) => t(`orders.state.${state}`, { count: counts?.[state] ?? 0 })
  return (
    <>
      <fieldset className={styles.states} aria-label={t('orders.lists')}>
        {orderStateSchema.options.map((state) => (
          <Button
            key={state}
            variant={filter.state === state ? 'filled' : 'default'}
            aria-pressed={filter.state === state}
            onClick={() => show({ state })}
          >
            {name(state)}
          </Button>
        ))}
      </fieldset>
      <ChoiceSelect
        className={styles.stateChoice}
        aria-label={t('orders.lists')}
        value={filter.state}
        choices={orderStateSchema.options.map((state) => ({ value: state, label: name(state) }))}
        onChange={(state) => show({ state })}
      />
    </>
  )
}

function Search({ searchRef }: { searchRef: React.Ref<HTMLInputElement> }) {
  const { t } = useTranslation()
  const text = useOrdersView((view) => view.filter.text)
  const show = useOrdersView((view) => view.show)
  return (
    <TextField
      ref={searchRef}
      className={styles.search}
      aria-label={t('orders.search')}
      placeholder={t('orders.searchHint')}
      title={t('orders.searchTitle')}
      leftSection={<IconSearch size={20} aria-hidden />}
      value={text}
      onChange={(typed) => show({ text: typed })}
      maxLength={200}
      data-home
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown') return
        event.preventDefault()
        const list = event.currentTarget.closest('section')
        const find = (which: string) => list?.querySelector<HTMLElement>(`button[data-index]${which}`)
        const row = find('[aria-current="true"]') ?? find('')
        row?.focus()
        row?.click()
      }}
    />
  )
}

/** Actions on the ticked orders. */
function TickedActions() {
  const { t } = useTranslation()
  const ticked = useOrdersView((view) => view.ticked)
  const untickAll = useOrdersView((view) => view.untickAll)
  const state = useOrdersView((view) => view.filter.state)
  if (ticked.size === 0 || state === 'shipped') return null
  return (
    <div className={styles.ticked} role="status">
      <strong>{t('orders.ticked', { count: ticked.size })}</strong>
      {state === 'to-ship' ? <ShipOrders orderIds={[...ticked]} onStarted={untickAll} /> : null}
      <SkipOrders orderIds={[...ticked]} state={state} onDone={untickAll} />
      <Button variant="subtle" onClick={untickAll}>
        {t('orders.untick')}
      </Button>
    </div>
  )
}
