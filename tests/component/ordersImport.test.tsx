import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useEffect } from 'react'
import { expect, it } from 'vitest'
import { useOrdersView } from '../../src/renderer/features/orders/ordersViewStore'
import { OrdersScreen } from '../../src/renderer/features/orders/Screen'
import { useNavigation } from '../../src/renderer/ui/navigation'
import { methods } from '../../src/shared/bridge'
import { type AppError, appError } from '../../src/shared/errors'
import type { ImportPlan, Order, OrderMapping } from '../../src/shared/orders'
import { err, ok, type Result } from '../../src/shared/result'
import { deferred } from '../support/deferred'
import { createFakeBridge, type FakeBridge } from '../support/fakeBridge'
import { sampleOf } from '../support/sampleOf'
import { Leavable, leaveAndReturn, leaveOrReturn } from './leavable'
import { renderApp } from './renderApp'

/** A bridge whose plans have one order per file, and the texts that were read. */
function withFiles(): { fake: FakeBridge; read: () => { name: string; pasted: boolean; text: string }[] } {
  const fake = createFakeBridge()
  const taken: { name: string; pasted: boolean; text: string }[] = []
  fake.bridge.readOrderFile = async ({ fileName, bytes, pasted }) => {
    taken.push({ name: fileName, pasted, text: new TextDecoder().decode(bytes) })
    return ok({
      importId: `0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c000${taken.length}`,
      fileName,
      hasHeader: true,
      header: ['Order'],
      sample: [],
      rows: 1,
      mapping: { fields: { reference: { columns: ['Order'] } }, weightUnit: 'kg' },
      remembered: true,
      orders: [],
      total: 1,
      withIssues: 0,
      duplicates: 0,
      differences: [],
    })
  }
  fake.bridge.importOrders = async () => ok({ added: 1, updated: 0, skipped: 0, withIssues: 0 })
  return { fake, read: () => taken }
}

const csv = (name: string) => new File([`Order\n${name}\n`], name, { type: 'text/csv' })
const dialog = (file: string) => screen.findByRole('dialog', { name: `Import orders: ${file}` })

