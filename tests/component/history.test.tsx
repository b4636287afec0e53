import { act, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { HistoryScreen } from '../../src/renderer/features/history/Screen'
import { useNavigation } from '../../src/renderer/ui/navigation'
import { appError } from '../../src/shared/errors'
import { fleetSettingsSchema } from '../../src/shared/fleet'
import { wholeHistory } from '../../src/shared/history'
import { err, ok } from '../../src/shared/result'
import type { ShipmentDetails } from '../../src/shared/shipments'
import { deferred } from '../support/deferred'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleJob, sampleSettings, sampleShipment } from '../support/screenSamples'
import { renderApp } from './renderApp'
import { giveRoom } from './roomForRows'

const toId = (number: number) => `0b0f1c52-58a5-4a0e-9d7e-${String(number).padStart(12, '0')}`

const shipments = [1, 2, 3].map((number) =>
  sampleShipment({
    id: toId(number),
    reference: `ORDER-${number}`,
    barcodes: [`BARCODE-${number}`],
    jobs: [],
    state: number === 2 ? 'unknown' : 'created',
  }),
)

function renderHistory(
  stored: ShipmentDetails[] = shipments,
  fake = createFakeBridge({ shipments: stored }),
) {
  giveRoom(880)
  return renderApp(<HistoryScreen settings={sampleSettings()} />, fake)
}

const listed = () =>
  screen.queryAllByTestId('shipment-row').map((row) => row.querySelector('strong')?.textContent)
/** The selected reference in the list, and that of the open details; null for none. */
const selected = () => ({
  row:
    screen
      .queryAllByTestId('shipment-row')
      .find((row) => row.getAttribute('aria-current') === 'true')
      ?.querySelector('strong')?.textContent ?? null,
  details: screen.queryAllByRole('heading', { level: 2 })[0]?.textContent ?? null,
})
const isOpen = (reference: string) => expect.poll(selected).toEqual({ row: reference, details: reference })
const isNoneOpen = () => expect.poll(selected).toEqual({ row: null, details: null })
const search = () => screen.getByRole('textbox', { name: /search/i })
const row = (reference: string) => screen.findByRole('button', { name: new RegExp(`^${reference}\\b`) })

describe('the list', () => {
  it('moves its selection with the arrow keys and stops at its ends', async () => {
    const { user } = renderHistory()
    await expect.poll(listed).toEqual(['ORDER-1', 'ORDER-2', 'ORDER-3'])
    await user.type(search(), '{ArrowDown}')
    await isOpen('ORDER-1')
    await user.type(search(), '{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}')
    await isOpen('ORDER-3')
    await user.type(search(), '{ArrowUp}{ArrowUp}{ArrowUp}{ArrowUp}')
    await isOpen('ORDER-1')
  })

  it('has only the visible rows in the document, and loads more while scrolling', async () => {
    const many = Array.from({ length: 250 }, (_, number) =>
      sampleShipment({ id: toId(number), reference: `ORDER-${number}`, jobs: [] }),
    )
    const { user, fake } = renderHistory(many)
    const pages = () => fake.calls.filter(({ method }) => method === 'searchShipments').length
    await expect.poll(() => listed().length).toBeGreaterThan(19)
    expect(listed().length).toBeLessThan(40)
    expect(pages()).toBe(1)
    await user.type(search(), '{ArrowDown}')
    await isOpen('ORDER-0')
    const [first] = screen.getAllByTestId('shipment-row')
    first?.querySelector('button')?.focus()
    await user.keyboard('{End}')
    await expect.poll(() => selected().details).toBe('ORDER-99')
    await expect.poll(pages).toBe(2)
  })

  it('ignores an answer to an earlier search', async () => {
    const fake = createFakeBridge({ shipments })
    const slow = deferred<Awaited<ReturnType<typeof fake.bridge.searchShipments>>>()
    const answer = fake.bridge.searchShipments
    fake.bridge.searchShipments = () => slow.promise
    const { user } = renderHistory(shipments, fake)
    fake.bridge.searchShipments = answer
    await user.click(screen.getByRole('switch'))
    await expect.poll(listed).toEqual(['ORDER-2'])
    await act(async () => slow.resolve(ok({ shipments: [], next: null, total: 0, fleetError: null })))
    expect(listed()).toEqual(['ORDER-2'])
  })

  it('shows a shipment created after it was loaded', async () => {
    const { fake, emit } = renderHistory()
    await expect.poll(listed).toHaveLength(3)
    const added = sampleShipment({ id: toId(4), reference: 'ORDER-4', jobs: [] })
    fake.state.shipments = [added, ...shipments]
    emit('shipmentChanged', added)
    await expect.poll(listed).toEqual(['ORDER-4', 'ORDER-1', 'ORDER-2', 'ORDER-3'])
  })

  it('updates the print jobs of its rows', async () => {
    const { fake, emit } = renderHistory()
    await expect.poll(listed).toHaveLength(3)
    const job = sampleJob({ shipmentId: toId(1), state: 'failed' })
    fake.state.shipments = shipments.map((each) => (each.id === toId(1) ? { ...each, jobs: [job] } : each))
    emit('printJobChanged', job)
    expect(await screen.findAllByRole('img', { name: 'Needs attention' })).toBeDefined()
  })

  it('shows a shipment whose print job failed among those that need attention', async () => {
    const { user, fake, emit } = renderHistory()
    await user.click(screen.getByRole('switch'))
    await expect.poll(listed).toEqual(['ORDER-2'])
    const job = sampleJob({ shipmentId: toId(1), state: 'failed' })
    fake.state.shipments = shipments.map((each) => (each.id === toId(1) ? { ...each, jobs: [job] } : each))
    emit('printJobChanged', job)
    await expect.poll(listed).toEqual(['ORDER-1', 'ORDER-2'])
  })
})

