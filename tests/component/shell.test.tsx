import { act, fireEvent, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { NoticeBar } from '../../src/renderer/app/Notices'
import { Shell } from '../../src/renderer/app/Shell'
import { useBridgeQuery } from '../../src/renderer/bridge'
import { useDialogs } from '../../src/renderer/ui/dialogs'
import { useNavigation } from '../../src/renderer/ui/navigation'
import type { AppStatus, Notice } from '../../src/shared/app'
import { appError } from '../../src/shared/errors'
import { err } from '../../src/shared/result'
import { createFakeBridge, type FakeBridge } from '../support/fakeBridge'
import { sampleShipment, sampleStatus } from '../support/screenSamples'
import { renderApp } from './renderApp'
import { giveRoom } from './roomForRows'

const shipments = ['1', '2', '3'].map((number) =>
  sampleShipment({
    id: `0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c000${number}`,
    reference: `ORDER-${number}`,
    barcodes: [`BARCODE-${number}`],
    jobs: [],
    state: number === '2' ? 'unknown' : 'created',
  }),
)

function renderShell(start: Partial<FakeBridge['state']> = {}) {
  giveRoom(880)
  const fake = createFakeBridge({ shipments, ...start })
  return renderApp(<Shell status={fake.state.status} settings={fake.state.settings} />, fake)
}

/** The notices of the status that main reports. */
function renderStatus(status: AppStatus) {
  const Notices = () => {
    const { data } = useBridgeQuery('getAppStatus', undefined)
    return <NoticeBar notices={data?.notices ?? []} />
  }
  return renderApp(<Notices />, createFakeBridge({ status }))
}

const titleOfScreen = () => screen.findByRole('heading', { level: 1 })
/** References in the list of History. */
const listed = () =>
  screen.queryAllByTestId('shipment-row').map((row) => row.querySelector('strong')?.textContent)

describe('a click on a notification', () => {
  it('of a printer opens the queue', async () => {
    const { emit } = renderShell()
    emit('queueAskedFor', {})
    expect((await titleOfScreen()).textContent).toBe('Print queue')
  })

  it.each([
    ['status', { by: 'alert', alert: 'status' }],
    [null, { by: 'any-alert' }],
  ] as const)('of %j opens the board', async (alert, only) => {
    const { emit, fake } = renderShell()
    emit('alertsAskedFor', { alert })
    const tab = await screen.findByRole('tab', { name: /^Board/ })
    expect(tab.getAttribute('aria-selected')).toBe('true')
    await vi.waitFor(() =>
      expect(fake.calls.filter(({ method }) => method === 'listWatchedParcels').at(-1)?.input).toMatchObject({
        only,
      }),
    )
  })
})

it.each([
  ['queueAskedFor', {}],
  ['alertsAskedFor', { alert: null }],
] as const)(
  'a notification that is clicked while a dialog is open leaves the screen as it is: %s',
  async (event, payload) => {
    const { emit, user } = renderShell()
    await user.click(screen.getByRole('button', { name: /^Orders/ }))
    const rows = 'Order\tName\nORDER-1\tJansen\n'
    fireEvent.paste(document.body, { clipboardData: { getData: () => rows } })
    const dialog = await screen.findByRole('dialog')
    await act(async () => emit(event, payload))
    expect(document.contains(dialog)).toBe(true)
    expect((await titleOfScreen()).textContent).toBe('Orders')
  },
)

it('a notification that is clicked while a dialog of the window is open opens its screen behind the dialog', async () => {
  const { emit, client } = renderShell()
  const dialog = { kind: 'resolve' as const, shipmentId: shipments[0]?.id ?? '', reference: 'ORDER-1' }
  act(() => useDialogs.getStore(client).getState().open(dialog))
  await screen.findByRole('dialog')
  await act(async () => emit('queueAskedFor', {}))
  expect(useNavigation.getStore(client).getState().screen).toBe('queue')
  expect(screen.queryByRole('dialog')).not.toBeNull()
})

describe('the button for open problems', () => {
  const well = sampleStatus()
  it.each<[string, Partial<AppStatus>]>([
    ['the hot folder has problems', { hotFolder: { ...well.hotFolder, issues: 2 } }],
    ['a printer has an error', { printers: well.printers.map((each) => ({ ...each, state: 'error' })) }],
    [
      'labels wait for a paused printer',
      { printers: well.printers.map((each) => ({ ...each, state: 'paused', waitingJobs: 3 })) },
    ],
    ['the service can’t be reached', { service: { ...well.service, state: 'unreachable' } }],
    ['no printer is set up', { printers: [] }],
    ['the account is not connected', { account: { ...well.account, state: 'locked' } }],
    ['the fleet is away', { fleet: { ...well.fleet, state: 'away' } }],
  ])('does not say that there are no problems while %s', async (_what, change) => {
    renderShell({ status: sampleStatus(change) })
    await titleOfScreen()
    expect(screen.queryByText('No open problems')).toBeNull()
  })

  it('says that there are no problems when there are none', async () => {
    renderShell({ status: sampleStatus() })
    await screen.findByText('No open problems')
  })

  const open = { ...sampleStatus().open, labelProblems: 1 }

  it('opens History without other filters', async () => {
    const { user } = renderShell({ status: sampleStatus({ open }) })
    await user.click(screen.getByRole('button', { name: /open problem/ }))
    expect((await titleOfScreen()).textContent).toBe('History')
    await expect.poll(listed).toEqual(['ORDER-2'])
  })

  it('opens the list of Manifests when History has no problems', async () => {
    const status = sampleStatus({ open: { ...sampleStatus().open, unknownSubmissions: 2 } })
    const { user } = renderShell({ status })
    await user.click(screen.getByRole('button', { name: /open problem/ }))
    expect((await titleOfScreen()).textContent).toBe('Manifests')
  })
})

describe('F8', () => {
  const press = (repeat: boolean) => fireEvent.keyDown(document.body, { key: 'F8', code: 'F8', repeat })

  it.each(['Ship', 'Queue', 'Manifests'])(
    'on %s prints one copy of the last label, however long it is held down',
    async (name) => {
      const { user, fake } = renderShell()
      const calls = (wanted: string) => fake.calls.filter(({ method }) => method === wanted)
      await user.click(screen.getByRole('button', { name: new RegExp(`^${name}`) }))
      await titleOfScreen()
      press(false)
      press(true)
      // Each copy starts with the search for the last shipment.
      expect(calls('findLabelToReprint')).toHaveLength(1)
      await vi.waitFor(() =>
        expect(calls('reprint')).toMatchObject([{ input: { shipmentId: shipments[0]?.id } }]),
      )
      expect(await screen.findByText('The label of ORDER-1 is printed again.')).toBeTruthy()
    },
  )

  it('on Ship prints the label whose button names it, and on another screen that of a newer batch', async () => {
    const { user, fake } = renderShell()
    const reprinted = () => fake.calls.flatMap(({ method, input }) => (method === 'reprint' ? [input] : []))
    await titleOfScreen()
    press(false)
    await screen.findByRole('button', { name: /^Reprint/ })
    await vi.waitFor(() => expect(reprinted()).toHaveLength(1))
    const batch = sampleShipment({ id: crypto.randomUUID(), reference: 'BATCH-30', jobs: [] })
    fake.state.shipments = [batch, ...fake.state.shipments]
    await screen.findByText('The label of ORDER-1 is printed again.')
    press(false)
    await vi.waitFor(() => expect(reprinted()).toHaveLength(2))
    await user.click(screen.getByRole('button', { name: /^Queue/ }))
    await vi.waitFor(async () => expect((await titleOfScreen()).textContent).toBe('Print queue'))
    press(false)
    await vi.waitFor(() =>
      expect(reprinted()).toMatchObject(
        [shipments[0], shipments[0], batch].map((each) => ({ shipmentId: each?.id })),
      ),
    )
  })

  it('on Ship prints nothing while the shipment that is shown was cancelled at the carrier', async () => {
    window.localStorage.setItem('packbench.sound', 'off')
    const { fake } = renderShell()
    const reprints = () => fake.calls.filter(({ method }) => method === 'reprint')
    await titleOfScreen()
    press(false)
    await screen.findByText('The label of ORDER-1 is printed again.')
    const cancellation = { at: '2026-11-21T10:00:00.000Z', by: null, note: 'By phone' }
    fake.state.shipments = fake.state.shipments.map((each) =>
      each.reference === 'ORDER-1' ? { ...each, cancellation } : each,
    )
    const [cancelled] = fake.state.shipments
    if (cancelled === undefined) throw new Error('The sample has no shipment.')
    act(() => fake.emit('shipmentChanged', cancelled))
    await screen.findByText(/^Cancelled at the carrier/)
    press(false)
    expect(
      await screen.findByText(
        'There is no label of Ship or of a batch to print again. Reprint others in History.',
      ),
    ).toBeTruthy()
    expect(reprints()).toHaveLength(1)
  })

  it('on another screen shows why the label is not printed', async () => {
    window.localStorage.setItem('packbench.sound', 'off')
    const { user, fake } = renderShell()
    fake.bridge.reprint = async () => err(appError('label-already-waiting', { printer: 'zebra' }))
    await user.click(screen.getByRole('button', { name: /^Manifests/ }))
    await titleOfScreen()
    press(false)
    expect(await screen.findByText(/already waits for/)).toBeTruthy()
    expect((await titleOfScreen()).textContent).toBe('Ship a parcel')
  })

  it('says so when there is no label of Ship or of a batch', async () => {
    window.localStorage.setItem('packbench.sound', 'off')
    renderShell({ shipments: [] })
    await titleOfScreen()
    press(false)
    expect(
      await screen.findByText(
        'There is no label of Ship or of a batch to print again. Reprint others in History.',
      ),
    ).toBeTruthy()
  })

  it('does not say that nothing was shipped when the history can’t be read', async () => {
    window.localStorage.setItem('packbench.sound', 'off')
    const { fake } = renderShell()
    fake.bridge.findLabelToReprint = async () => err(appError('internal', { id: 'f8' }))
    await titleOfScreen()
    press(false)
    expect(await screen.findByText('This can’t be done now.')).toBeTruthy()
  })
})

it('each screen and tab is shown from its top', async () => {
  const { user } = renderShell()
  const main = screen.getByRole('main')
  const scroll = () => {
    main.scrollTop = 400
  }
  scroll()
  await user.click(screen.getByRole('button', { name: 'Track' }))
  expect(main.scrollTop).toBe(0)
  scroll()
  const tab = screen.getByRole('tab', { name: /^Board/ })
  await user.click(tab)
  expect(main.scrollTop).toBe(0)
  expect(document.activeElement).toBe(tab)
})

it('Ship loads the order that set-up requested before Ship was shown for the first time', async () => {
  function FromSetup() {
    const { hasLeftSetup, leaveSetup, shipOrder } = useNavigation((state) => state)
    const begin = () => {
      leaveSetup()
      shipOrder('SAMPLE-1')
    }
    if (!hasLeftSetup) return <button type="button" onClick={begin} title="Begin" />
    return <Shell status={fake.state.status} settings={fake.state.settings} />
  }
  const fake = createFakeBridge({ shipments })
  const { user } = renderApp(<FromSetup />, fake)
  await user.click(screen.getByRole('button', { name: 'Begin' }))
  const reference = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Reference' })
  await vi.waitFor(() => expect(reference.value).toBe('SAMPLE-1'))
  expect(fake.calls).toContainEqual({ method: 'findOrderToShip', input: { reference: 'SAMPLE-1' } })
})

describe('a dismissed notice', () => {
  const hasNotice = (text: RegExp) => screen.queryByText(text) !== null

  it('of a failed backup does not hide a failure of another backup or for another reason', async () => {
    const path = '/data/backups'
    const notices = [
      appError('backup-failed', { case: 'before-update', path, reason: 'first reason' }),
      appError('backup-failed', { case: 'database', path, reason: 'second reason' }),
      appError('backup-failed', { case: 'database', path, reason: 'third reason' }),
    ].map(({ message, details = {} }) => ({ code: 'backup-failed' as const, message, details }))
    const { emit } = renderStatus(sampleStatus({ notices: notices.slice(0, 1) }))
    for (const [index, text] of [/first reason/, /second reason/, /third reason/].entries()) {
      emit('appStatusChanged', sampleStatus({ notices: notices.slice(0, index + 1) }))
      expect(await screen.findByText(text)).toBeTruthy()
      fireEvent.click(screen.getByRole('button', { name: 'Dismiss this message' }))
      expect([/first reason/, /second reason/, /third reason/].some(hasNotice)).toBe(false)
    }
  })

  it('about the clock stays dismissed while the clock goes on', async () => {
    const failure = appError('backup-failed', {
      case: 'database',
      path: '/data/backups',
      reason: 'second reason',
    })
    const noticesAt = (now: string): Notice[] => [
      { code: 'clock-not-plausible', message: now, details: { now, lastKnown: '2026-11-22T08:00:00Z' } },
    ]
    const { emit } = renderStatus(sampleStatus({ notices: noticesAt('2030-01-01T08:00:00Z') }))
    fireEvent.click(await screen.findByRole('button', { name: 'Dismiss this message' }))
    const later: Notice[] = [
      ...noticesAt('2030-01-01T08:10:00Z'),
      { code: 'backup-failed', message: failure.message, details: failure.details ?? {} },
    ]
    emit('appStatusChanged', sampleStatus({ notices: later }))
    expect(await screen.findByText(/second reason/)).toBeTruthy()
    expect(hasNotice(/clock/)).toBe(false)
  })
})