it('several dropped files are imported one after another, wherever they are dropped', async () => {
  const { fake, read } = withFiles()
  const { user, container } = renderApp(<OrdersScreen />, fake)
  const section = await screen.findByRole('region', { name: 'Orders' })
  fireEvent.dragEnter(document.body)
  expect(section.dataset.over).toBe('true')
  fireEvent.drop(container, { dataTransfer: { files: [csv('one.csv'), csv('two.csv')] } })
  expect(section.dataset.over).toBe('false')
  const first = await dialog('one.csv')
  // A file dropped onto an open dialog does not replace it.
  fireEvent.drop(first, { dataTransfer: { files: [csv('three.csv')] } })
  await user.click(within(first).getByRole('button', { name: 'Import 1 order' }))
  const second = await dialog('two.csv')
  await user.click(within(second).getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(read()).toEqual([
    { name: 'one.csv', pasted: false, text: 'Order\none.csv\n' },
    { name: 'two.csv', pasted: false, text: 'Order\ntwo.csv\n' },
  ])
})

it.each([
  ['starts on its facts when a key was pressed while the file was being read', 'x', /^1 order\. Rows: 1\./],
  ['starts on Import when a person waits for it', '', 'Import 1 order'],
])('the import %s', async (_what, typed, focused) => {
  const { fake } = withFiles()
  const readable = fake.bridge.readOrderFile
  const reading = deferred<undefined>()
  fake.bridge.readOrderFile = async (file) => {
    await reading.promise
    return readable(file)
  }
  const { user, container } = renderApp(<OrdersScreen />, fake)
  await screen.findByRole('region', { name: 'Orders' })
  fireEvent.drop(container, { dataTransfer: { files: [csv('one.csv')] } })
  await screen.findByText('Being read: one.csv…')
  if (typed !== '') await user.keyboard(typed)
  await act(async () => reading.resolve(undefined))
  const question = await dialog('one.csv')
  const start = within(question).getByText(focused)
  await waitFor(() => expect(document.activeElement?.contains(start)).toBe(true))
  const imports = fake.calls.filter(({ method }) => method === 'importOrders')
  await user.keyboard(' ')
  expect(fake.calls.filter(({ method }) => method === 'importOrders').length - imports.length).toBe(
    typed === '' ? 1 : 0,
  )
})

it('an import waits while another dialog is open', async () => {
  const { fake } = withFiles()
  const readable = fake.bridge.readOrderFile
  const reading = deferred<undefined>()
  fake.bridge.readOrderFile = async (file) => {
    await reading.promise
    return readable(file)
  }
  const { user, container } = renderApp(
    <>
      <OrdersScreen />
      <Leavable>
        <div role="dialog" aria-label="Another question" />
      </Leavable>
    </>,
    fake,
  )
  await leaveOrReturn(user)
  fireEvent.drop(container, { dataTransfer: { files: [csv('one.csv')] } })
  await leaveOrReturn(user)
  await act(async () => reading.resolve(undefined))
  await waitFor(() => expect(screen.queryByText(/^Being read/)).toBeNull())
  expect(screen.getAllByRole('dialog')).toEqual([screen.getByLabelText('Another question')])
  await leaveOrReturn(user)
  await dialog('one.csv')
})

it('a file that can’t be read is reported and does not hold up the other dropped files', async () => {
  const { fake, read } = withFiles()
  const readable = fake.bridge.readOrderFile
  fake.bridge.readOrderFile = async (file) =>
    file.fileName === 'broken.csv'
      ? err(appError('table-unreadable', { file: file.fileName, reason: 'it is damaged' }))
      : readable(file)
  const { user, container } = renderApp(<OrdersScreen />, fake)
  await screen.findByRole('region', { name: 'Orders' })
  const huge = csv('huge.csv')
  Object.defineProperty(huge, 'size', { value: 10 ** 10 })
  const files = [csv('broken.csv'), csv('one.csv'), huge, csv('two.csv')]
  fireEvent.drop(container, { dataTransfer: { files } })
  // Dropped while the first files are being read.
  fireEvent.drop(container, { dataTransfer: { files: [csv('three.csv')] } })
  for (const name of ['one.csv', 'two.csv', 'three.csv']) {
    await user.click(within(await dialog(name)).getByRole('button', { name: 'Import 1 order' }))
  }
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(screen.getByText(/broken\.csv/)).toBeTruthy()
  expect(screen.getByText(/huge\.csv/)).toBeTruthy()
  expect(read().map(({ name }) => name)).toEqual(['one.csv', 'two.csv', 'three.csv'])
  const chosen = screen.getByLabelText('Import a file')
  await user.upload(chosen, csv('four.csv'))
  await dialog('four.csv')
  expect(screen.queryByText(/broken\.csv/)).toBeNull()
})

it('a file that was being read when the screen changed is named, and is offered on return', async () => {
  const { fake } = withFiles()
  const readable = fake.bridge.readOrderFile
  const reading = deferred<undefined>()
  fake.bridge.readOrderFile = async (file) => {
    await reading.promise
    return file.fileName === 'broken.csv'
      ? err(appError('table-unreadable', { file: file.fileName, reason: 'it is damaged' }))
      : readable(file)
  }
  const { user, container } = renderApp(
    <Leavable>
      <OrdersScreen />
    </Leavable>,
    fake,
  )
  await screen.findByRole('region', { name: 'Orders' })
  fireEvent.drop(container, { dataTransfer: { files: [csv('broken.csv'), csv('one.csv')] } })
  await screen.findByText('Being read: broken.csv…')
  await leaveOrReturn(user)
  await act(async () => reading.resolve(undefined))
  await leaveOrReturn(user)
  await dialog('one.csv')
  expect(screen.getByText(/it is damaged/)).toBeDefined()
  expect(screen.queryByText(/^Being read/)).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await leaveAndReturn(user)
  expect(screen.queryByText(/it is damaged/)).toBeNull()
})

it('pasted rows are imported wherever the cursor is, and a single pasted line goes into its field', async () => {
  const { fake, read } = withFiles()
  renderApp(<OrdersScreen />, fake)
  const search = await screen.findByRole('textbox', { name: 'Search orders' })
  const paste = (text: string) => fireEvent.paste(search, { clipboardData: { getData: () => text } })
  // False: the default was prevented, so the field receives nothing.
  expect(paste('ORDER-1\n')).toBe(true)
  expect(read()).toEqual([])
  expect(paste('Order\tName\nORDER-1\tJansen\n')).toBe(false)
  await dialog('Pasted rows')
  expect(read()).toEqual([{ name: 'Pasted rows', pasted: true, text: 'Order\tName\nORDER-1\tJansen\n' }])
})

it('a typed order is added with the keyboard alone, and is shown', async () => {
  const fake = createFakeBridge()
  const added = {
    ...methods.addOrder.output.parse(sampleOf(methods.addOrder.output)),
    ...{
      id: '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0009',
      state: 'to-ship' as const,
      values: { reference: 'A-1' },
    },
    ...{
      source: { kind: 'typed' as const, name: '', line: null },
      origin: 'typed' as const,
      importedAt: '2026-11-22T10:00:00.000Z',
    },
  }
  fake.bridge.addOrder = async () => ok(added)
  fake.bridge.getOrder = async () => ok(added)
  const { user } = renderApp(<OrdersScreen />, fake)
  screen.getByRole('button', { name: 'Add an order' }).focus()
  await user.keyboard('{Enter}')
  const pane = await screen.findByRole('complementary', { name: 'New order' })
  expect(document.activeElement).toBe(within(pane).getByRole('textbox', { name: /^Reference$/ }))
  await user.keyboard('A-1')
  const carrier = within(pane).getByRole('combobox', { name: 'Carrier option' })
  await user.selectOptions(carrier, await within(carrier).findByRole('option', { name: 'DHL Europlus' }))
  await user.type(within(pane).getByRole('textbox', { name: /^Reference$/ }), '{Enter}')
  await screen.findByRole('complementary', { name: 'Order' })
  expect(screen.getByText(/^Typed · /)).toBeTruthy()
  expect(fake.calls.find(({ method }) => method === 'addOrder')?.input).toEqual({
    values: { reference: 'A-1', carrierOptionId: '51' },
  })
})

it('the mapping lists each chosen column, and offers another one when the field has the focus', async () => {
  const { fake } = withFiles()
  const read = fake.bridge.readOrderFile
  fake.bridge.readOrderFile = async (file) => {
    const plan = await read(file)
    if (!plan.ok) return plan
    const fields = { reference: { columns: ['Order'] }, street: { columns: ['Address1', 'Address2'] } }
    const header = ['Order', 'Address1', 'Address2']
    return ok({ ...plan.value, header, remembered: false, mapping: { ...plan.value.mapping, fields } })
  }
  const { container } = renderApp(<OrdersScreen />, fake)
  await screen.findByRole('region', { name: 'Orders' })
  fireEvent.drop(container, { dataTransfer: { files: [csv('one.csv')] } })
  const question = await dialog('one.csv')
  for (const column of ['Order', 'Address1', 'Address2']) {
    expect(within(question).getByText(column, { selector: '.mantine-Pill-label' })).toBeTruthy()
  }
  expect(within(question).getByTitle('Address1 + Address2')).toBeTruthy()
})

it('the mapping shows the values of columns without headings, and uses the first row as headings on request', async () => {
  const { fake } = withFiles()
  const read = fake.bridge.readOrderFile
  fake.bridge.readOrderFile = async (file) => {
    const plan = await read(file)
    if (!plan.ok) return plan
    const fields = { reference: { columns: ['A'] } }
    const table = { hasHeader: false, header: ['A', 'B'], sample: [['A-1', 'Jan Smit']] }
    return ok({ ...plan.value, ...table, remembered: false, mapping: { ...plan.value.mapping, fields } })
  }
  fake.bridge.takeFirstRow = async ({ importId }) => {
    const sample = sampleOf(methods.takeFirstRow.output)
    const plan = methods.takeFirstRow.output.parse(sample)
    return ok({ ...plan, importId, fileName: 'rows.csv', hasHeader: true, total: 7 })
  }
  const { container, user } = renderApp(<OrdersScreen />, fake)
  await screen.findByRole('region', { name: 'Orders' })
  fireEvent.drop(container, { dataTransfer: { files: [csv('rows.csv')] } })
  const question = await dialog('rows.csv')
  expect(within(question).getByText(/looks like an order/)).toBeTruthy()
  expect(within(question).getByText('A: A-1', { selector: '.mantine-Pill-label' })).toBeTruthy()
  const isHeadings = within(question).getByRole<HTMLInputElement>('checkbox', {
    name: 'The first row is headings',
  })
  expect(isHeadings.checked).toBe(false)
  await user.click(isHeadings)
  await within(question).findByRole('button', { name: 'Import 7 orders' })
  expect(isHeadings.checked).toBe(true)
  expect(within(question).queryByText(/looks like an order/)).toBeNull()
  expect(fake.calls.find(({ method }) => method === 'takeFirstRow')?.input).toMatchObject({ hasHeader: true })
})

it('a change of the mapping while the previous one is being planned is not lost, and Import waits for its plan', async () => {
  const { fake } = withFiles()
  const read = fake.bridge.readOrderFile
  let plan: ImportPlan | undefined
  fake.bridge.readOrderFile = async (file) => {
    const answer = await read(file)
    if (!answer.ok) return answer
    plan = { ...answer.value, remembered: false }
    return ok(plan)
  }
  const planned: { mapping: OrderMapping; answer: (ok: boolean) => void }[] = []
  fake.bridge.planOrderImport = ({ mapping }) =>
    new Promise((resolve) => {
      const answer = (isPlanned: boolean) =>
        resolve(isPlanned && plan ? ok({ ...plan, mapping }) : err(appError('internal')))
      planned.push({ mapping, answer })
    })
  const { container, user } = renderApp(<OrdersScreen />, fake)
  await screen.findByRole('region', { name: 'Orders' })
  fireEvent.drop(container, { dataTransfer: { files: [csv('one.csv')] } })
  const question = await dialog('one.csv')
  const field = (name: string) => within(question).getByLabelText<HTMLInputElement>(name)
  const fix = (name: string, text: string) => {
    fireEvent.change(field(name), { target: { value: text } })
    fireEvent.blur(field(name))
  }
  const button = () => within(question).getByRole<HTMLButtonElement>('button', { name: 'Import 1 order' })
  const answerPlan = async (isPlanned: boolean) => act(async () => planned.at(-1)?.answer(isPlanned))

  fix('Fixed text for Country', 'BE')
  fix('Fixed text for Content', 'Books')
  await waitFor(() => expect(planned).toHaveLength(1))
  await answerPlan(true)
  await waitFor(() => expect(planned).toHaveLength(2))
  expect(field('Fixed text for Content').value).toBe('Books')
  expect(button().disabled).toBe(true)
  await answerPlan(true)
  await waitFor(() => expect(button().disabled).toBe(false))

  // A refused change does not stay in its field.
  fix('Fixed text for Content', 'Toys')
  await waitFor(() => expect(planned).toHaveLength(3))
  await answerPlan(false)
  await waitFor(() => expect(field('Fixed text for Content').value).toBe('Books'))
  await user.click(button())
  const fields = { reference: { columns: ['Order'] }, country: { fixed: 'BE' }, content: { fixed: 'Books' } }
  await waitFor(() =>
    expect(fake.calls.find(({ method }) => method === 'importOrders')?.input).toMatchObject({
      mapping: { fields },
    }),
  )
})

it('a plan that arrives after Cancel does not open the import again', async () => {
  const { fake } = withFiles()
  const read = fake.bridge.readOrderFile
  const planned = deferred<Result<ImportPlan, AppError>>()
  fake.bridge.takeFirstRow = () => planned.promise
  const opened = deferred<ImportPlan>()
  fake.bridge.readOrderFile = async (file) => {
    const answer = await read(file)
    if (answer.ok) opened.resolve(answer.value)
    return answer
  }
  const { container, user } = renderApp(<OrdersScreen />, fake)
  await screen.findByRole('region', { name: 'Orders' })
  fireEvent.drop(container, { dataTransfer: { files: [csv('one.csv')] } })
  const question = await dialog('one.csv')
  await user.click(within(question).getByRole('checkbox', { name: 'The first row is headings' }))
  await user.click(within(question).getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  const plan = await opened.promise
  await act(async () => planned.resolve(ok(plan)))
  expect(screen.queryByRole('dialog')).toBeNull()
})

it('an import that runs can’t be closed, so its end does not close the dialog of the next file', async () => {
  const { fake } = withFiles()
  const imported = deferred<Awaited<ReturnType<typeof fake.bridge.importOrders>>>()
  fake.bridge.importOrders = () => imported.promise
  const { container, user } = renderApp(<OrdersScreen />, fake)
  await screen.findByRole('region', { name: 'Orders' })
  fireEvent.drop(container, { dataTransfer: { files: [csv('one.csv'), csv('two.csv')] } })
  const first = within(await dialog('one.csv'))
  await user.click(first.getByRole('button', { name: 'Import 1 order' }))
  await user.click(first.getByRole('button', { name: 'Cancel' }))
  await user.keyboard('{Escape}')
  expect(screen.getByRole('dialog', { name: 'Import orders: one.csv' })).toBeDefined()
  expect(fake.calls.filter(({ method }) => method === 'dropOrderFile')).toEqual([])
  await act(async () => imported.resolve(ok({ added: 1, updated: 0, skipped: 0, withIssues: 0 })))
  await dialog('two.csv')
})

const listed = methods.getOrder.output.parse(sampleOf(methods.getOrder.output))

/** Shows the order that Ship was opened for. */
function Left() {
  const reference = useNavigation((state) => state.orderToShip?.reference)
  return <p>left for {reference ?? 'nothing'}</p>
}

/** The screen with that order selected. */
function Chosen() {
  const select = useOrdersView((view) => view.select)
  useEffect(() => select(listed.id), [select])
  return <OrdersScreen />
}

/** The screen with an order selected that can be shipped, and what it was left for. */
function renderOrderToShip(values: Order['values']) {
  const fake = createFakeBridge()
  const order = {
    ...listed,
    ...{ state: 'to-ship' as const, issues: [], importedAt: '2026-11-22T10:00:00.000Z' },
    values,
  }
  fake.bridge.getOrder = async () => ok(order)
  return renderApp(
    <>
      <Chosen />
      <Left />
    </>,
    fake,
  )
}

it('the order pane keeps unsaved input when the order changes meanwhile, and updates the other fields', async () => {
  const fake = createFakeBridge()
  let order = {
    ...listed,
    ...{ state: 'to-ship' as const, issues: [] },
    ...{ importedAt: '2026-11-22T10:00:00.000Z' },
    values: { reference: 'A-1', city: 'Delft', street: 'Markt' },
  }
  fake.bridge.getOrder = async () => ok(order)
  const { user } = renderApp(<Chosen />, fake)
  const pane = await screen.findByRole('complementary', { name: 'Order' })
  const city = within(pane).getByRole<HTMLInputElement>('textbox', { name: /^City/ })
  await user.clear(city)
  await user.type(city, 'Gouda')
  order = { ...order, values: { ...order.values, city: 'Leiden', street: 'Singel' } }
  fake.emit('ordersChanged', { 'to-ship': 1, problem: 0, shipped: 0, skipped: 0 })
  await waitFor(() =>
    expect(within(pane).getByRole<HTMLInputElement>('textbox', { name: /^Street/ }).value).toBe('Singel'),
  )
  expect(city.value).toBe('Gouda')
  await user.click(within(pane).getByRole('button', { name: 'Save and check again' }))
  await waitFor(() =>
    expect(fake.calls.find(({ method }) => method === 'changeOrder')?.input).toMatchObject({
      values: { reference: 'A-1', city: 'Gouda', street: 'Singel' },
    }),
  )
})

it('F9 opens the selected order on Ship, but not with an unsaved correction', async () => {
  const { user } = renderOrderToShip({ reference: 'A-1', city: 'Delft' })
  const pane = await screen.findByRole('complementary', { name: 'Order' })
  const city = within(pane).getByRole<HTMLInputElement>('textbox', { name: /^City/ })
  await user.type(city, ' centre')
  await user.keyboard('{F9}')
  expect(within(pane).getByRole<HTMLButtonElement>('button', { name: /^Ship this order/ }).disabled).toBe(
    true,
  )
  expect(screen.getByText('left for nothing')).toBeTruthy()
  await user.clear(city)
  await user.type(city, 'Delft')
  // F9 that is still held down from the screen before opens nothing.
  fireEvent.keyDown(city, { key: 'F9', code: 'F9', repeat: true })
  expect(screen.getByText('left for nothing')).toBeTruthy()
  await user.keyboard('{F9}')
  expect(await screen.findByText('left for A-1')).toBeTruthy()
})

it('F9 does not open an order whose country was typed over and not chosen yet', async () => {
  window.localStorage.setItem('packbench.sound', 'off')
  const { user } = renderOrderToShip({ reference: 'A-1', country: 'NL' })
  const country = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Country' })
  act(() => country.focus())
  for (const [typed, shown] of [
    ['Germny', 'Germny'],
    ['Germany', 'Germany (DE)'],
  ]) {
    fireEvent.input(country, { target: { value: typed } })
    await user.keyboard('{F9}')
    expect(screen.getByText('left for nothing')).toBeTruthy()
    expect(country.value).toBe(shown)
  }
})

it('the order pane replaces an invalid carrier option with another one, or leaves it to the rules and defaults', async () => {
  const fake = createFakeBridge()
  const order = {
    ...listed,
    ...{ state: 'problem' as const, importedAt: '2026-11-22T10:00:00.000Z' },
    issues: [{ field: 'carrierOptionId' as const, code: 'carrier-required' }],
    values: { reference: 'A-1', carrierOptionId: 'DHL' },
  }
  fake.bridge.getOrder = async () => ok(order)
  fake.bridge.changeOrder = async ({ values }) => ok({ ...order, values })
  const saved = () => fake.calls.filter(({ method }) => method === 'changeOrder').at(-1)?.input
  const { user } = renderApp(<Chosen />, fake)
  const pane = await screen.findByRole('complementary', { name: 'Order' })
  const carrier = within(pane).getByRole<HTMLSelectElement>('combobox', { name: 'Carrier option' })
  await within(carrier).findByRole('option', { name: 'DHL Europlus' })
  expect([...carrier.options].map(({ text }) => text)).toEqual([
    ...['By the rules', 'PostNL parcel', 'DHL Europlus', 'DHL'],
  ])
  expect(carrier.value).toBe('DHL')
  expect(within(pane).getByText('Choose a carrier option.')).toBeTruthy()
  await user.selectOptions(carrier, 'DHL Europlus')
  expect(within(pane).queryByText('Choose a carrier option.')).toBeNull()
  const save = () => user.click(within(pane).getByRole('button', { name: 'Save and check again' }))
  await save()
  await waitFor(() =>
    expect(saved()).toEqual({ orderId: order.id, values: { reference: 'A-1', carrierOptionId: '51' } }),
  )
  await user.selectOptions(carrier, 'By the rules')
  await save()
  await waitFor(() => expect(saved()).toEqual({ orderId: order.id, values: { reference: 'A-1' } }))
})

it('the order pane shows which rule filled in an order and why, and links a shipped order to its shipment', async () => {
  const fake = createFakeBridge()
  const shipmentId = '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0007'
  fake.bridge.getOrder = async () =>
    ok({
      ...listed,
      ...{ state: 'shipped', issues: [], importedAt: '2026-11-22T10:00:00.000Z', shipmentId },
      ...{ rule: 'Germany', because: [{ condition: 'countries', value: 'DE' }], ruled: { printer: 'gone' } },
      values: { reference: 'A-1', country: 'DE' },
    })
  const { user } = renderApp(
    <>
      <Chosen />
      <Shown />
    </>,
    fake,
  )
  const pane = await screen.findByRole('complementary', { name: 'Order' })
  expect(pane.textContent).toContain('Filled in by the rule “Germany”. (because: country DE)')
  await user.click(within(pane).getByRole('button', { name: 'Show in History' }))
  expect(await screen.findByText(`history shows ${shipmentId}`)).toBeTruthy()
})

/** Shows the shipment that History was opened for. */
function Shown() {
  const selectedId = useNavigation((state) => (state.screen === 'history' ? state.history.selectedId : null))
  return <p>history shows {selectedId ?? 'nothing'}</p>
}