describe('the search', () => {
  it('opens the single hit instead of the shipment that was open before', async () => {
    const { user } = renderHistory()
    await user.click(await row('ORDER-1'))
    await isOpen('ORDER-1')
    await user.type(search(), 'ORDER-2')
    expect(selected().details).toBeNull()
    await user.type(search(), '{Enter}')
    await isOpen('ORDER-2')
  })

  it('searches for the last of two scanned codes', async () => {
    const { user } = renderHistory()
    await user.type(search(), 'BARCODE-1{Enter}BARCODE-2{Enter}')
    await isOpen('ORDER-2')
  })

  it('opens the parcel of the order whose reference was scanned, among longer ones', async () => {
    const combined = { reference: 'ORDER-1', combinedReferences: ['ORDER-2'] }
    const found = [
      sampleShipment({ ...combined, id: toId(1), barcodes: ['BARCODE-1'], jobs: [] }),
      sampleShipment({ id: toId(2), reference: 'ORDER-20', barcodes: ['BARCODE-2'], jobs: [] }),
    ]
    const fake = createFakeBridge({ shipments: found })
    fake.bridge.searchShipments = async () => ok({ shipments: found, next: null, total: 2, fleetError: null })
    const { user } = renderHistory(found, fake)
    await user.type(search(), 'order-2{Enter}')
    await expect.poll(() => selected().row).toBe('ORDER-1 + ORDER-2')
  })

  it('opens the exact match of a scanned reference or barcode among longer ones', async () => {
    const alike = ['ORDER-2', 'ORDER-20', 'ORDER-21'].map((reference, index) =>
      sampleShipment({ id: toId(index), reference, barcodes: [`${reference}-BARCODE`], jobs: [] }),
    )
    const { user } = renderHistory(alike)
    await user.type(search(), ' order-2 {Enter}')
    await isOpen('ORDER-2')
    await user.clear(search())
    await user.type(search(), 'order-2-barcode{Enter}')
    await isOpen('ORDER-2')
    await user.clear(search())
    await user.type(search(), 'order-{Enter}')
    await expect.poll(() => listed().length).toBe(3)
    await isNoneOpen()
  })
})

