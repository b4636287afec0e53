import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { OrdersScreen } from '../../src/renderer/features/orders/Screen'
import { ShippedUnsaved } from '../../src/renderer/features/orders/ShippedUnsaved'
import { type Signal, useSound } from '../../src/renderer/ui/sounds'
import type { Batch, BatchEnd } from '../../src/shared/batches'
import { methods } from '../../src/shared/bridge'
import { appError } from '../../src/shared/errors'
import type { Order } from '../../src/shared/orders'
import { ok } from '../../src/shared/result'
import { deferred } from '../support/deferred'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleOf } from '../support/sampleOf'
import { sampleShipment } from '../support/screenSamples'
import { Leavable, leaveAndReturn } from './leavable'
import { renderApp } from './renderApp'
import { giveRoom } from './roomForRows'

const sample = methods.getOrder.output.parse(sampleOf(methods.getOrder.output))
const orders = Array.from(
  { length: 1000 },
  (_, index): Order => ({
    ...sample,
    ...{ id: `0b0f1c52-58a5-4a0e-9d7e-${String(index + 1).padStart(12, '0')}`, state: 'to-ship' },
    ...{ importedAt: '2026-11-22T10:00:00.000Z', values: { reference: `ORDER-${index + 1}` } },
  }),
)

/** The screen with 1,000 orders. Pages after the first are answered once `later` has resolved. */
function renderOrders(later: Promise<unknown> = Promise.resolve(), fake = createFakeBridge()) {
  giveRoom(880, orders.length * 56)
  fake.bridge.listOrders = async ({ offset, limit }) => {
    if (offset > 0) await later
    return ok({ ...{ total: orders.length, offset }, orders: orders.slice(offset, offset + limit) })
  }
  fake.bridge.getOrder = async ({ orderId }) => ok(orders.find(({ id }) => id === orderId) ?? sample)
  const { user } = renderApp(<OrdersScreen />, fake)
  const press = async (key: string) => {
    await user.keyboard(key)
    // happy-dom does not dispatch a scroll event for `scrollTo`.
    const box = screen.getByRole('table', { name: 'Orders of the list' }).parentElement
    if (box) fireEvent.scroll(box)
  }
  return { user, press }
}

const row = (number: number) =>
  screen.findByRole('button', { name: new RegExp(`^ORDER-${number}\\b`), hidden: true })
/** The references of the focused row, the selected row and the open order. */
const chosen = () => ({
  focused: document.activeElement?.querySelector('strong')?.textContent,
  selected: document.querySelector('[aria-selected="true"] strong')?.textContent,
  open: screen.queryByRole('complementary', { name: 'Order' })?.querySelector('h2')?.textContent,
})
const isChosen = (reference: string) =>
  waitFor(() => expect(chosen()).toEqual({ focused: reference, selected: reference, open: reference }))

it('the selection moves with Home, End and Page keys to orders that are not loaded yet, and continues from there', async () => {
  const { user, press } = renderOrders()
  await user.click(await row(1))
  await press('{End}')
  await isChosen('ORDER-1000')
  await press('{ArrowUp}')
  await isChosen('ORDER-999')
  await press('{PageUp}')
  await isChosen('ORDER-991')
  await press('{Home}')
  await isChosen('ORDER-1')
  await press('{PageDown}')
  await isChosen('ORDER-9')
})

it('a search shows its first hits, also from the end of the list', async () => {
  const { user, press } = renderOrders()
  await user.click(await row(1))
  await press('{End}')
  await isChosen('ORDER-1000')
  const box = screen.getByRole('table', { name: 'Orders of the list' }).parentElement
  expect(box?.scrollTop).toBeGreaterThan(0)
  await user.type(screen.getByRole('textbox', { name: 'Search orders' }), 'O')
  await waitFor(() => expect(box?.scrollTop).toBe(0))
})

