import { act, fireEvent, screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Shell } from '../../src/renderer/app/Shell'
import { callMain } from '../../src/renderer/bridge'
import { useOrdersView } from '../../src/renderer/features/orders/ordersViewStore'
import { PeopleDialogs } from '../../src/renderer/features/people/PeopleDialogs'
import { PeopleTab } from '../../src/renderer/features/settings/PeopleTab'
import { SettingsForms } from '../../src/renderer/features/settings/tabForm'
import { PasswordField } from '../../src/renderer/ui/TextField'
import { type AppError, appError } from '../../src/shared/errors'
import type { Order, OrderValues } from '../../src/shared/orders'
import { err, ok, type Result } from '../../src/shared/result'
import { commandCode } from '../../src/shared/scanner'
import type { ShipmentDetails } from '../../src/shared/shipments'
import { deferred } from '../support/deferred'
import { createFakeBridge, type FakeBridge } from '../support/fakeBridge'
import { sampleJob, sampleSettings, sampleShipment } from '../support/screenSamples'
import { pressAt } from './pressAt'
import { renderApp } from './renderApp'
import { giveRoom } from './roomForRows'

const orderOf = (reference: string): Order => ({
  id: '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c0001',
  state: 'to-ship',
  values: { reference },
  items: [],
  issues: [],
  source: { kind: 'file', name: 'orders.csv', line: 2 },
  origin: 'file',
  importedAt: '2026-11-21T09:00:00.000Z',
  orderDate: null,
  shipmentId: null,
  skippedReason: null,
  skippedBy: null,
  rule: null,
})

const settings = sampleSettings()

function renderStation(
  orders: readonly string[],
  fake: FakeBridge = createFakeBridge({ settings }),
  companions: readonly string[] = [],
  ruled: Order['ruled'] = {},
) {
  fake.bridge.findOrderToShip = async ({ reference }) =>
    ok(
      orders.includes(reference)
        ? {
            order: { ...orderOf(reference), ruled },
            values: {
              reference,
              lastName: `Consignee of ${reference}`,
              street: 'Kerkstraat',
              city: 'Utrecht',
            },
            signatureRequired: null,
            extras: {},
            consigneeKey: 'key',
            companions: companions.map((each) => ({
              order: orderOf(each),
              values: { reference: each, weight: '2' },
            })),
          }
        : null,
    )
  return renderApp(
    <>
      <Shell status={fake.state.status} settings={fake.state.settings} />
      <PasswordField
        label="Secret"
        name="secret"
        value=""
        onChange={() => undefined}
        onKeyDown={() => undefined}
        errorText={undefined}
        toggleLabel="Hide"
        visible
        onVisibilityChange={() => undefined}
      />
    </>,
    fake,
  )
}

beforeEach(() => window.localStorage.setItem('packbench.sound', 'off'))

let clock = 1000

/** Types like a scanner into the focused element; `code` are its keys. */
function scan(code: Iterable<string>, gapMs = 5, end = 'Enter'): void {
  clock += 1000
  for (const key of [...code, end]) {
    clock += gapMs
    press(key)
  }
}

const press = (key: string) => pressAt(key, clock)

/** A busy machine may take longer than the default second to render a screen. */
const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000 })

const field = (label: string) => screen.findByLabelText(label, { exact: true })
async function focusOn(label: string): Promise<void> {
  const found = await field(label)
  act(() => found.focus())
}
async function textIn(label: string): Promise<string> {
  const found = await field(label)
  return found instanceof HTMLInputElement ? found.value : ''
}

/** Scans ORDER-1 into the form, and waits for its consignee. */
async function scanOrder(): Promise<void> {
  await focusOn('Reference')
  scan('ORDER-1')
  await eventually(async () => expect(await textIn('Last name')).toBe('Consignee of ORDER-1'))
}

describe('a scanned order', () => {
  it('fills in Ship, with the cursor in the reference', async () => {
    renderStation(['ORDER-1'])
    await scanOrder()
    expect(await textIn('Reference')).toBe('ORDER-1')
  })

  it('needs a confirmation to be taken over from another station, and otherwise stays there', async () => {
    const fake = createFakeBridge({ settings })
    const taken: boolean[] = []
    fake.bridge.takeOrder = async ({ takeOver }) => {
      taken.push(takeOver)
      const since = '2026-11-22T10:00:00.000Z'
      return ok(takeOver ? null : { station: 'Bench 2', operator: 'Anna', since, isBatch: false })
    }
    const { user } = renderStation(['ORDER-1'], fake)
    await focusOn('Reference')
    scan('ORDER-1')
    const question = () => screen.findByRole('dialog', { name: 'Another station has order ORDER-1' })
    expect(within(await question()).getByText(/At Bench 2 \(Anna\) since/)).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Leave it there' }))
    await eventually(async () => expect(await textIn('Reference')).toBe(''))
    expect(taken).toEqual([false])
    await focusOn('Reference')
    scan('ORDER-1')
    await question()
    await user.click(screen.getByRole('button', { name: 'Take it over' }))
    await eventually(async () => expect(await textIn('Last name')).toBe('Consignee of ORDER-1'))
    expect(taken).toEqual([false, false, true])
  })

  it('leaves nothing in the field that had the cursor', async () => {
    const { user } = renderStation(['ORDER-1'])
    await user.type(await field('City'), 'Delft')
    scan('ORDER-1')
    await eventually(async () => expect(await textIn('Reference')).toBe('ORDER-1'))
    await user.click(await screen.findByRole('button', { name: 'Undo clear' }))
    expect(await textIn('City')).toBe('Delft')
  })

  it('opens on Ship from the search of another screen, whose text stays', async () => {
    const { user } = renderStation(['ORDER-1'])
    await user.click(await screen.findByRole('button', { name: /^History/ }))
    await user.type(await field('Search'), 'Jansen')
    scan('ORDER-1')
    await eventually(async () => expect(await textIn('Last name')).toBe('Consignee of ORDER-1'))
  })

  it('replaces the previous order; scanning the same one again changes nothing', async () => {
    const { user } = renderStation(['ORDER-1', 'ORDER-2'])
    await scanOrder()
    await user.type(await field('Weight (kg)'), '2.5')
    scan('ORDER-1')
    // The next scan arrives before the previous one was looked up.
    scan('ORDER-2')
    await eventually(async () => expect(await textIn('Last name')).toBe('Consignee of ORDER-2'))
    expect(await textIn('Weight (kg)')).toBe('')
  })
})