describe('the details', () => {
  it('close when the list no longer contains the shipment', async () => {
    const { user, fake, emit } = renderHistory()
    await user.click(await row('ORDER-1'))
    await isOpen('ORDER-1')
    fake.state.shipments = shipments.slice(1)
    emit('shipmentChanged', sampleShipment({ id: toId(9) }))
    await isNoneOpen()
    await user.click(await row('ORDER-3'))
    await isOpen('ORDER-3')
    await user.click(screen.getByRole('switch'))
    await isNoneOpen()
  })

  it('show an older shipment that another screen requested even if its page is not loaded', async () => {
    const many = Array.from({ length: 160 }, (_, number) =>
      sampleShipment({ id: toId(number), reference: `ORDER-${number}`, jobs: [] }),
    )
    function Asking() {
      const showShipment = useNavigation((state) => state.showShipment)
      return (
        <button type="button" onClick={() => showShipment(toId(159))}>
          Ask
        </button>
      )
    }
    giveRoom(880)
    const { user } = renderApp(
      <>
        <Asking />
        <HistoryScreen settings={sampleSettings()} />
      </>,
      createFakeBridge({ shipments: many }),
    )
    await user.click(screen.getByRole('button', { name: 'Ask' }))
    await expect.poll(() => selected().details).toBe('ORDER-159')
    await expect.poll(() => listed().length).toBeGreaterThan(19)
    expect(selected().details).toBe('ORDER-159')
  })

  it('show a shipment that another screen requested although the list that was shown before lacks it', async () => {
    function Screens() {
      const { screen, go, showShipment } = useNavigation((state) => state)
      return (
        <>
          <button type="button" onClick={() => go('ship')}>
            Ship
          </button>
          <button type="button" onClick={() => showShipment(toId(4))}>
            Ask
          </button>
          {screen === 'history' ? <HistoryScreen settings={sampleSettings()} /> : null}
        </>
      )
    }
    giveRoom(880)
    const { user, fake, emit } = renderApp(<Screens />, createFakeBridge({ shipments }))
    await user.click(screen.getByRole('button', { name: 'Ask' }))
    await expect.poll(listed).toHaveLength(3)
    await isNoneOpen()
    await user.click(screen.getByRole('button', { name: 'Ship' }))
    const added = sampleShipment({ id: toId(4), reference: 'ORDER-4', jobs: [] })
    fake.state.shipments = [added, ...shipments]
    emit('shipmentChanged', added)
    await user.click(screen.getByRole('button', { name: 'Ask' }))
    await isOpen('ORDER-4')
  })

  it('never show one shipment while another is selected', async () => {
    const { user, fake } = renderHistory()
    await user.click(await row('ORDER-1'))
    await isOpen('ORDER-1')
    const slow = deferred<Awaited<ReturnType<typeof fake.bridge.getShipment>>>()
    fake.bridge.getShipment = () => slow.promise
    await user.click(await row('ORDER-2'))
    await expect.poll(selected).toEqual({ row: 'ORDER-2', details: null })
    await act(async () => slow.resolve(err(appError('shipment-not-found'))))
    expect(await screen.findByRole('alert')).toBeDefined()
    expect(selected().details).toBeNull()
  })

  it('update a print job, but never to an older state', async () => {
    const shipment = sampleShipment({ jobs: [sampleJob({ state: 'sending' })] })
    const { user, emit } = renderHistory([shipment])
    await user.click(await row(shipment.reference))
    const states = () => screen.queryAllByTestId('job').map((job) => job.dataset.state)
    await expect.poll(states).toEqual(['sending'])
    emit('printJobChanged', sampleJob({ state: 'failed', updatedAt: '2026-11-21T09:20:00.000Z' }))
    await expect.poll(states).toEqual(['failed'])
    emit('printJobChanged', sampleJob({ state: 'sending', updatedAt: '2026-11-21T09:15:02.500Z' }))
    expect(states()).toEqual(['failed'])
  })
})

it('a handled shipment stays visible until the list is fetched again', async () => {
  const { user, fake, emit } = renderHistory()
  await user.click(screen.getByRole('switch'))
  await user.click(await row('ORDER-2'))
  await isOpen('ORDER-2')
  const done: Partial<ShipmentDetails> = { ...shipments[1], state: 'created' }
  fake.state.shipments = shipments.map((each) => (each.id === toId(2) ? { ...each, ...done } : each))
  const [changed] = fake.state.shipments.filter(({ id }) => id === toId(2))
  if (changed) emit('shipmentChanged', changed)
  await act(async () => undefined)
  await isOpen('ORDER-2')
})