it('the focus stays where a person moved it before the requested order was loaded', async () => {
  const later = deferred<void>()
  const { user, press } = renderOrders(later.promise)
  await user.click(await row(1))
  await press('{End}')
  await waitFor(() => expect(document.activeElement === document.body).toBe(true))
  const search = screen.getByRole('textbox', { name: 'Search orders' })
  await user.click(search)
  later.resolve()
  await row(1000)
  expect(document.activeElement === search).toBe(true)
  expect(chosen().open).toBe('ORDER-1')
})

it('the list ticks all current orders, even from a row that was rendered before the others arrived', async () => {
  giveRoom(880, 5 * 56)
  const fake = createFakeBridge()
  let total = 3
  fake.bridge.listOrders = async () => ok({ total, offset: 0, orders: orders.slice(0, total) })
  fake.bridge.getOrder = async () => ok(orders[0] ?? sample)
  const { user } = renderApp(<OrdersScreen />, fake)
  await user.click(await row(1))
  total = 5
  fake.emit('ordersChanged', { 'to-ship': 5, problem: 0, shipped: 0, skipped: 0 })
  await row(5)
  await user.keyboard('{Control>}a{/Control}')
  await waitFor(() =>
    expect(screen.getAllByRole('checkbox', { checked: true, hidden: true })).toHaveLength(5),
  )
})

it('selecting all orders selects none if the filter changes before the answer arrives', async () => {
  const listed = deferred<void>()
  const fake = createFakeBridge()
  fake.bridge.listOrderIds = async () => {
    await listed.promise
    return ok(orders.map(({ id }) => id))
  }
  const { user } = renderOrders(Promise.resolve(), fake)
  await user.click(await row(1))
  await user.keyboard('{Control>}a{/Control}')
  await user.type(screen.getByRole('textbox', { name: 'Search orders' }), 'x')
  await act(async () => listed.resolve())
  expect(fake.calls.some(({ method }) => method === 'listOrderIds')).toBe(true)
  expect(screen.queryAllByRole('checkbox', { checked: true, hidden: true })).toEqual([])
})

const box = (number: number) =>
  screen.getByRole('checkbox', { name: `Select order ORDER-${number}`, hidden: true })
const areTicked = async (count: number) => {
  await screen.findByText(count === 1 ? '1 order selected' : `${count} orders selected`)
}

it('Shift with a key selects from the row with the cursor, however the cursor came there', async () => {
  const { user, press } = renderOrders()
  await user.click(await row(10))
  await press('{Shift>}{ArrowDown}{/Shift}')
  await areTicked(2)
  await isChosen('ORDER-11')
  await press('{Shift>}{PageUp}{/Shift}')
  await areTicked(9)
  await isChosen('ORDER-3')

  await press('{End}')
  await isChosen('ORDER-1000')
  await user.click(box(999))
  const search = screen.getByRole('textbox', { name: 'Search orders' })
  await user.type(search, 'x')
  await waitFor(() => expect(screen.queryByText(/selected$/)).toBeNull())
  await user.click(await row(990))
  await press('{Shift>}{ArrowDown}{/Shift}')
  await areTicked(2)

  await user.click(box(1000))
  await user.click(search)
  await user.keyboard('{ArrowDown}')
  await isChosen('ORDER-991')
  await press('{Shift>}{ArrowUp}{/Shift}')
  await areTicked(3)
})

