import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { ResolveDialog } from '../../src/renderer/features/history/ResolveDialog'
import { ShipScreen } from '../../src/renderer/features/ship/Screen'
import { LimitsPanel } from '../../src/renderer/features/ship/SidePanels'
import { useCustoms, useShip } from '../../src/renderer/features/ship/stores'
import { formatMoment } from '../../src/renderer/i18n/format'
import { useNavigation } from '../../src/renderer/ui/navigation'
import { customsSchema } from '../../src/shared/customs'
import { type AppError, appError } from '../../src/shared/errors'
import { type Companion, type OrderIssue, orderSchema } from '../../src/shared/orders'
import type { PrintNote } from '../../src/shared/printerRemarks'
import { err, ok, type Result } from '../../src/shared/result'
import type { CarrierLimits, Label, ShipmentDetails, ShipmentDraft } from '../../src/shared/shipments'
import { deferred } from '../support/deferred'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleOf } from '../support/sampleOf'
import { sampleJob, sampleSettings, sampleShipment } from '../support/screenSamples'
import { renderApp } from './renderApp'

const getLimits = (maxWeight: string): CarrierLimits => ({
  minLength: null,
  maxLength: null,
  minWidth: null,
  maxWidth: null,
  minHeight: null,
  maxHeight: null,
  minWeight: null,
  maxWeight,
  maxVolume: null,
  maxCircumference: null,
})

/** Stands in for the operator's choice of a carrier option. */
function Choice({ carrier }: { carrier: string }) {
  const edit = useShip((state) => state.edit)
  return (
    <button type="button" onClick={() => edit({ carrier })}>
      {carrier}
    </button>
  )
}

it('Ship shows the limits of the currently chosen carrier option only', async () => {
  const slow = deferred<Result<CarrierLimits | null, AppError>>()
  const fake = createFakeBridge()
  fake.bridge.getCarrierLimits = ({ carrierOptionId }) =>
    carrierOptionId === 34 ? slow.promise : Promise.resolve(ok(getLimits('31.500')))
  const { user } = renderApp(
    <>
      <Choice carrier="12:34" />
      <Choice carrier="14:51" />
      <LimitsPanel />
    </>,
    fake,
  )
  await user.click(screen.getByText('12:34'))
  await user.click(screen.getByText('14:51'))
  expect(await screen.findByText(/31\.500/)).toBeTruthy()
  await act(async () => slow.resolve(ok(getLimits('10.000'))))
  expect(screen.getByText(/31\.500/)).toBeTruthy()
  expect(screen.queryByText(/10\.000/)).toBeNull()
})

it('limits have the decimal separator of the language, in the panel and in the advice', async () => {
  const fake = createFakeBridge()
  fake.bridge.getCarrierLimits = async () => ok({ ...getLimits('31.500'), minWeight: '0.100' })
  const { account } = fake.state.status
  const { user } = renderApp(
    <>
      <Choice carrier="12:34" />
      <ShipScreen account={account} settings={fake.state.settings} />
    </>,
    fake,
    'nl',
  )
  await user.click(screen.getByText('12:34'))
  expect(await screen.findByText('0,100 tot 31,500')).toBeTruthy()
  fireEvent.change(screen.getByLabelText('Gewicht (kg)'), { target: { value: '40' } })
  expect(await screen.findByText(/^Boven 31,500,/)).toBeTruthy()
})