describe('two carriers with an option of the same id', () => {
  const carriers = [
    { name: 'PostNL', carrierId: 12, carrierOptionId: 1 },
    { name: 'DHL', carrierId: 13, carrierOptionId: 1 },
  ]

  it('are told apart in the details, and both named where only the option is known', async () => {
    const shipment = sampleShipment({ jobs: [], carrierOptionId: 1 })
    Object.assign(shipment.draft, { carrierId: 13, carrierOptionId: 1 })
    giveRoom(880)
    const { user } = renderApp(
      <HistoryScreen settings={sampleSettings({ carriers })} />,
      createFakeBridge({ shipments: [shipment] }),
    )
    await user.click(await row(shipment.reference))
    expect(await screen.findByText('DHL')).toBeDefined()
    expect(screen.getByRole('cell', { name: 'PostNL / DHL' })).toBeDefined()
  })
})

describe('an action on a label', () => {
  it('is sent once for two presses, and the new job is shown', async () => {
    const shipment = sampleShipment({ jobs: [sampleJob()] })
    const { user, fake, emit } = renderHistory([shipment])
    await user.click(await row(shipment.reference))
    const answer = deferred<Awaited<ReturnType<typeof fake.bridge.reprint>>>()
    fake.bridge.reprint = () => answer.promise
    await user.dblClick(await screen.findByRole('button', { name: 'Reprint' }))
    expect(fake.calls.filter(({ method }) => method === 'reprint')).toHaveLength(1)
    const job = sampleJob({ id: crypto.randomUUID(), kind: 'reprint', state: 'queued' })
    emit('printJobChanged', job)
    await act(async () => answer.resolve(ok([job])))
    await expect
      .poll(() => screen.queryAllByTestId('job').map((line) => line.dataset.state))
      .toEqual(['done', 'queued'])
  })

  it('shows its error at the shipment it belongs to', async () => {
    const printed = shipments.map((each) => ({ ...each, jobs: [sampleJob({ shipmentId: each.id })] }))
    const { user, fake } = renderHistory(printed)
    fake.bridge.reprint = () => Promise.resolve(err(appError('no-printer')))
    await user.click(await row('ORDER-1'))
    await user.click(await screen.findByRole('button', { name: 'Reprint' }))
    expect(await screen.findByRole('alert')).toBeDefined()
    await user.click(await row('ORDER-2'))
    await isOpen('ORDER-2')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it.each([
    ['a label problem', { problem: 'empty' }],
    ['a label that no printer took', { unplanned: true }],
  ] as const)('closes %s with a reason', async (_what, change) => {
    const shipment = sampleShipment({ jobs: [] })
    const labels = shipment.labels.map((label) => ({ ...label, ...change }))
    const { user, fake, emit } = renderHistory([{ ...shipment, labels }])
    await user.click(await row(shipment.reference))
    await user.click(await screen.findByRole('button', { name: /close this problem/i }))
    await user.type(await screen.findByRole('textbox', { name: /reason/i }), 'Came by e-mail{Enter}')
    await vi.waitFor(() =>
      expect(fake.calls).toContainEqual({
        method: 'closeLabelProblems',
        input: { shipmentId: shipment.id, reason: 'Came by e-mail' },
      }),
    )
    const [closed] = fake.state.shipments
    if (closed) emit('shipmentChanged', closed)
    expect(await screen.findByText(/Came by e-mail/)).toBeDefined()
    expect(screen.queryByText(/Ask the service with the SubLogID/)).toBeNull()
    await expect.poll(() => screen.queryByRole('button', { name: /close this problem/i })).toBeNull()
  })
})

describe('the filters', () => {
  it('restrict the search, and can be saved under a name', async () => {
    const { user, fake } = renderHistory()
    const change = vi.spyOn(fake.bridge, 'changeSettings')
    await user.click(screen.getByRole('button', { name: 'Filters' }))
    await user.selectOptions(screen.getByLabelText('Country'), 'NL')
    await user.selectOptions(screen.getByLabelText('State'), 'refused')
    await vi.waitFor(() =>
      expect(fake.calls).toContainEqual({
        method: 'searchShipments',
        input: expect.objectContaining({ country: 'NL', state: 'refused', before: null }),
      }),
    )
    expect(screen.getByRole('button', { name: 'Filters (2)' })).toBeDefined()
    await user.type(screen.getByLabelText('Name of the view'), 'Refused here{Enter}')
    await vi.waitFor(() =>
      expect(change.mock.calls[0]?.[0].historyViews).toEqual([
        {
          name: 'Refused here',
          period: 'all',
          filter: expect.objectContaining({ country: 'NL', state: 'refused' }),
        },
      ]),
    )
    await user.click(screen.getByRole('button', { name: 'Clear filters' }))
    expect(screen.getByRole('button', { name: 'Filters' })).toBeDefined()
  })

  it('are restored by choosing their saved view, and removed by choosing none', async () => {
    giveRoom(880)
    const { from: _from, to: _to, ...whole } = wholeHistory
    const filter = { ...whole, country: 'NL', state: 'refused' as const }
    const settings = sampleSettings({
      historyViews: [{ name: 'Refused here', period: 'all', filter }],
    })
    const { user, fake } = renderApp(<HistoryScreen settings={settings} />, createFakeBridge({ shipments }))
    const asked = () => fake.calls.filter(({ method }) => method === 'searchShipments').at(-1)?.input
    const views = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'View' })
    await user.selectOptions(views, 'Refused here')
    await vi.waitFor(() => expect(asked()).toMatchObject({ country: 'NL', state: 'refused' }))
    expect(screen.getByRole('button', { name: 'Filters (2)' })).toBeDefined()
    expect(views.value).toBe('Refused here')
    await user.selectOptions(views, views.options[0]?.text ?? '')
    await vi.waitFor(() => expect(asked()).toMatchObject({ country: '', state: null }))
    expect(screen.getByRole('button', { name: 'Filters' })).toBeDefined()
  })
})

