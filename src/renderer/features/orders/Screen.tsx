import { ActionIcon, Button, Group } from '@mantine/core'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { maxTableMegabytes } from '../../../shared/inputIssues'
import { type OrderState, orderStateSchema } from '../../../shared/orders'
import { ok } from '../../../shared/result'
import { useBridgeQuery } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { ChoiceSelect } from '../../ui/ChoiceSelect'
import { useDialogTurn } from '../../ui/dialogs'
import { FileChoice, readChosen } from '../../ui/FileChoice'
import { TextField } from '../../ui/TextField'
import { BatchPanel } from './BatchPanel'
import { ImportOrders } from './ImportOrders'
import { useOrderImports } from './importStore'
import { OrderFilters } from './OrderFilters'
import { OrderPane } from './OrderPane'
import { OrderTable } from './OrderTable'
import styles from './orders.module.css'
import { useOrdersView } from './ordersViewStore'
import { ShipOrders } from './ShipOrders'
import { SkipOrders } from './SkipOrders'
import { useDroppedAndPasted } from './useDroppedAndPasted'

/** The orders to ship: import, correct, ship or skip them. */
export function OrdersScreen() {
  const { t } = useTranslation()
  const { plan, reading, errors, add, setPlan, close, forgetErrors } = useOrderImports((imports) => imports)
  const isImportShown = useDialogTurn(plan !== null)
  const search = useRef<HTMLInputElement>(null)
  useEffect(() => search.current?.focus(), [])

  // An error that comes up on another screen is shown on return.
  useEffect(() => forgetErrors, [forgetErrors])
  const addFiles = (files: readonly File[]) =>
    add(
      files.map((file) => ({
        fileName: file.name,
        pasted: false,
        read: () => readChosen(file, maxTableMegabytes, 'table-unreadable'),
      })),
    )
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
        {errors.map((error) => (
          <ErrorCallout key={error.message} error={error} />
        ))}
        <OrderTable />
        {reading === null ? null : <p role="status">{t('orders.reading', { file: reading })}</p>}
        <TickedActions />
      </div>
      <OrderPane />
      {plan && isImportShown ? <ImportOrders plan={plan} onPlan={setPlan} onClose={close} /> : null}
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
        // The next scan replaces this one.
        if (event.key === 'Enter') event.currentTarget.select()
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
  const tick = useOrdersView((view) => view.tick)
  const untickAll = useOrdersView((view) => view.untickAll)
  const state = useOrdersView((view) => view.filter.state)
  if (ticked.size === 0 || state === 'shipped') return null
  return (
    <Group gap={10} role="status">
      <strong>{t('orders.ticked', { count: ticked.size })}</strong>
      {state === 'to-ship' ? <ShipOrders orderIds={[...ticked]} onStarted={untickAll} /> : null}
      <SkipOrders orderIds={[...ticked]} state={state} onDone={(ids) => tick(ids, false)} />
      <Button variant="subtle" onClick={untickAll}>
        {t('orders.untick')}
      </Button>
    </Group>
  )
}