it('the command barcode for carrier options cycles through them', async () => {
  const { fake } = renderStation([])
  const chosen = () => textIn('Carrier option')
  const names = fake.state.settings.carriers.map(({ name }) => name)
  expect(names.length).toBeGreaterThan(1)
  const at = names.indexOf(await chosen())
  await focusOn('Reference')
  for (let step = 1; step <= names.length; step += 1) {
    scan(commandCode('next-option', settings.scanner))
    const next = names[(at + step) % names.length]
    await eventually(async () => expect(await chosen()).toBe(next))
  }
  expect(await textIn('Reference')).toBe('')
})

it('the command barcode CONFIRM does not start a batch, which costs money', async () => {
  giveRoom(880)
  const fake = createFakeBridge({ settings })
  fake.bridge.listOrders = async () => ok({ total: 1, offset: 0, orders: [orderOf('ORDER-1')] })
  const { user } = renderStation([], fake)
  await user.click(await screen.findByRole('button', { name: /^Orders/ }))
  await user.click(await screen.findByRole('checkbox', { name: 'Select order ORDER-1' }))
  await user.keyboard('{F9}')
  const start = await screen.findByRole('button', { name: 'Create and print 1 order' })
  await eventually(() => expect(document.activeElement).toBe(start))
  scan(commandCode('confirm', settings.scanner))
  expect(await screen.findByTestId('scan-notice')).toBeTruthy()
  expect(fake.calls.filter(({ method }) => method === 'startBatch')).toEqual([])
  expect(start.isConnected).toBe(true)
})

it('the end key of a scan presses no button', async () => {
  const { fake } = renderStation([])
  const button = await screen.findByRole('button', { name: /Create and print/ })
  act(() => button.focus())
  scan('UNKNOWN-1')
  await eventually(async () => expect(await textIn('Reference')).toBe('UNKNOWN-1'))
  expect(fake.calls.filter(({ method }) => method === 'createShipment')).toEqual([])
})

it('F9 during the look-up of a scan ships nothing, and the operator is told', async () => {
  const { user, fake } = renderStation(['ORDER-1', 'ORDER-2'])
  await scanOrder()
  await user.type(await field('Weight (kg)'), '3')
  const lookedUp = deferred<null>()
  const find = fake.bridge.findOrderToShip
  fake.bridge.findOrderToShip = async (input) => {
    await lookedUp.promise
    return find(input)
  }
  const ship = screen.getByRole('button', { name: /Create and print/ })
  act(() => ship.focus())
  scan('ORDER-2')
  await user.keyboard('{F9}')
  await user.click(ship)
  expect(within(await screen.findByTestId('scan-notice')).getByText('This can’t be done now.')).toBeTruthy()
  await act(async () => lookedUp.resolve(null))
  await eventually(async () => expect(await textIn('Last name')).toBe('Consignee of ORDER-2'))
  expect(fake.calls.filter(({ method }) => method === 'createShipment')).toEqual([])
})

it('a function key within a scan neither prints nor ships', async () => {
  const { user, fake } = renderStation(['ORDER-1'])
  await scanOrder()
  await user.type(await field('Weight (kg)'), '2')
  const find = vi.spyOn(fake.bridge, 'findOrderToShip')
  const search = vi.spyOn(fake.bridge, 'findLabelToReprint')
  const keys = [...'[)>', 'F9', ...'01AB', 'F8', ...'CD']
  const createdIn = () => fake.calls.filter(({ method }) => method === 'createShipment')
  scan(keys)
  // The next scan arrives while the first one is looked up.
  scan(keys)
  await eventually(() => expect(find).toHaveBeenCalledTimes(2))
  expect(find.mock.calls).toEqual([[{ reference: '[)>01ABCD' }], [{ reference: '[)>01ABCD' }]])
  expect(await screen.findByText(/^\[\)>01ABCD was scanned and not found/)).toBeTruthy()
  expect([createdIn(), search.mock.calls]).toEqual([[], []])
  clock += 1000
  press('F8')
  await eventually(() => expect(search).toHaveBeenCalledTimes(1))
  press('F9')
  await eventually(() => expect(createdIn()).toHaveLength(1))
})