/** Ship with the form of an order. The service refuses each creation. */
async function renderOrder(
  settings = sampleSettings(),
  companions: Companion[] = [],
  issues: OrderIssue[] = [],
) {
  window.localStorage.setItem('packbench.sound', 'off')
  const fake = createFakeBridge({ settings, shipments: [sampleShipment()] })
  const create = vi.fn(async (_sent: { draft: ShipmentDraft }) => err(appError('service-unreachable')))
  const values = {
    ...{ reference: 'A-1', lastName: 'Smit', street: 'Markt', houseNumber: '1', postalCode: '2611 GP' },
    ...{ city: 'Delft', country: 'NL', weight: '1', content: 'Books' },
  }
  const order = { ...orderSchema.parse(sampleOf(orderSchema)), values, issues }
  const found = { order, values, signatureRequired: null, extras: {}, consigneeKey: 'key', companions }
  const findOrderToShip = async () => ok(found)
  Object.assign(fake.bridge, {
    createShipment: create,
    findOrderToShip,
    takeOrder: async () => ok(null),
  })
  function Opened() {
    const startOrder = useShip((state) => state.startOrder)
    return (
      <button type="button" onClick={() => startOrder('A-1')}>
        A-1
      </button>
    )
  }
  const { account } = fake.state.status
  const { user, client, emit } = renderApp(
    <>
      <Opened />
      <ShipScreen account={account} settings={fake.state.settings} />
      <ResolveDialog />
    </>,
    fake,
  )
  await user.click(screen.getByText('A-1'))
  const weight = screen.getByLabelText<HTMLInputElement>('Weight (kg)')
  await waitFor(() => expect(weight.value).toBe('1'))
  return {
    ...{ create, weight, user, fake, emit, order },
    history: () => useNavigation.getStore(client).getState().history,
  }
}

const outcome = () => screen.findByTestId('outcome')

it('F9 and Enter ship once, however long they are held down', async () => {
  const { create, weight } = await renderOrder()
  fireEvent.keyDown(document.body, { key: 'F9', code: 'F9' })
  expect((await outcome()).dataset.state).toBe('error')
  fireEvent.keyDown(document.body, { key: 'F9', code: 'F9', repeat: true })
  fireEvent.keyDown(weight, { key: 'Enter', repeat: true })
  expect(create).toHaveBeenCalledTimes(1)
  fireEvent.keyDown(weight, { key: 'Enter' })
  await waitFor(() => expect(create).toHaveBeenCalledTimes(2))
})

/** Types into a select of the form and presses keys there. */
async function typeInto(user: UserEvent, label: string, text: string, keys = '{F9}') {
  const field = screen.getByRole<HTMLInputElement>('combobox', { name: label })
  act(() => field.focus())
  fireEvent.input(field, { target: { value: text } })
  await user.keyboard(keys)
  return field
}

it('F9 ships with the country and the carrier option that were typed and not chosen yet', async () => {
  const { create, user, fake } = await renderOrder()
  const [, second] = fake.state.settings.carriers
  if (second === undefined) throw new Error('The sample has only one carrier option.')
  await typeInto(user, 'Country', 'Germany')
  await waitFor(() => expect(create).toHaveBeenCalledTimes(1))
  await outcome()
  await typeInto(user, 'Carrier option', second.name)
  await waitFor(() => expect(create).toHaveBeenCalledTimes(2))
  const { carrierOptionId } = second
  expect(create.mock.lastCall?.[0].draft).toMatchObject({ country: 'DE', carrierOptionId })
})

it('F9 ships nothing while it is unclear which country was typed, and keeps the text', async () => {
  const { create, user } = await renderOrder()
  for (const [text, keys] of [
    ['Germny', '{F9}'],
    ['Ger', '{F9}'],
    ['', '{F9}'],
    ['Germany', '{ArrowDown}{F9}'],
  ] as const) {
    const country = await typeInto(user, 'Country', text, keys)
    expect(screen.getByText('Choose one from the list first')).toBeTruthy()
    expect(country.value).toBe(text)
    await user.keyboard('{Escape}')
    expect(country.value).toBe('Netherlands (NL)')
    expect(screen.queryByText('Choose one from the list first')).toBeNull()
  }
  expect(create).not.toHaveBeenCalled()
})