it('Shift with a click ticks from the order selected last, also when the list has moved, and forgets it with the filter', async () => {
  giveRoom(880, 20 * 56)
  const fake = createFakeBridge()
  let listed = orders.slice(0, 20)
  fake.bridge.listOrders = async () => ok({ total: listed.length, offset: 0, orders: listed })
  fake.bridge.getOrder = async ({ orderId }) => ok(orders.find(({ id }) => id === orderId) ?? sample)
  fake.bridge.listOrderIds = async () => ok(listed.map(({ id }) => id))
  const { user } = renderApp(<OrdersScreen />, fake)
  const clickWithShift = async (number: number) => {
    await user.keyboard('{Shift>}')
    await user.click(box(number))
    await user.keyboard('{/Shift}')
  }
  const move = async (left: readonly Order[], gone: number) => {
    listed = [...left]
    fake.emit('ordersChanged', { 'to-ship': left.length, problem: 0, shipped: 0, skipped: 0 })
    await waitFor(() => expect(screen.queryByText(`ORDER-${gone}`)).toBeNull())
  }
  await user.click(await row(12))
  await move(orders.slice(5, 20), 5)
  await clickWithShift(14)
  await areTicked(3)
  await move([...orders.slice(5, 13), ...orders.slice(14, 20)], 14)
  await clickWithShift(17)
  await areTicked(4)
  await user.type(screen.getByRole('textbox', { name: 'Search orders' }), 'x')
  await waitFor(() => expect(screen.queryByText(/selected$/)).toBeNull())
  await clickWithShift(8)
  await areTicked(1)
})

it('Shift with a click ticks from an order that is not loaded any more', async () => {
  const fake = createFakeBridge()
  fake.bridge.listOrderIds = async ({ offset, limit }) =>
    ok(orders.slice(offset, offset + limit).map(({ id }) => id))
  const { user } = renderOrders(Promise.resolve(), fake)
  await user.click(await row(2))
  const scroller = screen.getByRole('table', { name: 'Orders of the list' }).parentElement
  scroller?.scrollTo({ top: 500 * 56 })
  if (scroller) fireEvent.scroll(scroller)
  await row(500)
  await user.keyboard('{Shift>}')
  await user.click(box(500))
  await user.keyboard('{/Shift}')
  await areTicked(499)
})

it('the arrow key in the search focuses the selected order, or else the first one', async () => {
  const { user } = renderOrders()
  await row(1)
  await user.click(screen.getByRole('textbox', { name: 'Search orders' }))
  await user.keyboard('{ArrowDown}')
  await isChosen('ORDER-1')
  await user.keyboard('{ArrowDown}')
  await isChosen('ORDER-2')
  await user.click(screen.getByRole('textbox', { name: 'Search orders' }))
  await user.keyboard('{ArrowDown}')
  await isChosen('ORDER-2')
})