describe('a shipment that was cancelled at the carrier', () => {
  it('is noted with the way it was cancelled, without a request to the service', async () => {
    const shipment = sampleShipment({ jobs: [] })
    const { user, fake } = renderHistory([shipment])
    await user.click(await row(shipment.reference))
    await user.click(await screen.findByRole('button', { name: 'Cancel at the carrier' }))
    expect(await screen.findByText(/The service has no cancellation/)).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Note it' }))
    expect(await screen.findByText(/Say how it was cancelled/)).toBeDefined()
    await user.type(screen.getByLabelText(/How it was cancelled/), 'By phone{Enter}')
    await vi.waitFor(() =>
      expect(fake.calls).toContainEqual({
        method: 'noteCancellation',
        input: { shipmentId: shipment.id, note: 'By phone' },
      }),
    )
  })
})

it('a cancelled shipment is shown as cancelled in the list and above its details, whatever became of its label', async () => {
  const cancellation = { at: '2026-11-21T10:00:00.000Z', by: null, note: 'by phone' }
  const { user } = renderHistory([
    sampleShipment({ reference: 'ORDER-1', jobs: [sampleJob()], cancellation }),
  ])
  await user.click(await row('ORDER-1'))
  await isOpen('ORDER-1')
  // The list's columns of the state and of the label, and the details.
  expect(screen.getAllByText('Cancelled')).toHaveLength(3)
  expect(screen.queryByText('Label out')).toBeNull()
})