it('F9 ships nothing while the typed carrier option is one of two with the same name', async () => {
  const settings = sampleSettings()
  const [first, second] = settings.carriers
  if (first === undefined || second === undefined) throw new Error('The sample has only one carrier option.')
  const twice = { ...second, name: 'Express' }
  const carriers = [first, twice, { ...twice, carrierOptionId: 999 }]
  const { create, user } = await renderOrder({ ...settings, carriers })
  for (const text of ['Express', 'express']) {
    await typeInto(user, 'Carrier option', text)
    expect(screen.getByText('Choose one from the list first')).toBeTruthy()
    await user.keyboard('{Escape}')
  }
  expect(create).not.toHaveBeenCalled()
})

it('an order that «Undo clear» restores and that can’t be taken again is reported in the form', async () => {
  const { user, fake } = await renderOrder()
  await user.click(screen.getByRole('button', { name: 'Clear form' }))
  fake.bridge.takeOrder = async () => err(appError('order-not-taken', { reference: 'A-1' }))
  await user.click(screen.getByRole('button', { name: 'Undo clear' }))
  const form = within(screen.getByTestId('ship-form'))
  expect(await form.findByText(/another station may be at work on order A-1: it was not taken/)).toBeTruthy()
})

it('an order that another station takes over while it is in the form is asked about', async () => {
  const { fake, emit, order } = await renderOrder()
  const since = '2026-11-22T10:00:00.000Z'
  fake.bridge.takeOrder = async () => ok({ station: 'Bench 2', operator: 'Anna', since, isBatch: false })
  emit('claimedOrderLost', { orderId: order.id })
  const question = within(await screen.findByRole('dialog', { name: 'Another station has order A-1' }))
  expect(question.getByText(/At Bench 2 \(Anna\) since/)).toBeTruthy()
})

it('an order with something to correct has its fields marked until their values are replaced', async () => {
  const { create, user } = await renderOrder(
    sampleSettings(),
    [],
    [
      { field: 'city', code: 'cell-error' },
      { field: 'weight', code: 'changed-elsewhere' },
    ],
  )
  const city = screen.getByLabelText<HTMLInputElement>(/^City/)
  await waitFor(() => expect(document.activeElement).toBe(city))
  expect(screen.getByText(/^City holds an error of the spreadsheet/)).toBeTruthy()
  expect(screen.getByText(/^Another station changed this order before/)).toBeTruthy()
  await user.keyboard('{F9}')
  expect(create).not.toHaveBeenCalled()
  await user.clear(city)
  await user.type(city, 'Gouda')
  expect(screen.queryByText(/holds an error/)).toBeNull()
  await user.keyboard('{F9}')
  await waitFor(() => expect(create).toHaveBeenCalledTimes(1))
  expect(create.mock.lastCall?.[0].draft).toMatchObject({ city: 'Gouda', weight: 1 })
})