it('an order that a batch did not ship shows the outcome and the reason in its row and in the pane', async () => {
  giveRoom(880, 2 * 56)
  const fake = createFakeBridge()
  const [first, second] = orders
  const asked: (readonly string[])[] = []
  fake.bridge.listOrders = async () => ok({ total: 2, offset: 0, orders: orders.slice(0, 2) })
  fake.bridge.getOrder = async ({ orderId }) => ok(orders.find(({ id }) => id === orderId) ?? sample)
  fake.bridge.listBatchEnds = async ({ orderIds }) => {
    asked.push(orderIds)
    const end: Omit<BatchEnd, 'orderId' | 'error'> = {
      ...{ outcome: 'refused', begunAt: '2026-11-22T13:05:00.000Z' },
      ...{ issues: [], shipmentId: null },
    }
    const error = appError('service-refused', { serviceSays: 'no such street' })
    return ok(orderIds.flatMap((orderId) => (orderId === second?.id ? [{ ...end, orderId, error }] : [])))
  }
  const { user } = renderApp(<OrdersScreen />, fake)
  const refused = await row(2)
  await within(refused).findByText('Refused')
  expect(within(await row(1)).queryByText('Refused')).toBeNull()
  expect(asked).toContainEqual([first?.id, second?.id])
  await user.click(refused)
  const pane = await screen.findByRole('complementary', { name: 'Order' })
  await within(pane).findByText(/^Refused \(batch of 22 Nov 2026, /)
  within(pane).getByText(/no such street/)
  fake.emit('batchChanged', null)
  await waitFor(() => expect(asked.filter(({ length }) => length === 2).length).toBeGreaterThan(1))
})

/** The screen with three orders, which can be left. */
function renderThreeOrders() {
  giveRoom(880, 3 * 56)
  const fake = createFakeBridge()
  fake.bridge.listOrders = async () => ok({ total: 3, offset: 0, orders: orders.slice(0, 3) })
  fake.bridge.getOrder = async ({ orderId }) => ok(orders.find(({ id }) => id === orderId) ?? sample)
  const { user, client } = renderApp(
    <>
      <ShippedUnsaved />
      <Leavable>
        <OrdersScreen />
      </Leavable>
    </>,
    fake,
  )
  const signals: Signal[] = []
  useSound.getStore(client).setState({ play: (signal) => signals.push(signal) })
  return { user, fake, signals }
}

it('a new order that is being typed survives a change of screen and a click on another order, until it is added', async () => {
  const { user, fake } = renderThreeOrders()
  const open = async () => user.click(await screen.findByRole('button', { name: 'Add an order' }))
  const pane = () => within(screen.getByRole('complementary', { name: 'New order' }))
  const reference = () => pane().getByRole<HTMLInputElement>('textbox', { name: /^Reference/ })
  await open()
  await user.type(reference(), 'TYPED-1')
  await leaveAndReturn(user)
  expect(reference().value).toBe('TYPED-1')
  await user.click(await row(2))
  await isChosen('ORDER-2')
  await open()
  expect(reference().value).toBe('TYPED-1')
  await user.click(pane().getByRole('button', { name: 'Add to the list' }))
  await screen.findByRole('complementary', { name: 'Order' })
  expect(fake.calls.find(({ method }) => method === 'addOrder')?.input).toEqual({
    values: { reference: 'TYPED-1' },
  })
  await open()
  expect(reference().value).toBe('')
})

it('an order that is added while another one is open is left to the list, and its fields can’t be edited meanwhile', async () => {
  const { user, fake } = renderThreeOrders()
  const added = deferred<void>()
  fake.bridge.addOrder = async ({ values }) => {
    await added.promise
    return ok({ ...sample, id: '0b0f1c52-58a5-4a0e-9d7e-000000009999', state: 'problem', values })
  }
  await user.click(await row(1))
  await isChosen('ORDER-1')
  await user.click(box(1))
  await areTicked(1)
  await user.click(screen.getByRole('button', { name: 'Add an order' }))
  const pane = within(await screen.findByRole('complementary', { name: 'New order' }))
  const reference = pane.getByRole<HTMLInputElement>('textbox', { name: /^Reference/ })
  await user.type(reference, 'NEW{Enter}')
  await waitFor(() => expect(reference.readOnly).toBe(true))
  await user.click(await row(2))
  await isChosen('ORDER-2')
  await act(async () => added.resolve())
  await waitFor(() => expect(fake.calls.some(({ method }) => method === 'addOrder')).toBe(true))
  await areTicked(1)
  expect(chosen().open).toBe('ORDER-2')
  await user.click(screen.getByRole('button', { name: 'Add an order' }))
  await waitFor(() =>
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: /^Reference/ }).value).toBe(''),
  )
})

it('what is typed for a further order while one is being added stays', async () => {
  const { user, fake } = renderThreeOrders()
  const added = deferred<void>()
  fake.bridge.addOrder = async ({ values }) => {
    await added.promise
    return ok({ ...sample, id: '0b0f1c52-58a5-4a0e-9d7e-000000009999', state: 'to-ship', values })
  }
  const open = async () => user.click(await screen.findByRole('button', { name: 'Add an order' }))
  const reference = () => screen.getByRole<HTMLInputElement>('textbox', { name: /^Reference/ })
  await open()
  await user.type(reference(), 'A{Enter}')
  await waitFor(() => expect(fake.calls.some(({ method }) => method === 'addOrder')).toBe(true))
  await user.click(screen.getByRole('button', { name: 'Close' }))
  await open()
  await user.type(reference(), 'B')
  await act(async () => added.resolve())
  expect(reference().value).toBe('B')
})