it('function keys and AltGr within a scan do nothing while a shipment is being created either, and the code is kept whole', async () => {
  const fake = createFakeBridge({ settings })
  fake.bridge.createShipment = () => new Promise(() => undefined)
  const { user } = renderStation(['ORDER-1'], fake)
  await scanOrder()
  await user.type(await field('Weight (kg)'), '3{F9}')
  const search = vi.spyOn(fake.bridge, 'findLabelToReprint')
  const kept = async (code: string) => within(await screen.findByTestId('kept-scans')).findByText(code)
  scan([...'[)>', 'F9', ...'01AB', 'F8', ...'CD'])
  expect(await kept('[)>01ABCD')).toBeTruthy()
  // AltGr comes before some signs of German, French and other keyboards.
  scan([...'WEB', 'AltGraph', ...'#1001'])
  expect(await kept('WEB#1001')).toBeTruthy()
  expect(await screen.findByText(/^WEB#1001 was scanned: no order/)).toBeTruthy()
  expect(search).not.toHaveBeenCalled()
})

describe('a scanned code that no order has', () => {
  const notice = async (text: RegExp) => within(await screen.findByTestId('scan-notice')).findByText(text)

  it.each([
    ['button', /^Create and print/],
    ['textbox', /^Reference$/],
  ])('becomes the reference with a notice if the cursor is in the %s %s', async (role, name) => {
    renderStation(['ORDER-1'])
    const target = await screen.findByRole(role, { name })
    act(() => target.focus())
    scan('UNKNOWN-1')
    expect(await notice(/^UNKNOWN-1 was scanned: no order that is to be shipped/)).toBeTruthy()
    expect(await textIn('Reference')).toBe('UNKNOWN-1')
    scan('ORDER-1')
    await eventually(async () => expect(await textIn('Reference')).toBe('ORDER-1'))
    expect(screen.queryByText(/UNKNOWN-1 was scanned/)).toBeNull()
  })

  it('has no notice when the orders can’t be read', async () => {
    const { fake } = renderStation([])
    fake.bridge.findOrderToShip = async () => err(appError('internal', { id: 'scan-1' }))
    await focusOn('Reference')
    scan('ORDER-1')
    await eventually(async () => expect(document.activeElement).not.toBe(await field('Reference')))
    expect(screen.queryByText(/ORDER-1 was scanned/)).toBeNull()
  })

  it.each([
    ['Ship', 'order-1', /^order-1 was scanned and not found, and Caps Lock is on/],
    ['Queue', 'order-1', /^order-1 was scanned and not found, and Caps Lock is on/],
    ['Ship', '123456', /^123456 was scanned: no order/],
    ['Queue', '123456', /^123456 was scanned and not found: no order/],
  ])('on %s names Caps Lock while it is on, if the code has letters: %s', async (name, code, text) => {
    const state = vi.spyOn(KeyboardEvent.prototype, 'getModifierState')
    onTestFinished(() => state.mockRestore())
    state.mockImplementation((key) => key === 'CapsLock')
    const { user } = renderStation(['ORDER-1'])
    await user.click(await screen.findByRole('button', { name: new RegExp(`^${name}`) }))
    scan(code)
    expect(await notice(text)).toBeTruthy()
  })
})

it('an unknown code is reported on a screen other than Ship', async () => {
  const { user } = renderStation([])
  await user.click(await screen.findByRole('button', { name: /^Queue/ }))
  scan('UNKNOWN-1')
  expect(await within(await screen.findByTestId('scan-notice')).findByText(/UNKNOWN-1/)).toBeTruthy()
})

it('an unknown code scanned into a select on Ship is reported, and the select stays unchanged', async () => {
  const { user } = renderStation([])
  const city = await field('City')
  await user.type(city, 'Utrecht')
  const country = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Country' })
  await user.clear(country)
  await user.type(country, 'Belg')
  await user.click(await screen.findByRole('option', { name: 'Belgium (BE)' }))
  expect(country.value).toBe('Belgium (BE)')
  act(() => country.focus())
  scan('UNKNOWN-1')
  const notice = within(await screen.findByTestId('scan-notice'))
  expect(await notice.findByText(/^UNKNOWN-1 was scanned and not found.*F2/)).toBeTruthy()
  expect(country.value).toBe('Belgium (BE)')
  expect(country.getAttribute('aria-expanded')).toBe('false')
  expect(document.activeElement).toBe(country)
  expect(await textIn('City')).toBe('Utrecht')
  expect(await textIn('Reference')).toBe('')
  await user.type(await field('Reference'), 'A')
  for (const [label, text] of [
    ['Last name', 'Jansen'],
    ['Street', 'Kerkstraat'],
    ['Weight (kg)', '2'],
  ] as const) {
    await user.type(await field(label), text)
  }
  await user.keyboard('{F9}')
  await eventually(() => expect(notice.queryByText(/UNKNOWN-1/)).toBeNull())
})

it('the command barcode SHIP ships with the country that was typed, and nothing if no country has that name', async () => {
  const fake = createFakeBridge({ settings })
  const sent: string[] = []
  fake.bridge.createShipment = async ({ draft }) => {
    sent.push(draft.country)
    return err(appError('service-unreachable'))
  }
  const { user } = renderStation(['ORDER-1'], fake)
  await scanOrder()
  await user.type(await field('Weight (kg)'), '2')
  const country = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Country' })
  const typeAndScan = (text: string) => {
    act(() => country.focus())
    fireEvent.input(country, { target: { value: text } })
    scan(commandCode('ship', settings.scanner))
  }
  typeAndScan('Germny')
  expect(await screen.findByText('Choose one from the list first')).toBeTruthy()
  expect(country.value).toBe('Germny')
  typeAndScan('Germany')
  await eventually(() => expect(sent).toEqual(['DE']))
  expect(country.value).toBe('Germany (DE)')
})

it('the command barcode SHIP ships nothing while an arrow key has moved to an option that is not chosen yet', async () => {
  const fake = createFakeBridge({ settings })
  const create = vi.fn(async () => err(appError('service-unreachable')))
  fake.bridge.createShipment = create
  const { user } = renderStation(['ORDER-1'], fake)
  await scanOrder()
  await user.type(await field('Weight (kg)'), '2')
  const country = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Country' })
  await user.click(country)
  await user.keyboard('{ArrowDown}')
  scan(commandCode('ship', settings.scanner))
  expect(await screen.findByText('Choose one from the list first')).toBeTruthy()
  expect(create).not.toHaveBeenCalled()
})

it('a scan while the list of the carrier options is open keeps the chosen one of two with the same name', async () => {
  const [first, second] = settings.carriers
  if (first === undefined || second === undefined) throw new Error('The sample has only one carrier option.')
  const carriers = [first, { ...second, name: first.name }]
  const fake = createFakeBridge({ settings: { ...settings, carriers } })
  const sent: number[] = []
  fake.bridge.createShipment = async ({ draft }) => {
    sent.push(draft.carrierOptionId)
    return err(appError('service-unreachable'))
  }
  const { user } = renderStation(['ORDER-1'], fake)
  await scanOrder()
  await user.type(await field('Weight (kg)'), '2')
  const option = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Carrier option' })
  await user.click(option)
  const [, last] = await screen.findAllByRole('option', { name: first.name })
  if (last === undefined) throw new Error('The list has only one option.')
  await user.click(last)
  await user.click(option)
  scan('UNKNOWN-1')
  await screen.findByTestId('scan-notice')
  await user.click(await field('Weight (kg)'))
  await user.keyboard('{F9}')
  await eventually(() => expect(sent).toEqual([second.carrierOptionId]))
})

it('what was typed into a select does not become part of the next order that is scanned', async () => {
  renderStation(['ORDER-1'])
  const country = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Country' })
  const before = country.value
  act(() => country.focus())
  fireEvent.input(country, { target: { value: 'Germany' } })
  scan('ORDER-1')
  await eventually(async () => expect(await textIn('Last name')).toBe('Consignee of ORDER-1'))
  expect(country.value).toBe(before)
})

it('a code that is typed by hand stays in its field', async () => {
  const { fake } = renderStation(['ORDER-1'])
  await focusOn('City')
  scan('ORDER-1', 120)
  expect(await textIn('City')).toBe('ORDER-1')
  expect(fake.calls.filter(({ method }) => method === 'findOrderToShip')).toEqual([])
})

it('a scan in a password field is ignored, even while the password is visible', async () => {
  const { fake } = renderStation(['ORDER-1'])
  await focusOn('Secret')
  scan('ORDER-1')
  expect(fake.calls.filter(({ method }) => method === 'findOrderToShip')).toEqual([])
})

describe('a visible PIN that is typed fast', () => {
  it.each(['New PIN (4 to 12 digits)', 'The same PIN again'])(
    'is not treated as a scan in «%s»',
    async (label) => {
      const fake = createFakeBridge({ settings })
      const { user } = renderApp(
        <>
          <Shell status={fake.state.status} settings={settings} />
          <SettingsForms>
            <PeopleTab />
          </SettingsForms>
        </>,
        fake,
      )
      await field(label)
      for (const show of screen.getAllByRole('button', { name: 'Show the PIN', hidden: true }))
        await user.click(show)
      await focusOn(label)
      expect(document.activeElement).toHaveProperty('type', 'text')
      scan('47114711')
      expect(await textIn(label)).toBe('47114711')
      expect(fake.calls.filter(({ method }) => method === 'findOrderToShip')).toEqual([])
      expect(screen.queryByText(/47114711/)).toBeNull()
    },
  )

  it('is not treated as a scan in the PIN dialog', async () => {
    const fake = createFakeBridge({ settings })
    fake.bridge.changeSettings = async () => err(appError('pin-required'))
    const { user } = renderApp(
      <>
        <Shell status={fake.state.status} settings={settings} />
        <PeopleDialogs />
      </>,
      fake,
    )
    void callMain('changeSettings', {})
    await field('PIN')
    await user.click(screen.getByRole('button', { name: 'Show the PIN', hidden: true }))
    await focusOn('PIN')
    expect(document.activeElement).toHaveProperty('type', 'text')
    // No key was held back, not even the last one: the form receives the text as typed.
    scan('47114711')
    expect(await textIn('PIN')).toBe('47114711')
    expect(fake.calls.filter(({ method }) => method === 'findOrderToShip')).toEqual([])
    expect(screen.queryByText(/47114711/)).toBeNull()
  })
})

it('orders for one consignee are combined into one parcel by scans alone, and no other code is accepted as an answer', async () => {
  renderStation(['ORDER-1'], createFakeBridge({ settings }), ['ORDER-2', 'ORDER-3'])
  const focused = () => document.activeElement?.textContent
  scan('ORDER-1')
  expect(await screen.findByText('2 more orders go to this consignee', {}, { timeout: 5000 })).toBeTruthy()
  await eventually(async () => expect(focused()).toBe('Keep apart'))
  scan('ORDER-9')
  expect(focused()).toBe('Keep apart')
  scan('ORDER-2')
  await eventually(async () => expect(focused()).toBe('Ship 2 orders together'))
  scan('PBCMDCONFIRM')
  expect(await screen.findByText('One parcel together with ORDER-2.')).toBeTruthy()
  expect(screen.queryByText('2 more orders go to this consignee')).toBeNull()
})

/** Combines ORDER-1 with ORDER-2 in one parcel; a third order to the consignee stays out of it. */
async function combineByScans(): Promise<void> {
  await focusOn('Reference')
  scan('ORDER-1')
  await screen.findByText('2 more orders go to this consignee', {}, { timeout: 5000 })
  scan('ORDER-2')
  scan(commandCode('confirm', settings.scanner))
  await screen.findByText('One parcel together with ORDER-2.')
}

it('a command that is scanned with the cursor in the reference keeps the parcel’s other orders and its printer, and the order stays taken', async () => {
  const fake = createFakeBridge({ settings })
  const create = vi.fn(fake.bridge.createShipment)
  const giveBack = vi.fn(fake.bridge.giveBackOrder)
  Object.assign(fake.bridge, { createShipment: create, giveBackOrder: giveBack })
  const { user } = renderStation(['ORDER-1'], fake, ['ORDER-2', 'ORDER-3'], { printer: 'wide' })
  await combineByScans()
  await user.type(await field('Weight (kg)'), '3')
  await focusOn('Reference')
  giveBack.mockClear()
  scan(commandCode('add-package', settings.scanner))
  await eventually(async () => expect(await textIn('Packages')).toBe('2'))
  expect(await textIn('Reference')).toBe('ORDER-1')
  expect(screen.getByText('One parcel together with ORDER-2.')).toBeTruthy()
  scan(commandCode('ship', settings.scanner))
  await eventually(() => expect(create).toHaveBeenCalledTimes(1))
  expect(create.mock.calls[0]?.[0].draft).toMatchObject({
    ...{ reference: 'ORDER-1', combinedReferences: ['ORDER-2'], reference2: 'ORDER-2' },
    ...{ printer: 'wide', weight: 3, numberOfPackages: 2 },
  })
  expect(giveBack).not.toHaveBeenCalled()
})

it('codes that are scanned while a shipment is being created become the references of the next parcels, also half a code', async () => {
  // A long gap gives a busy machine time to continue the code after the answer.
  const scanner = { ...settings.scanner, prefix: '~', suffix: '#', maxGapMs: 1000 }
  const fake = createFakeBridge({ settings: sampleSettings({ scanner }) })
  const answers: ((created: Result<ShipmentDetails, AppError>) => void)[] = []
  fake.bridge.createShipment = () => new Promise((resolve) => answers.push(resolve))
  const { user } = renderStation(['ORDER-1', 'ORDER-2', 'ORDER-3'], fake)
  await focusOn('Reference')
  scan('~ORDER-1#')
  await eventually(async () => expect(await textIn('Last name')).toBe('Consignee of ORDER-1'))
  await user.type(await field('Weight (kg)'), '3')
  await user.keyboard('{F9}')
  await eventually(() => expect(answers).toHaveLength(1))
  scan('~ORDER-2#')
  expect(await screen.findByText('ORDER-2')).toBeTruthy()
  expect(await textIn('Reference')).toBe('ORDER-1')
  await act(async () => answers[0]?.(ok(sampleShipment())))
  await eventually(async () => expect(await textIn('Last name')).toBe('Consignee of ORDER-2'))

  await user.type(await field('Weight (kg)'), '3')
  await user.keyboard('{F9}')
  await eventually(() => expect(answers).toHaveLength(2))
  for (const key of '~ORD') press(key)
  await act(async () => answers[1]?.(ok(sampleShipment())))
  await eventually(async () => expect(await textIn('Last name')).toBe(''))
  expect(await textIn('Reference')).toBe('')
  expect(screen.getByText('~ORD…')).toBeTruthy()
  for (const key of [...'ER-3#', 'Enter']) press(key)
  await eventually(async () => expect(await textIn('Last name')).toBe('Consignee of ORDER-3'))
  expect(await textIn('Reference')).toBe('ORDER-3')
})

describe('a reference that is typed while a shipment is being created', () => {
  /** A station that prints complete orders on scan, is creating the shipment of ORDER-1, and got a first key. */
  async function createAndType() {
    const { scanner, shipmentDefaults } = settings
    const fake = createFakeBridge({
      settings: sampleSettings({
        scanner: { ...scanner, printOnScan: true },
        shipmentDefaults: { ...shipmentDefaults, weight: 2 },
      }),
    })
    const answer = deferred<Result<ShipmentDetails, AppError>>()
    const shipped: (string | undefined)[] = []
    fake.bridge.createShipment = ({ draft }) => {
      shipped.push(draft.reference)
      return answer.promise
    }
    const { user } = renderStation(['ORDER-1', 'ORDER-3', '10', '1007'], fake)
    await focusOn('Reference')
    scan('ORDER-1')
    await eventually(() => expect(shipped).toEqual(['ORDER-1']))
    type('1')
    await screen.findByText('1…')
    const finish = () => act(async () => answer.resolve(ok(sampleShipment())))
    return { user, shipped, finish }
  }

  function type(...keys: string[]): void {
    for (const key of keys) {
      clock += 2000
      press(key)
    }
  }

  /** Resolves once the text is in the reference, with the cursor after it. */
  async function expectTyped(text: string): Promise<void> {
    const reference = await field('Reference')
    if (!(reference instanceof HTMLInputElement)) throw new TypeError('The reference is no input.')
    await eventually(() => expect(reference.value).toBe(text))
    expect(document.activeElement).toBe(reference)
    expect([reference.selectionStart, reference.selectionEnd]).toEqual([text.length, text.length])
  }

  it('goes on in the reference after the answer, and does not ship its order', async () => {
    const { shipped, finish } = await createAndType()
    type('0')
    await finish()
    await expectTyped('10')
    type('0', '7', 'Enter')
    await eventually(async () => expect(await textIn('Last name')).toBe('Consignee of 1007'))
    expect(await textIn('Reference')).toBe('1007')
    expect(shipped).toEqual(['ORDER-1'])
  })

  it('does not ship its order if Enter comes before the answer', async () => {
    const { shipped, finish } = await createAndType()
    type('9', 'Backspace', '0', '0', '7', 'Enter')
    expect(await screen.findByText('1007')).toBeTruthy()
    await finish()
    await eventually(async () => expect(await textIn('Last name')).toBe('Consignee of 1007'))
    expect(shipped).toEqual(['ORDER-1'])
  })

  it('is corrected with Backspace after the answer, and the cursor stays', async () => {
    const { finish } = await createAndType()
    type('0')
    await finish()
    await expectTyped('10')
    type('Backspace')
    await expectTyped('10')
    expect(await textIn('Last name')).toBe('')
  })

  it.each(['before', 'after'])(
    'never joins a scan that comes %s the answer, also if another screen was opened in between',
    async (when) => {
      const { user, shipped, finish } = await createAndType()
      type('2')
      if (when === 'after') await finish()
      await user.keyboard('{Control>}3{/Control}')
      await screen.findByRole('heading', { name: 'History' })
      await user.keyboard('{Control>}1{/Control}')
      await focusOn('Reference')
      scan('ORDER-3')
      if (when === 'before') await finish()
      await eventually(() => expect(shipped).toEqual(['ORDER-1', 'ORDER-3']))
    },
  )
})

it('scanning an order again that was changed since it filled in the form begins its parcel again, once', async () => {
  const fake = createFakeBridge({ settings })
  const create = vi.fn(fake.bridge.createShipment)
  create.mockResolvedValueOnce(err(appError('order-changed', { reference: 'ORDER-1' })))
  fake.bridge.createShipment = create
  const { user } = renderStation(['ORDER-1'], fake)
  await scanOrder()
  await user.type(await field('Weight (kg)'), '3{F9}')
  expect(await screen.findByText(/^Order ORDER-1 was changed meanwhile/)).toBeTruthy()
  scan('ORDER-1')
  await eventually(async () => expect(await textIn('Weight (kg)')).toBe(''))
  await eventually(async () => expect(await textIn('Last name')).toBe('Consignee of ORDER-1'))
  expect(screen.queryByText(/^Order ORDER-1 was changed meanwhile/)).toBeNull()
  await user.type(await field('Weight (kg)'), '4')
  scan('ORDER-1')
  scan('UNKNOWN-1')
  expect(await within(await screen.findByTestId('scan-notice')).findByText(/UNKNOWN-1/)).toBeTruthy()
  expect(await textIn('Weight (kg)')).toBe('4')
})

it('a code that is not known, scanned with the cursor in the weight, leaves «Undo clear» as it was', async () => {
  const { user } = renderStation([])
  await user.type(await field('City'), 'Delft')
  await user.click(await screen.findByRole('button', { name: 'Clear form' }))
  await focusOn('Weight (kg)')
  scan('UNKNOWN-1')
  expect(await within(await screen.findByTestId('scan-notice')).findByText(/UNKNOWN-1/)).toBeTruthy()
  expect(await textIn('Weight (kg)')).toBe('')
  await user.click(await screen.findByRole('button', { name: 'Undo clear' }))
  expect(await textIn('City')).toBe('Delft')
})

it('an unknown code that is scanned over the reference of an order replaces the order, which «Undo clear» restores', async () => {
  const { user } = renderStation(['ORDER-1'], createFakeBridge({ settings }), ['ORDER-2', 'ORDER-3'])
  await combineByScans()
  await focusOn('Reference')
  scan('UNKNOWN-1')
  await eventually(async () => expect(await textIn('Reference')).toBe('UNKNOWN-1'))
  expect(await textIn('Last name')).toBe('')
  await user.click(await screen.findByRole('button', { name: 'Undo clear' }))
  expect(await textIn('Reference')).toBe('ORDER-1')
  expect(screen.getByText('One parcel together with ORDER-2.')).toBeTruthy()
})

it.each(['Reference', 'Create and print'])(
  'an unknown code, scanned after the order’s reference was removed, begins a parcel without its data: the cursor is in %s',
  async (name) => {
    const { user } = renderStation(['ORDER-1'])
    await scanOrder()
    await user.clear(await field('Reference'))
    if (name !== 'Reference') act(() => screen.getByRole('button', { name: /^Create and print/ }).focus())
    scan('UNKNOWN-1')
    await eventually(async () => expect(await textIn('Reference')).toBe('UNKNOWN-1'))
    expect(await textIn('Last name')).toBe('')
    await user.click(await screen.findByRole('button', { name: 'Undo clear' }))
    expect(await textIn('Last name')).toBe('Consignee of ORDER-1')
  },
)

it('a scanned label that can’t be checked is reported, and only at its own parcel', async () => {
  const fake = createFakeBridge({
    settings: sampleSettings({ scanBack: { on: true, required: false, rules: [] } }),
  })
  const failed = appError('internal', { id: 'scan-1' })
  fake.bridge.confirmScan = async () => err(failed)
  const { user } = renderStation(['ORDER-1', 'ORDER-2'], fake)
  const ship = async (reference: string) => {
    await focusOn('Reference')
    scan(reference)
    await eventually(async () => expect(await textIn('Last name')).toBe(`Consignee of ${reference}`))
    await user.type(await field('Weight (kg)'), '3{F9}')
    await eventually(async () => expect(await textIn('Last name')).toBe(''))
  }
  await ship('ORDER-1')
  act(() => screen.getByRole('button', { name: /Create and print/ }).focus())
  scan('3SABCD1234567')
  expect(await screen.findByText(/internal error \(scan-1\)/)).toBeTruthy()
  await ship('ORDER-2')
  expect(screen.queryByText(/internal error \(scan-1\)/)).toBeNull()
})

it.each(['Reference', 'Weight (kg)'])(
  'the scan of a printed label with the cursor in «%s» starts the next kept order, also if the print job reports it first',
  async (label) => {
    const scanBack = { on: true, required: true, rules: [] }
    const fake = createFakeBridge({ settings: sampleSettings({ scanBack }) })
    const created = deferred<Result<ShipmentDetails, AppError>>()
    fake.bridge.createShipment = () => created.promise
    fake.bridge.confirmScan = async ({ code }) => {
      act(() => fake.emit('printJobChanged', sampleJob({ scannedAt: '2026-11-21T09:16:00.000Z' })))
      return ok({ matches: true, scanned: code, expected: [code], matching: [code], jobs: [] })
    }
    const { user } = renderStation(['ORDER-1', 'ORDER-2', 'ORDER-3'], fake)
    await scanOrder()
    await user.type(await field('Weight (kg)'), '3{F9}')
    scan('ORDER-2')
    expect(await screen.findByText('ORDER-2')).toBeTruthy()
    scan('ORDER-3')
    expect(await screen.findByText('ORDER-3')).toBeTruthy()
    const shipment = sampleShipment()
    await act(async () => created.resolve(ok(shipment)))
    await eventually(async () => expect(await textIn('Last name')).toBe(''))
    await focusOn(label)
    scan(shipment.barcodes[0] ?? '')
    await eventually(async () => expect(await textIn('Last name')).toMatch('Consignee of'))
    expect(await textIn('Reference')).toBe('ORDER-2')
    expect(screen.getByText('ORDER-3')).toBeTruthy()
  },
)

describe('a shipment with two labels, at a station that scans labels back', () => {
  const first = '3SABCD0000001'
  const second = '3SABCD0000002'

  /**
   * A station on whose Ship screen a shipment with two labels was just created.
   * @param isPrinted whether the labels were printed by the time of their scan, so that their jobs state it
   */
  async function shipTwo(required: boolean, isPrinted = true) {
    const scanBack = { on: true, required, rules: [] }
    const fake = createFakeBridge({ settings: sampleSettings({ scanBack }) })
    const [jobs, labels] = [sampleShipment().jobs, sampleShipment().labels]
    const shipment = sampleShipment({
      numberOfPackages: 2,
      barcodes: [first, second],
      labels: [first, second].flatMap((barcode, at) =>
        labels.map((label) => ({ ...label, id: crypto.randomUUID(), position: at + 1, barcode })),
      ),
      jobs: [first, second].flatMap((barcode, at) =>
        jobs.map((job) => ({ ...job, id: crypto.randomUUID(), labelPosition: at + 1, barcode })),
      ),
    })
    fake.bridge.createShipment = async () => ok(shipment)
    const confirm = vi.fn(async ({ code }: { code: string }) => {
      const matching = shipment.barcodes.filter((barcode) => barcode.startsWith(code))
      for (const job of shipment.jobs.filter(({ barcode }) => isPrinted && barcode === code))
        act(() => fake.emit('printJobChanged', { ...job, scannedAt: '2026-11-21T09:16:00.000Z' }))
      const { barcodes: expected } = shipment
      return ok({ matches: matching.length > 0, scanned: code, expected, matching, jobs: [] })
    })
    fake.bridge.confirmScan = confirm
    const { user } = renderStation(['ORDER-1', 'ORDER-2'], fake)
    await scanOrder()
    await user.type(await field('Weight (kg)'), '3{F9}')
    await eventually(async () => expect(await textIn('Last name')).toBe(''))
    await eventually(async () => expect(document.activeElement).toBe(await field('Reference')))
    return { confirm }
  }

  const stop = () => screen.queryByText('STOP: this is another label')

  it.each([
    [true, true],
    [false, false],
  ])(
    'takes both labels, also read twice, and neither as a reference; the scan is required: %s, their print is confirmed: %s',
    async (required, isPrinted) => {
      const { confirm } = await shipTwo(required, isPrinted)
      const codes = [first, first, second, second]
      for (const [at, code] of codes.entries()) {
        scan(code)
        await eventually(() => expect(confirm).toHaveBeenCalledTimes(at + 1))
        expect(await screen.findByText(`${code} is the right label.`)).toBeTruthy()
        expect(screen.queryAllByText(`Still to be scanned: ${second}`)).toHaveLength(at < 2 ? 1 : 0)
        expect(await textIn('Reference')).toBe('')
        expect(document.activeElement).toBe(await field('Reference'))
      }
      expect(stop()).toBeNull()
    },
  )

  it('waits for as many scans as labels if the rule can’t tell them apart', async () => {
    await shipTwo(true)
    scan('3SABCD')
    expect(await screen.findByText(`Still to be scanned: ${second}`)).toBeTruthy()
    scan('ORDER-2')
    expect(await within(await screen.findByTestId('kept-scans')).findByText('ORDER-2')).toBeTruthy()
    scan('3SABCD')
    await eventually(async () => expect(await textIn('Last name')).toBe('Consignee of ORDER-2'))
  })

  it('stops if the second label is that of another parcel', async () => {
    await shipTwo(true)
    scan(first)
    expect(await screen.findByText(`Still to be scanned: ${second}`)).toBeTruthy()
    scan('3SABCD9999999')
    await eventually(() => expect(stop()).toBeTruthy())
    scan(second)
    await eventually(() => expect(stop()).toBeNull())
  })

  it('keeps the next order, if the scan is required, until both labels were scanned', async () => {
    await shipTwo(true)
    scan(first)
    await screen.findByText(`Still to be scanned: ${second}`)
    scan('ORDER-2')
    expect(await within(await screen.findByTestId('kept-scans')).findByText('ORDER-2')).toBeTruthy()
    expect(screen.getByText(/^The next order waits until each label/)).toBeTruthy()
    scan(second)
    await eventually(async () => expect(await textIn('Last name')).toBe('Consignee of ORDER-2'))
  })
})

it('the label of the last shipment, scanned with the cursor in the reference, is reported and does not become the reference', async () => {
  const { user } = renderStation(['ORDER-1'])
  await scanOrder()
  await user.type(await field('Weight (kg)'), '3{F9}')
  await eventually(async () => expect(await textIn('Last name')).toBe(''))
  await focusOn('Reference')
  scan(sampleShipment().barcodes[0] ?? '')
  expect(await screen.findByText(/it is the barcode of a printed label/)).toBeTruthy()
  expect(await textIn('Reference')).toBe('')
})

it('a code that is scanned into a new order goes to the next field and adds no order', async () => {
  const { user, fake } = renderStation([])
  await user.click(await screen.findByRole('button', { name: /^Orders/ }))
  await user.click(await screen.findByRole('button', { name: 'Add an order' }))
  const pane = within(await screen.findByRole('complementary', { name: 'New order' }))
  const reference = pane.getByLabelText<HTMLInputElement>('Reference')
  expect(document.activeElement).toBe(reference)
  scan('ORDER-9')
  await eventually(() => expect(document.activeElement).not.toBe(reference))
  expect(document.activeElement?.closest('form')).toBe(reference.form)
  expect(reference.value).toBe('ORDER-9')
  expect(fake.calls.filter(({ method }) => method === 'addOrder')).toEqual([])
  await user.type(reference, '{Enter}')
  await eventually(() => expect(fake.calls.filter(({ method }) => method === 'addOrder')).toHaveLength(1))
})

it('a scan with the cursor in a select of a dialog leaves its choice', async () => {
  const fake = createFakeBridge({ settings })
  fake.bridge.listOrderFilters = async () =>
    ok({ countries: ['NO'], origins: [], sources: [], carrierOptionIds: [] })
  const { user } = renderStation(['ORDER-7'], fake)
  await user.click(await screen.findByRole('button', { name: /^Orders/ }))
  await user.click(await screen.findByRole('button', { name: 'Filter and sort' }))
  await screen.findByRole('option', { name: 'Norway (NO)' })
  const country = within(screen.getByRole('dialog')).getByLabelText<HTMLSelectElement>('Country')
  act(() => country.focus())
  // The browser chooses by the first character, which is not held back.
  country.addEventListener('keydown', () => fireEvent.change(country, { target: { value: 'NO' } }), {
    once: true,
  })
  scan('ORDER-7')
  expect(country.value).toBe('')
  const asked = fake.calls.filter(({ method }) => method === 'listOrders').at(-1)?.input
  await eventually(() => expect(asked).toMatchObject({ country: '' }))
})

it('scanning an order again ships it after its rule has got another printer', async () => {
  const fake = createFakeBridge({ settings })
  const shipped: unknown[] = []
  fake.bridge.createShipment = async ({ draft: { printer } }) => {
    shipped.push(printer)
    return printer === 'wide' ? err(appError('rule-printer-unknown', { printer })) : ok(sampleShipment())
  }
  const ruled = { printer: 'wide' }
  const { user } = renderStation(['ORDER-1'], fake, [], ruled)
  await scanOrder()
  await user.type(await field('Weight (kg)'), '3{F9}')
  expect(await screen.findByText(/^The printer wide, which/)).toBeTruthy()
  ruled.printer = 'zebra'
  scan('ORDER-1')
  await eventually(async () => expect(await textIn('Weight (kg)')).toBe(''))
  await eventually(async () => expect(await textIn('Last name')).toBe('Consignee of ORDER-1'))
  await user.type(await field('Weight (kg)'), '3{F9}')
  await eventually(() => expect(shipped).toEqual(['wide', 'zebra']))
})

it('an order with unsaved changes is not printed when it is scanned, and Ship says so until it is scanned after they were saved', async () => {
  const { scanner, shipmentDefaults } = settings
  const fake = createFakeBridge({
    settings: sampleSettings({
      scanner: { ...scanner, printOnScan: true },
      shipmentDefaults: { ...shipmentDefaults, weight: 2 },
    }),
  })
  const { client } = renderStation(['ORDER-1'], fake)
  const find = fake.bridge.findOrderToShip
  let houseNumber = '12'
  fake.bridge.findOrderToShip = async (input) => {
    const found = await find(input)
    return found.ok && found.value !== null
      ? ok({ ...found.value, values: { ...found.value.values, houseNumber } })
      : found
  }
  const setDraft = (draft: OrderValues) =>
    act(() => useOrdersView.getStore(client).getState().setDraft(orderOf('ORDER-1').id, draft))
  setDraft({ houseNumber: '14' })
  await scanOrder()
  const warning = /^This parcel began before changes in Orders were saved/
  expect(await screen.findByText(warning)).toBeTruthy()
  expect(fake.calls.some(({ method }) => method === 'createShipment')).toBe(false)
  houseNumber = '14'
  setDraft({})
  expect(screen.getByText(warning)).toBeTruthy()
  scan('ORDER-1')
  const sent = () => fake.calls.filter(({ method }) => method === 'createShipment').map(({ input }) => input)
  await eventually(() => expect(sent()).toMatchObject([{ draft: { houseNumber: '14' } }]))
  expect(screen.queryByText(warning)).toBeNull()
})

it('the question about other orders for the consignee says which one has unsaved changes', async () => {
  const { client } = renderStation(['ORDER-1'], createFakeBridge({ settings }), ['ORDER-2'])
  act(() => useOrdersView.getStore(client).getState().setDraft(orderOf('ORDER-2').id, { houseNumber: '14' }))
  await focusOn('Reference')
  scan('ORDER-1')
  expect(await screen.findByText(/^Unsaved changes · /)).toBeTruthy()
})