it('F9 in a changed reference moves the cursor to the customs items that are to be checked, and ships nothing', async () => {
  const sample = orderSchema.parse(sampleOf(orderSchema))
  const goods = {
    sku: 'C1',
    name: 'Cup',
    quantity: '2',
    price: '',
    weight: '',
    hsCode: '',
    countryOfOrigin: '',
  }
  const values = { reference: 'B-1' }
  const companion = { order: { ...sample, values, items: [goods] }, values }
  const { create, user } = await renderOrder(sampleSettings(), [companion])
  await user.click(await screen.findByRole('checkbox', { name: 'B-1' }))
  await user.click(screen.getByRole('button', { name: 'Ship 2 orders together' }))
  await user.click(screen.getByLabelText('Add customs data and a commercial invoice'))
  const quantity = await screen.findByLabelText<HTMLInputElement>('Pieces, item 1')
  expect(quantity.value).toBe('2')
  expect(screen.getByText('Usually needed: 6 to 10 digits')).toBeTruthy()
  await user.type(screen.getByLabelText(/^Reference/, { selector: '[data-field=reference]' }), '0{F9}')
  await waitFor(() => expect(document.activeElement).toBe(quantity))
  const request = screen.getByText(/^Check the items:/)
  expect(request.compareDocumentPosition(quantity)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  expect(create).not.toHaveBeenCalled()
})

it.each([
  ['refused', '', null, true],
  ['refused', '490199', null, false],
  ['resolved', '', { verdict: 'does-not-exist', at: '2026-11-21T10:00:00.000Z' }, false],
] as const)(
  'the outcome of a %s shipment with the HS code «%s» says only after a refusal that a missing one is reported as another error',
  async (_case, hsCode, resolution, isSaid) => {
    const { user, fake } = await renderOrder()
    const customs = customsSchema.parse(sampleOf(customsSchema))
    const items = customs.items.map((item) => ({ ...item, hsCode }))
    const { draft } = sampleShipment()
    const refused = sampleShipment({
      state: 'refused',
      resolution,
      draft: { ...draft, customs: { ...customs, items } },
    })
    fake.bridge.createShipment = async () => ok(refused)
    await user.keyboard('{F9}')
    const panel = within(await outcome())
    expect(panel.getByText(/^Nothing was shipped/)).toBeTruthy()
    expect(panel.queryByText(/has no HS code/) !== null).toBe(isSaid)
  },
)

it('the sender of an earlier shipment that is no sender of the station is shown as open, and can be chosen if there is only one', async () => {
  window.localStorage.setItem('packbench.sound', 'off')
  const fake = createFakeBridge()
  const customs = customsSchema.parse(sampleOf(customsSchema))
  const own = { id: crypto.randomUUID(), name: 'Shop', party: { ...customs.sender, companyName: 'Shop BV' } }
  fake.bridge.listSenderProfiles = async () => ok([own])
  const create = vi.fn(fake.bridge.createShipment)
  fake.bridge.createShipment = create
  const { user, client } = renderApp(
    <ShipScreen account={fake.state.status.account} settings={fake.state.settings} />,
    fake,
  )
  await waitFor(() => expect(useCustoms.getStore(client).getState().profiles).toHaveLength(1))
  const sender = { ...customs.sender, companyName: 'Elsewhere', eoriNumber: 'CH1', vatNumber: 'CH1' }
  const { draft } = sampleShipment()
  act(() =>
    useShip
      .getStore(client)
      .getState()
      .startDraft({ ...draft, customs: { ...customs, sender } }, 'correct'),
  )
  const field = await screen.findByLabelText<HTMLSelectElement>('Sender')
  expect(field.selectedOptions[0]?.textContent).toBe('Choose')
  await user.keyboard('{F9}')
  await waitFor(() => expect(document.activeElement).toBe(field))
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(create).not.toHaveBeenCalled()
  await user.selectOptions(field, 'Shop')
  expect([...field.options].map(({ text }) => text)).toEqual(['Shop'])
  await user.keyboard('{F9}')
  await waitFor(() => expect(create).toHaveBeenCalledTimes(1))
  expect(create.mock.lastCall?.[0].draft.customs?.sender).toEqual(own.party)
})

it('the outcome of a refused shipment says that everything typed is still there only while it is', async () => {
  const { user, fake } = await renderOrder()
  fake.bridge.createShipment = async () => ok(sampleShipment({ state: 'refused', reference: 'A-1' }))
  await user.keyboard('{F9}')
  const panel = within(await outcome())
  const hint = /Everything you typed is still there/
  expect(panel.getByText(hint)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Clear form' }))
  expect(panel.getByText(/^Nothing was shipped/)).toBeTruthy()
  expect(panel.queryByText(hint)).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Undo clear' }))
  expect(panel.getByText(hint)).toBeTruthy()
})

it('shows a label whose failed print a person closed with a reason as closed, without asking to print it again', async () => {
  const { user, fake, emit } = await renderOrder()
  const job = sampleJob({ reference: 'A-1', state: 'failed', error: appError('printer-failed') })
  const failed = sampleShipment({ reference: 'A-1', jobs: [job] })
  Object.assign(fake.bridge, { createShipment: async () => ok(failed) })
  await user.keyboard('{F9}')
  const panel = within(await outcome())
  expect(await panel.findByRole('heading', { name: 'Not printed' })).toBeTruthy()
  const note: PrintNote = { code: 'dismissed', says: [], reason: 'printed-elsewhere' }
  const closed: ShipmentDetails = { ...failed, jobs: [{ ...job, state: 'cancelled', note }] }
  fake.state.shipments = [closed]
  emit('shipmentChanged', closed)
  expect(await panel.findByRole('heading', { name: 'Closed' })).toBeTruthy()
  const status = within(panel.getByRole('status'))
  expect(status.getByText('Closed by a person: printed on another printer.')).toBeTruthy()
  expect(panel.queryByText(/print it again/)).toBeNull()
})

describe('a shipment that is noted as cancelled at the carrier', () => {
  const cancellation = { at: '2026-11-21T10:00:00.000Z', by: 'Bram', note: 'By phone' }
  const cancelled = sampleShipment({ reference: 'A-1', cancellation })

  it('is no longer offered for a reprint by the question about its reference', async () => {
    const { create, user, emit } = await renderOrder()
    const { id: shipmentId, takenAt } = cancelled
    const details = { reference: 'A-1', shipmentId, takenAt, barcodes: '3S1' }
    create.mockResolvedValue(err(appError('shipment-duplicate', details)))
    await user.keyboard('{F9}')
    const panel = within(await outcome())
    const reprint = () => panel.queryByRole('button', { name: 'Reprint that label', hidden: true })
    expect(reprint()).toBeTruthy()
    emit('shipmentChanged', cancelled)
    await waitFor(() => expect(reprint()).toBeNull())
    expect(panel.getByText(/Cancelled at the carrier on/)).toBeTruthy()
  })

  it('is shown as cancelled in the form’s hint, the outcome and the session, where its label is not reprinted', async () => {
    const settings = sampleSettings({ scanBack: { on: true, required: true, rules: [] } })
    const { user, fake, emit } = await renderOrder(settings)
    Object.assign(fake.bridge, { createShipment: async () => ok(sampleShipment({ reference: 'A-1' })) })
    await user.keyboard('{F9}')
    const panel = within(await outcome())
    await panel.findByRole('button', { name: 'Reprint' })
    expect(panel.getByRole('form', { name: 'Scan the printed label' })).toBeTruthy()
    fake.state.shipments = [cancelled]
    fake.bridge.findEarlierShipments = async () => {
      const { id: shipmentId, state, takenAt, barcodes } = cancelled
      return ok([{ shipmentId, state, takenAt, barcodes, cancelledAt: cancellation.at }])
    }
    await user.type(screen.getByLabelText('Reference'), 'A-1')
    emit('shipmentChanged', cancelled)
    const words = `Cancelled at the carrier on ${formatMoment(cancellation.at, 'en')}`
    expect(await panel.findByText(`${words} by Bram.`)).toBeTruthy()
    expect(panel.getByRole('heading', { name: 'Cancelled' })).toBeTruthy()
    expect(panel.queryByRole('button', { name: 'Reprint' })).toBeNull()
    expect(panel.queryByRole('form', { name: 'Scan the printed label' })).toBeNull()
    expect(await screen.findByText(new RegExp(`^Already shipped on .*${words}\\.`))).toBeTruthy()
    const session = screen.getByText('This session')
    expect(within(session.closest('section') ?? session).getByText('Cancelled')).toBeTruthy()
  })

  it.each<[string, Pick<ShipmentDetails, 'cancellation'> & { closed?: Label['closed'] }]>([
    ['', { cancellation }],
    [', nor does one whose label problem was closed', { closed: { at: cancellation.at, reason: 'By hand' } }],
  ])('no longer asks for its label to be fetched%s', async (_what, { closed, ...change }) => {
    const { user, fake, emit } = await renderOrder()
    const labels = sampleShipment().labels.map((label) => ({ ...label, problem: 'not-fetched' as const }))
    const missing: Partial<ShipmentDetails> = {
      reference: 'A-1',
      jobs: [],
      error: appError('label-missing', { reference: 'A-1' }),
      labels,
    }
    Object.assign(fake.bridge, { createShipment: async () => ok(sampleShipment(missing)) })
    await user.keyboard('{F9}')
    const panel = within(await outcome())
    const asks = () => [
      panel.queryByRole('button', { name: 'Fetch the label again' }),
      panel.queryByText(/Packbench tries again by itself/),
      panel.queryByText(/ask the service for the label/),
    ]
    expect(asks()).not.toContain(null)
    const ended = sampleShipment({
      ...missing,
      ...change,
      labels: labels.map((label) => ({ ...label, closed })),
    })
    fake.state.shipments = [ended]
    emit('shipmentChanged', ended)
    await waitFor(() => expect(asks()).toEqual([null, null, null]))
  })

  it('is not what the form’s hint speaks of while an older one of the reference is valid', async () => {
    const { user, fake } = await renderOrder()
    Object.assign(fake.bridge, { createShipment: async () => ok(sampleShipment({ reference: 'A-1' })) })
    await user.keyboard('{F9}')
    await outcome()
    const { id: shipmentId, state, barcodes } = cancelled
    const takenAt = '2026-11-02T09:00:00.000Z'
    fake.bridge.findEarlierShipments = async () =>
      ok([
        { shipmentId, state, takenAt: cancelled.takenAt, barcodes, cancelledAt: cancellation.at },
        { shipmentId: crypto.randomUUID(), state, takenAt, barcodes },
      ])
    await user.type(screen.getByLabelText('Reference'), 'A-1')
    await user.tab()
    const hint = await screen.findByText(new RegExp(`^Already shipped on ${formatMoment(takenAt, 'en')}`))
    expect(hint.textContent).not.toMatch(/Cancelled/)
  })
})

describe('a reference that another station shipped', () => {
  const shipmentId = '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0009'
  const takenAt = '2026-11-20T13:12:00.000Z'
  const elsewhere = { case: 'elsewhere', reference: 'A-1', shipmentId, station: 'Bench 2', takenAt } as const

  it.each(['Anna', ''])(
    'is reported in a dialog and the panel with station, operator «%s», time and barcode; both reprint its label',
    async (operator) => {
      const { create, user, fake, history } = await renderOrder()
      const details = { ...elsewhere, operator, barcodes: '3SABCD1234567' }
      create.mockResolvedValue(err(appError('shipment-duplicate', details)))
      await user.keyboard('{F9}')
      const when = [formatMoment(takenAt, 'en'), operator].filter(Boolean).join(', ')
      const text = `A-1 was shipped at station Bench 2 (${when}), with these barcodes. Nothing was sent here.`
      const reprints = () => fake.calls.filter(({ method }) => method === 'reprint')
      const dialog = within(await screen.findByRole('dialog', { name: 'Already shipped' }))
      const panel = within(await outcome())
      for (const part of [dialog, panel]) {
        expect(part.getByText(text)).toBeTruthy()
        expect(part.getByText('3SABCD1234567')).toBeTruthy()
      }
      await user.click(dialog.getByRole('button', { name: 'Reprint that label' }))
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
      await user.click(panel.getByRole('button', { name: 'Reprint that label' }))
      expect(reprints()).toEqual([
        { method: 'reprint', input: { shipmentId } },
        { method: 'reprint', input: { shipmentId } },
      ])
      expect(create).toHaveBeenCalledTimes(1)
      await user.click(panel.getByRole('button', { name: 'Show in History' }))
      expect(history()).toMatchObject({ stations: 'all', selectedId: shipmentId })
    },
  )

  it('and again after that, cancelled at the carrier, has the valid label reprinted, and the last shipment confirmed', async () => {
    const { create, user, fake } = await renderOrder()
    const duplicateOf = 'a71b8a3e-4c1b-4f5e-8b61-0c5a5c2d9d11'
    create.mockResolvedValue(
      err(appError('shipment-duplicate', { ...elsewhere, operator: '', barcodes: '3SVALID', duplicateOf })),
    )
    await user.keyboard('{F9}')
    const dialog = within(await screen.findByRole('dialog', { name: 'Already shipped' }))
    expect(dialog.getByText('3SVALID')).toBeTruthy()
    await user.click(within(await outcome()).getByRole('button', { name: 'Reprint that label' }))
    expect(fake.calls.find(({ method }) => method === 'reprint')?.input).toEqual({ shipmentId })
    await user.click(dialog.getByRole('button', { name: 'Ship again anyway' }))
    expect(create.mock.lastCall?.[0]).toMatchObject({
      confirmedDuplicates: [{ reference: 'A-1', shipmentId: duplicateOf }],
    })
  })

  it('and that was cancelled at the carrier is reported as cancelled, without an offer to reprint its label', async () => {
    const { create, user } = await renderOrder()
    const cancelledAt = '2026-11-20T15:40:00.000Z'
    const details = { ...elsewhere, case: 'cancelled-elsewhere', operator: '', barcodes: '3S1' } as const
    create.mockResolvedValue(err(appError('shipment-duplicate', { ...details, cancelledAt })))
    await user.keyboard('{F9}')
    const dialog = within(await screen.findByRole('dialog', { name: 'Already shipped' }))
    const panel = within(await outcome())
    const words = new RegExp(
      `at station Bench 2 .* Cancelled at the carrier on ${formatMoment(cancelledAt, 'en')}`,
    )
    for (const part of [dialog, panel]) {
      expect(part.getByText(words)).toBeTruthy()
      expect(part.queryByRole('button', { name: 'Reprint that label' })).toBeNull()
    }
    expect(dialog.getByText(/^Its label is void\./)).toBeTruthy()
    expect(dialog.getByRole('button', { name: 'Ship again anyway' })).toBeTruthy()
  })

  it.each([
    ['exists', ''],
    ['does-not-exist', 'A-1'],
  ] as const)('and left unknown is shown as resolved once it is: it %s', async (verdict, reference) => {
    const settings = sampleSettings({ scanBack: { on: true, required: true, rules: [] } })
    const { create, user, fake, emit, history } = await renderOrder(settings)
    const unknown = sampleShipment({
      ...{ id: shipmentId, reference: 'A-1', state: 'unknown', barcodes: [], labels: [], jobs: [] },
      station: { name: 'Bench 2', isThisOne: false },
    })
    fake.state.shipments = [unknown]
    create.mockResolvedValue(err(appError('shipment-unsettled', { ...elsewhere, barcodes: '' })))
    await user.keyboard('{F9}')
    const panel = within(await outcome())
    expect(panel.getByText(/^Station Bench 2 tried to ship A-1/)).toBeTruthy()
    // Something else changed in the fleet.
    emit('fleetShipmentsChanged', {})
    await user.click(panel.getByRole('button', { name: 'Resolve it' }))
    expect(await screen.findByRole('dialog')).toBeTruthy()
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect((await outcome()).dataset.state).toBe('error')
    fake.state.shipments = [
      {
        ...unknown,
        ...{ state: verdict === 'exists' ? 'created' : 'refused', resolution: { verdict, at: takenAt } },
        barcodes: verdict === 'exists' ? ['3SFOUND'] : [],
      },
    ]
    emit('fleetShipmentsChanged', {})
    await waitFor(async () =>
      expect((await outcome()).dataset.state).toBe(verdict === 'exists' ? 'created' : 'refused'),
    )
    expect(
      screen.getByLabelText<HTMLInputElement>(/^Reference/, { selector: '[data-field=reference]' }).value,
    ).toBe(reference)
    // Its label was printed at the other station, if at all.
    expect(screen.queryByText(/The next order waits/)).toBeNull()
    await user.click(within(await outcome()).getByRole('button', { name: 'Show in History' }))
    expect(history()).toMatchObject({ stations: 'all', selectedId: shipmentId })
  })
})