it('skipping an order keeps its unsaved changes, and leaves an order that was opened meanwhile open', async () => {
  const { user, fake } = renderThreeOrders()
  const skipped = deferred<void>()
  fake.bridge.skipOrders = async () => {
    await skipped.promise
    return ok({ changed: 1, left: [] })
  }
  const city = () => screen.getByRole<HTMLInputElement>('textbox', { name: /^City/ })
  await user.click(await row(1))
  await isChosen('ORDER-1')
  await user.type(city(), 'Delft')
  await user.click(screen.getByRole('button', { name: 'Skip' }))
  await user.type(await screen.findByRole('textbox', { name: /^Reason for skipping/ }), 'x{Enter}')
  await waitFor(() =>
    expect(fake.calls.find(({ method }) => method === 'skipOrders')?.input).toMatchObject({
      state: 'to-ship',
    }),
  )
  await user.click(await row(2))
  await isChosen('ORDER-2')
  await act(async () => skipped.resolve())
  expect(fake.calls.some(({ method }) => method === 'changeOrder')).toBe(false)
  expect(chosen().open).toBe('ORDER-2')
  await user.click(await row(1))
  await waitFor(() => expect(city().value).toBe('Delft'))
})

it('orders that left the list before they were skipped are reported, and alone stay selected', async () => {
  const { user, fake } = renderThreeOrders()
  const states = new Map(orders.slice(0, 3).map(({ id }, index) => [id, index < 2 ? 'to-ship' : 'problem']))
  fake.bridge.skipOrders = async ({ orderIds, state }) => {
    const left = orderIds.filter((id) => states.get(id) !== state)
    for (const id of orderIds) if (!left.includes(id)) states.set(id, 'skipped')
    return ok({ changed: orderIds.length - left.length, left })
  }
  const skip = async (name: string) => {
    await user.click(await screen.findByRole('button', { name }))
    await user.type(await screen.findByRole('textbox', { name: /^Reason for skipping/ }), 'x{Enter}')
  }
  await row(3)
  for (const number of [1, 2, 3]) await user.click(box(number))
  await skip('Skip 3 orders')
  await screen.findByText('1 order had left this list and was not skipped.')
  await areTicked(1)
  await skip('Skip')
  await screen.findByText('1 order had left this list and was not skipped.')
  await areTicked(1)
  await user.click(box(3))
  await waitFor(() => expect(screen.queryByText(/was not skipped|selected$/)).toBeNull())

  await user.click(await row(1))
  await isChosen('ORDER-1')
  await skip('Skip')
  await screen.findByText('1 order had left this list and was not skipped.')
  expect(chosen().open).toBe('ORDER-1')
})