describe('the details of a shipment that was cancelled at the carrier', () => {
  const cancellation = { at: '2026-11-21T10:00:00.000Z', by: null, note: 'by phone' }

  it.each<[string, Partial<ShipmentDetails>]>([
    ['printed', { jobs: [sampleJob({ state: 'cancelled' })] }],
    [
      'fetched',
      {
        jobs: [],
        labels: sampleShipment().labels.map((label) => ({
          ...label,
          problem: 'not-fetched',
          closed: { at: cancellation.at, reason: cancellation.note },
        })),
      },
    ],
  ])('do not ask for its void label to be %s', async (_what, change) => {
    const error = appError('label-missing', { reference: 'ORDER-1' })
    const { user } = renderHistory([sampleShipment({ reference: 'ORDER-1', cancellation, error, ...change })])
    await user.click(await row('ORDER-1'))
    await isOpen('ORDER-1')
    expect(screen.getByText(/^Cancelled at the carrier on/)).toBeDefined()
    expect(screen.queryByText(/print it again/)).toBeNull()
    expect(screen.queryByText(/tries again by itself/)).toBeNull()
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('still ask whether its label came out when that is unknown', async () => {
    const { user } = renderHistory([
      sampleShipment({ reference: 'ORDER-1', cancellation, jobs: [sampleJob({ state: 'unconfirmed' })] }),
    ])
    await user.click(await row('ORDER-1'))
    await isOpen('ORDER-1')
    expect(screen.getByText(/look whether the label came out/)).toBeDefined()
  })
})

describe('the error of a shipment', () => {
  const interrupted = appError('shipment-interrupted', { reference: 'ORDER-1' })
  const at = '2026-11-21T10:00:00.000Z'
  const missing = sampleShipment().labels.map((label) => ({ ...label, problem: 'not-fetched' as const }))
  const closed = { at, reason: 'printed by the carrier' }

  it.each<[string, Partial<ShipmentDetails>, boolean]>([
    ['resolved as created', { error: interrupted, resolution: { verdict: 'exists', at } }, false],
    [
      'resolved as created, whose label is being fetched',
      { labels: missing, error: interrupted, resolution: { verdict: 'exists', at } },
      false,
    ],
    [
      'resolved as created, whose label could not be fetched',
      { labels: missing, resolution: { verdict: 'exists', at } },
      true,
    ],
    [
      'resolved as not created',
      { state: 'refused', error: interrupted, resolution: { verdict: 'does-not-exist', at } },
      false,
    ],
    ['whose label problems were closed', { labels: missing.map((label) => ({ ...label, closed })) }, false],
    ['whose label is missing', { labels: missing }, true],
    ['that was refused', { state: 'refused', labels: [] }, true],
  ])('of a shipment %s is shown only while something is to be done', async (_what, change, isShown) => {
    const error = appError('label-missing', { reference: 'ORDER-1' })
    const { user } = renderHistory([sampleShipment({ reference: 'ORDER-1', jobs: [], error, ...change })])
    await user.click(await row('ORDER-1'))
    await isOpen('ORDER-1')
    const words = /ask the service for the label|ask the service, then resolve it/
    expect(screen.queryAllByText(words)).toHaveLength(isShown ? 1 : 0)
  })
})

describe('the report', () => {
  it('covers a day or a week, moves between them, and is saved in each format', async () => {
    const { user, fake } = renderHistory()
    const report = vi.spyOn(fake.bridge, 'getShippingReport')
    fake.bridge.saveShippingReport = async () => ok('/home/operator/report.pdf')
    const figures = { shipments: 1234, packages: 4, weight: 5.5 }
    report.mockImplementation(async ({ from, to }) =>
      ok({
        ...{ from, to, total: figures, days: [{ name: from, ...figures }] },
        hours: [{ name: '09', ...figures }],
        carrierOptions: [{ name: '99', ...figures }],
        countries: ['DE', ''].map((name) => ({ name, ...figures })),
        operators: [{ name: '', ...figures }],
        stations: [{ name: 'Bench 2', ...figures }],
      }),
    )
    await user.click(screen.getByRole('button', { name: 'Report' }))
    expect(await screen.findByRole('rowheader', { name: 'Germany (DE)' })).toBeDefined()
    expect(screen.getByRole('rowheader', { name: '—' })).toBeDefined()
    expect(screen.getByRole('rowheader', { name: 'Nobody signed in' })).toBeDefined()
    expect(screen.getByRole('row', { name: 'Bench 2 1,234 4 5.5' })).toBeDefined()
    const [day] = report.mock.calls.at(-1) ?? []
    expect(day?.from).toBe(day?.to)
    await user.click(screen.getByRole('button', { name: 'Week' }))
    await vi.waitFor(() =>
      expect(report.mock.calls.at(-1)?.[0].from).not.toBe(report.mock.calls.at(-1)?.[0].to),
    )
    // The names of the days are in the order of the other dates: «Mon 16».
    expect(await screen.findAllByText(/^Mon \d{1,2}$/)).not.toEqual([])
    const before = report.mock.calls.at(-1)?.[0].from ?? ''
    await user.click(screen.getByRole('button', { name: 'Period before' }))
    await vi.waitFor(() => expect((report.mock.calls.at(-1)?.[0].from ?? '') < before).toBe(true))
    await user.click(screen.getByRole('button', { name: 'Save as PDF' }))
    expect(fake.calls).toContainEqual({
      method: 'saveShippingReport',
      input: expect.objectContaining({ format: 'pdf' }),
    })
    expect(await screen.findByText(/^Saved: /)).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Period before' }))
    expect(screen.queryByText(/^Saved: /)).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Back to the list' }))
    await expect.poll(listed).toHaveLength(3)
  })
})

describe('the history of a fleet', () => {
  const fleet = fleetSettingsSchema.parse({
    ...{ host: 'db.example', database: 'packbench', user: 'packbench', station: 'Bench 1' },
  })
  function renderFleet(fake = createFakeBridge({ shipments })) {
    giveRoom(880)
    fake.bridge.getSettings = async () => ok({ ...sampleSettings(), fleet })
    return renderApp(<HistoryScreen settings={{ ...sampleSettings(), fleet }} />, fake)
  }

  it('searches all stations when that is chosen, and names the station of each shipment', async () => {
    const fake = createFakeBridge({ shipments })
    const elsewhere = { ...sampleShipment({ jobs: [] }), station: { name: 'Bench 2', isThisOne: false } }
    fake.bridge.searchShipments = async ({ stations }) =>
      ok({
        shipments: stations === 'all' ? [elsewhere] : shipments,
        ...{ next: null, total: 1, fleetError: null },
      })
    fake.bridge.getShipment = async () => ok(elsewhere)
    const { user } = renderFleet(fake)
    await expect.poll(listed).toHaveLength(3)
    await user.click(screen.getByText('All stations'))
    await expect.poll(listed).toEqual([elsewhere.reference])
    expect(screen.getByText('Bench 2')).toBeTruthy()
    await user.click(await row(elsewhere.reference))
    expect(await screen.findByText('Shipment of station Bench 2')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Reprint' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: /cancelled/i })).toBeNull()
    expect(screen.queryByRole('button', { name: 'Cancel at the carrier' })).toBeNull()
    // Not a request to note it there: the station may be lost.
    expect(
      screen.getByText('A cancellation at the carrier can be noted only at station Bench 2.'),
    ).toBeTruthy()
  })

  it('says that other stations’ shipments are missing while the database is unreachable', async () => {
    const fake = createFakeBridge({ shipments })
    const fleetError = appError('fleet-unreachable', { host: 'db.example:5432', reason: 'refused' })
    fake.bridge.searchShipments = async () => ok({ shipments, next: null, total: 3, fleetError })
    renderFleet(fake)
    expect(
      await screen.findByText(/^Shipments of the other stations can’t be seen until the fleet’s/),
    ).toBeTruthy()
    expect(listed()).toHaveLength(3)
  })

  it('says that older shipments are missing if the database becomes unreachable between two pages', async () => {
    const fake = createFakeBridge({ shipments })
    const fleetError = appError('fleet-unreachable', { host: 'db.example:5432', reason: 'refused' })
    fake.bridge.searchShipments = async ({ before }) =>
      before === null
        ? ok({
            shipments,
            next: { takenAt: sampleShipment().takenAt, id: toId(3) },
            total: 9,
            fleetError: null,
          })
        : ok({ shipments: [], next: null, total: null, fleetError })
    renderFleet(fake)
    expect(
      await screen.findByText(/^Older shipments can’t be seen until the fleet’s database answers/),
    ).toBeTruthy()
    expect(listed()).toHaveLength(3)
  })

  it('offers to search all stations when this one has no match', async () => {
    const { user, fake } = renderFleet()
    await user.type(search(), 'ELSEWHERE')
    await user.click(await screen.findByRole('button', { name: 'Search all stations' }))
    await expect
      .poll(() => fake.calls.filter(({ method }) => method === 'searchShipments').at(-1)?.input)
      .toMatchObject({ text: 'ELSEWHERE', stations: 'all' })
  })
})