it('corrections of an order survive a change of screen and a click on another order, until they are saved or the order is closed', async () => {
  const { user, fake } = renderThreeOrders()
  fake.bridge.changeOrder = async ({ orderId, values }) => {
    const changed = { ...sample, id: orderId, values }
    fake.bridge.getOrder = async () => ok(changed)
    return ok(changed)
  }
  const city = () => screen.getByRole<HTMLInputElement>('textbox', { name: /^City/ })
  const isShown = (text: string) => waitFor(() => expect(city().value).toBe(text))
  await user.click(await row(1))
  await isChosen('ORDER-1')
  await user.type(city(), 'Delft')
  await user.click(await row(2))
  await isChosen('ORDER-2')
  expect(city().value).toBe('')
  await leaveAndReturn(user)
  await user.click(await row(1))
  await isShown('Delft')
  await user.click(screen.getByRole('button', { name: 'Save and check again' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Save and check again' })).toBeNull())
  expect(city().value).toBe('Delft')
  await user.type(city(), '!')
  await user.click(screen.getByRole('button', { name: 'Close' }))
  await user.click(await row(1))
  await isShown('Delft')
})

it('a field of an order that is typed back to what it was follows the order again', async () => {
  const { user, fake } = renderThreeOrders()
  const city = () => screen.getByRole<HTMLInputElement>('textbox', { name: /^City/ })
  const save = () => screen.queryByRole('button', { name: 'Save and check again' })
  await user.click(await row(1))
  await isChosen('ORDER-1')
  await user.type(city(), 'x')
  expect(save()).not.toBeNull()
  await user.type(city(), '{Backspace}')
  expect(save()).toBeNull()
  fake.bridge.getOrder = async ({ orderId }) =>
    ok({ ...(orders[0] ?? sample), id: orderId, values: { reference: 'ORDER-1', city: 'Delft' } })
  fake.emit('ordersChanged', { 'to-ship': 3, problem: 0, shipped: 0, skipped: 0 })
  await waitFor(() => expect(city().value).toBe('Delft'))
  expect(save()).toBeNull()
})

it('a field of an order that is typed back while the order is being saved keeps what was typed last', async () => {
  const { user, fake } = renderThreeOrders()
  const saved = deferred<void>()
  fake.bridge.changeOrder = async ({ orderId, values }) => {
    await saved.promise
    const changed = { ...(orders[0] ?? sample), id: orderId, values }
    fake.bridge.getOrder = async () => ok(changed)
    return ok(changed)
  }
  const city = () => screen.getByRole<HTMLInputElement>('textbox', { name: /^City/ })
  const save = () => screen.findByRole('button', { name: 'Save and check again' })
  await user.click(await row(1))
  await isChosen('ORDER-1')
  await user.type(city(), 'x{Enter}')
  await waitFor(() => expect(fake.calls.some(({ method }) => method === 'changeOrder')).toBe(true))
  await user.type(city(), '{Backspace}')
  await act(async () => saved.resolve())
  await waitFor(async () => expect((await save()).dataset.loading).toBeUndefined())
  expect(city().value).toBe('')
})

it('a batch does not start while one of its orders has unsaved changes, and the list marks that order', async () => {
  const { user, fake } = renderThreeOrders()
  await user.click(await row(1))
  await isChosen('ORDER-1')
  await user.type(screen.getByRole('textbox', { name: /^City/ }), 'Delft')
  expect(within(await row(1)).getByText('Unsaved changes')).toBeTruthy()
  expect(within(await row(2)).queryByText('Unsaved changes')).toBeNull()
  for (const number of [1, 2])
    await user.click(screen.getByRole('checkbox', { name: `Select order ORDER-${number}` }))
  await user.keyboard('{F9}')
  const dialog = within(await screen.findByRole('dialog', { name: 'Ship 2 orders' }))
  expect(dialog.getByText(/^1 of these orders has unsaved changes/)).toBeTruthy()
  const start = () => dialog.getByRole<HTMLButtonElement>('button', { name: 'Create and print 2 orders' })
  expect(start().disabled).toBe(true)
  const cancel = dialog.getByRole('button', { name: 'Cancel' })
  await waitFor(() => expect(document.activeElement).toBe(cancel))
  await user.click(cancel)
  await user.click(within(screen.getByRole('complementary')).getByRole('button', { name: 'Close' }))
  await user.keyboard('{F9}')
  await user.click(await screen.findByRole('button', { name: 'Create and print 2 orders' }))
  expect(fake.calls.filter(({ method }) => method === 'startBatch')).toHaveLength(1)
})

it.each([
  ['paused', 'Resume', 'resumeBatch'],
  ['ended', 'Ship 2 that are left', 'repeatBatch'],
] as const)(
  'a batch that is %s ships nothing more while one of its orders has unsaved changes',
  async (state, name, method) => {
    const { user, fake } = renderThreeOrders()
    const inBatch = [orders[0]?.id, orders[1]?.id]
    fake.bridge.listBatchItems = async ({ orderIds }) =>
      ok({ items: [], total: orderIds?.filter((id) => inBatch.includes(id)).length ?? 2 })
    const batch: Batch = {
      ...{ id: sample.id, state, pausedBy: state === 'paused' ? 'operator' : null, error: null, total: 2 },
      outcomes: { created: 0, refused: 0, unknown: 0, duplicate: 0, incomplete: 0, left: 2, elsewhere: 0 },
      ...{ underWay: 0, waitsForOthers: false, remainingMs: null, labels: { underWay: 0, forPerson: 0 } },
      unshipped: state === 'ended' ? 2 : 0,
      ...{ createdAt: '2026-11-22T10:00:00.000Z', endedAt: null },
    }
    await user.click(await row(3))
    await isChosen('ORDER-3')
    act(() => fake.emit('batchChanged', batch))
    const ship = () => screen.getByRole<HTMLButtonElement>('button', { name })
    const city = () => screen.getByRole('textbox', { name: /^City/ })
    await user.type(city(), 'Delft')
    expect(ship().disabled).toBe(false)
    await user.click(await row(1))
    await isChosen('ORDER-1')
    await user.type(city(), 'Delft')
    await screen.findByText(/^1 of these orders has unsaved changes/)
    expect(ship().disabled).toBe(true)
    const shippedElsewhere = inBatch.splice(0, 1)
    fake.emit('ordersChanged', { 'to-ship': 2, problem: 0, shipped: 1, skipped: 0 })
    await waitFor(() => expect(ship().disabled).toBe(false))
    inBatch.push(...shippedElsewhere)
    fake.emit('ordersChanged', { 'to-ship': 3, problem: 0, shipped: 0, skipped: 0 })
    await waitFor(() => expect(ship().disabled).toBe(true))
    await user.click(within(screen.getByRole('complementary')).getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(ship().disabled).toBe(false))
    await user.click(ship())
    expect(fake.calls.filter((call) => call.method === method)).toHaveLength(1)
  },
)

it('a change of an order that was shipped since is dropped when the order is opened', async () => {
  const { user, fake } = renderThreeOrders()
  const city = () => screen.getByRole<HTMLInputElement>('textbox', { name: /^City/ })
  await user.click(await row(1))
  await isChosen('ORDER-1')
  await user.type(city(), 'Delft')
  expect(within(await row(1)).getByText('Unsaved changes')).toBeTruthy()
  fake.bridge.getOrder = async () => ok({ ...(orders[0] ?? sample), state: 'shipped' })
  fake.emit('ordersChanged', { 'to-ship': 2, problem: 0, shipped: 1, skipped: 0 })
  await waitFor(() => expect(screen.queryByText('Unsaved changes')).toBeNull())
  expect(city().value).toBe('')
})

it('an order that was shipped with unsaved changes is reported with a sound and what is not on its label', async () => {
  const { user, fake, signals } = renderThreeOrders()
  await user.click(await row(1))
  await isChosen('ORDER-1')
  await user.type(screen.getByRole('textbox', { name: /^City/ }), 'Delft')
  // The change is reported also while another order is open.
  await user.click(await row(2))
  await isChosen('ORDER-2')
  const shipmentId = '6f1f1c52-58a5-4a0e-9d7e-000000000001'
  fake.bridge.getOrder = async () => ok({ ...(orders[0] ?? sample), state: 'shipped', shipmentId })
  fake.bridge.getShipment = async () => ok(sampleShipment({ id: shipmentId, origin: 'batch', jobs: [] }))
  fake.emit('ordersChanged', { 'to-ship': 2, problem: 0, shipped: 1, skipped: 0 })
  fake.emit('ordersChanged', { 'to-ship': 2, problem: 0, shipped: 1, skipped: 0 })
  const message = within(await screen.findByRole('alert'))
  expect(message.getByText(/^ORDER-1 was shipped before these changes were saved/)).toBeTruthy()
  expect(message.getByText('City: Delft')).toBeTruthy()
  expect(message.getByRole('button', { name: 'Show in History' })).toBeTruthy()
  expect(signals).toEqual(['failure'])
  await user.click(message.getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('alert')).toBeNull()
})

it.each([
  ['this station', undefined, []],
  ['another station', { name: 'Bench 2', isThisOne: false }, ['failure']],
])('an unsaved change of an order that the form of Ship of %s shipped', async (_form, station, expected) => {
  const { user, fake, signals } = renderThreeOrders()
  await user.click(await row(1))
  await isChosen('ORDER-1')
  await user.type(screen.getByRole('textbox', { name: /^City/ }), 'Delft')
  const shipment = sampleShipment({ jobs: [] })
  fake.bridge.getShipment = async () => ok({ ...shipment, origin: 'screen', station })
  const shipped: Order = { ...(orders[0] ?? sample), state: 'shipped', shipmentId: shipment.id }
  fake.bridge.getOrder = async () => ok(shipped)
  fake.emit('ordersChanged', { 'to-ship': 2, problem: 0, shipped: 1, skipped: 0 })
  await waitFor(() => expect(screen.queryByText('Unsaved changes')).toBeNull())
  expect(signals).toEqual(expected)
  expect(screen.queryAllByRole('alert')).toHaveLength(expected.length)
})

it('an unsaved change of another order in the parcel that the form of Ship shipped is reported', async () => {
  const { user, fake, signals } = renderThreeOrders()
  await user.click(await row(1))
  await isChosen('ORDER-1')
  await user.type(screen.getByRole('textbox', { name: /^City/ }), 'Delft')
  const shipment = sampleShipment({ jobs: [], reference: 'ORDER-0', combinedReferences: ['ORDER-1'] })
  fake.bridge.getShipment = async () => ok({ ...shipment, origin: 'screen' })
  fake.bridge.getOrder = async () =>
    ok({ ...(orders[0] ?? sample), state: 'shipped', shipmentId: shipment.id })
  fake.emit('ordersChanged', { 'to-ship': 2, problem: 0, shipped: 1, skipped: 0 })
  expect(await within(await screen.findByRole('alert')).findByText('City: Delft')).toBeTruthy()
  expect(signals).toEqual(['failure'])
})

it('an order that was shipped with its changes saved is not reported', async () => {
  const { user, fake, signals } = renderThreeOrders()
  await user.click(await row(1))
  await isChosen('ORDER-1')
  await user.type(screen.getByRole('textbox', { name: /^City/ }), 'Delft')
  await user.click(await row(2))
  await isChosen('ORDER-2')
  const values = { reference: 'ORDER-1', city: 'Delft' }
  fake.bridge.getOrder = async () => ok({ ...(orders[0] ?? sample), state: 'shipped', values })
  fake.emit('ordersChanged', { 'to-ship': 2, problem: 0, shipped: 1, skipped: 0 })
  await waitFor(() => expect(screen.queryByText('Unsaved changes')).toBeNull())
  expect(signals).toEqual([])
})

it.each(['twice-in-file', 'twice-in-fleet', 'changed-elsewhere'])(
  'an order with the issue %s can be checked again without a change, and not any more once it has none',
  async (code) => {
    const fake = createFakeBridge()
    const { user } = renderOrders(undefined, fake)
    const issues = [{ field: 'reference' as const, code }]
    const checked: unknown[] = []
    fake.bridge.getOrder = async ({ orderId }) =>
      ok({ ...sample, id: orderId, state: 'problem', values: { reference: 'ORDER-1' }, issues })
    fake.bridge.changeOrder = async (input) => {
      checked.push(input)
      return ok({ ...sample, id: input.orderId, state: 'to-ship', values: input.values, issues: [] })
    }
    await user.click(await row(1))
    await user.click(await screen.findByRole('button', { name: 'Save and check again' }))
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Save and check again' })).toBeNull())
    expect(checked).toEqual([{ orderId: orders[0]?.id, values: { reference: 'ORDER-1' } }])
  },
)
