import { act, screen, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { Shell } from '../../src/renderer/app/Shell'
import { PeopleDialogs } from '../../src/renderer/features/people/PeopleDialogs'
import { PeopleTab } from '../../src/renderer/features/settings/PeopleTab'
import { SettingsForms } from '../../src/renderer/features/settings/tabForm'
import { useShip } from '../../src/renderer/features/ship/stores'
import { useNavigation } from '../../src/renderer/ui/navigation'
import { type AppError, appError } from '../../src/shared/errors'
import { defaultPeopleSettings, type PeopleSettings } from '../../src/shared/people'
import { err, ok, type Result } from '../../src/shared/result'
import type { ShipmentDetails } from '../../src/shared/shipments'
import { deferred } from '../support/deferred'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleSettings, sampleShipment } from '../support/screenSamples'
import { Leavable, leaveAndReturn } from './leavable'
import { renderApp } from './renderApp'

const operators = [{ name: 'Ann de Boer', badge: 'B-001' }, { name: 'Bob' }]

function renderStation(change: Partial<PeopleSettings> = {}) {
  const settings = sampleSettings({ people: { ...defaultPeopleSettings, operators, ...change } })
  const fake = createFakeBridge({ settings })
  const shell = <Shell status={fake.state.status} settings={settings} />
  const rendered = renderApp(
    <>
      {shell}
      <PeopleDialogs />
      <SettingsForms>
        <PeopleTab />
      </SettingsForms>
    </>,
    fake,
  )
  const calls = (method: string) =>
    fake.calls.filter((call) => call.method === method).map(({ input }) => input)
  /** What the calls in the window's memory were made with. */
  const rememberedInputs = () =>
    rendered.client
      .getMutationCache()
      .getAll()
      .map(({ state }) => state.variables)
  return { ...rendered, calls, rememberedInputs }
}

const dialog = (name: string) => screen.findByRole('dialog', { name })
const badgeField = async () => within(await dialog('Who is packing?')).getByLabelText('Badge or name')

describe('signing in', () => {
  it('accepts a scanned badge, and shows the operator in the status bar', async () => {
    const { user, calls, emit } = renderStation()
    await user.click(await screen.findByRole('button', { name: 'Nobody signed in' }))
    await user.type(await badgeField(), 'B-001{Enter}')
    expect(calls('signIn')).toEqual([{ badge: 'B-001' }])
    emit('peopleChanged', { operator: 'Ann de Boer', hasPin: false, isGranted: false, retryAt: null })
    expect(await screen.findByRole('button', { name: 'Ann de Boer' })).toBeTruthy()
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('accepts a part of a name or a click on it', async () => {
    const { user, calls } = renderStation()
    await user.keyboard('{F6}')
    await user.type(await badgeField(), 'bo bo{Backspace}{Backspace}{Backspace}')
    await user.clear(await badgeField())
    await user.type(await badgeField(), 'ann{Enter}')
    expect(calls('signIn')).toEqual([{ name: 'Ann de Boer' }])
    await user.keyboard('{F6}')
    await user.click(within(await dialog('Who is packing?')).getByRole('button', { name: 'Bob' }))
    expect(calls('signIn')).toEqual([{ name: 'Ann de Boer' }, { name: 'Bob' }])
  })

  it('reports an unknown badge and stays ready for the next one', async () => {
    const { user, fake } = renderStation()
    fake.bridge.signIn = () => Promise.resolve(err(appError('operator-unknown')))
    await user.keyboard('{F6}')
    await user.type(await badgeField(), 'X-999{Enter}')
    expect((await screen.findByRole('alert')).textContent).toContain('Nobody here has this badge')
    expect(await badgeField()).toHaveProperty('value', '')
  })

  it('keeps the cursor when the parcel before is created meanwhile, and leaves it in the next reference', async () => {
    window.localStorage.setItem('packbench.sound', 'off')
    const { user, fake, client } = renderStation()
    const created = deferred<Result<ShipmentDetails, AppError>>()
    fake.bridge.createShipment = () => created.promise
    const reference = await screen.findByLabelText('Reference', { exact: true })
    const ship = useShip.getStore(client)
    const consignee = { lastName: 'Jansen', street: 'Kerkstraat', city: 'Utrecht' }
    act(() => ship.getState().edit({ reference: 'ORDER-1', ...consignee, weight: '2' }))
    await user.click(screen.getByLabelText('Weight (kg)', { exact: true }))
    await user.keyboard('{F9}{F6}')
    const badge = await badgeField()
    await user.type(badge, 'An')
    await act(async () => created.resolve(ok(sampleShipment())))
    await vi.waitFor(() => expect(reference).toHaveProperty('value', ''))
    expect(document.activeElement).toBe(badge)
    await user.keyboard('n')
    expect(badge).toHaveProperty('value', 'Ann')
    await user.keyboard('{Escape}')
    await vi.waitFor(() => expect(document.activeElement).toBe(reference))
    expect(reference).toHaveProperty('value', '')
  })

  it('is requested automatically only where it is required', async () => {
    const free = renderStation()
    await screen.findByRole('button', { name: 'Nobody signed in' })
    expect(screen.queryByRole('dialog')).toBeNull()
    free.unmount()
    renderStation({ isRequired: true })
    expect(await dialog('Who is packing?')).toBeTruthy()
  })

  it('is not offered on a station without operators', async () => {
    const { user } = renderStation({ operators: [] })
    await user.keyboard('{F6}')
    expect(screen.queryByRole('button', { name: 'Nobody signed in' })).toBeNull()
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

it('a badge signs in once, also when the window’s dialogs are shown anew', async () => {
  const fake = createFakeBridge({ settings: sampleSettings() })
  function Badge() {
    const scanBadge = useNavigation((state) => state.scanBadge)
    return (
      <button type="button" onClick={() => scanBadge('B-001')}>
        B-001
      </button>
    )
  }
  const { user } = renderApp(
    <>
      <Badge />
      <Leavable>
        <PeopleDialogs />
      </Leavable>
    </>,
    fake,
  )
  const signIns = () => fake.calls.filter(({ method }) => method === 'signIn')
  await user.click(screen.getByText('B-001'))
  await vi.waitFor(() => expect(signIns()).toHaveLength(1))
  await leaveAndReturn(user)
  expect(signIns()).toHaveLength(1)
  await user.click(screen.getByText('B-001'))
  await vi.waitFor(() => expect(signIns()).toHaveLength(2))
})

describe('a call that needs the PIN', () => {
  const change = () => screen.getByLabelText<HTMLInputElement>('A typed PIN holds for (minutes)')

  async function saveRefusedOnce() {
    const station = renderStation()
    const { user, fake } = station
    const allowed = fake.bridge.changeSettings
    let isGranted = false
    fake.bridge.changeSettings = (input) =>
      isGranted ? allowed(input) : Promise.resolve(err(appError('pin-required')))
    const enterPin = fake.bridge.enterPin
    fake.bridge.enterPin = async (input) => {
      isGranted = input.pin === '4711'
      return isGranted ? enterPin(input) : err(appError('pin-wrong'))
    }
    await screen.findByDisplayValue('Ann de Boer')
    await user.clear(change())
    await user.type(change(), '20')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    return { ...station, prompt: within(await dialog('Administrator’s PIN')) }
  }

  it('asks for the PIN, reports a wrong one, is repeated once after the right one, and the window forgets both', async () => {
    const { user, calls, prompt, rememberedInputs } = await saveRefusedOnce()
    await user.type(prompt.getByLabelText('PIN'), '0000{Enter}')
    expect((await prompt.findByRole('alert')).textContent).toContain('This PIN is wrong')
    expect(calls('changeSettings')).toHaveLength(1)
    await user.type(prompt.getByLabelText('PIN'), '4711{Enter}')
    await vi.waitFor(() => expect(calls('changeSettings')).toHaveLength(2))
    expect(await screen.findByText('Saved')).toBeTruthy()
    await vi.waitFor(() => expect(rememberedInputs()).not.toContainEqual({ pin: expect.anything() }))
  })

  it('is not repeated when nobody enters the PIN, and the input is kept', async () => {
    const { user, calls, prompt } = await saveRefusedOnce()
    await user.click(prompt.getByRole('button', { name: 'Cancel' }))
    expect((await screen.findByRole('alert')).textContent).toContain('The administrator’s PIN is needed')
    expect(calls('changeSettings')).toHaveLength(1)
    expect(change().value).toBe('20')
  })
})

describe('the people tab', () => {
  it('saves operators, guarded actions and the duration of a grant', async () => {
    const { user, calls } = renderStation()
    await screen.findByDisplayValue('Ann de Boer')
    await user.click(screen.getByRole('button', { name: 'Add an operator' }))
    await user.type(screen.getByLabelText('Name, operator 3'), 'Cem')
    await user.type(screen.getByLabelText('Badge code, operator 3'), 'B-003')
    await user.click(screen.getByRole('button', { name: 'Remove Bob' }))
    await user.click(screen.getByLabelText('Locking manifests'))
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(calls('changeSettings')).toEqual([
      {
        people: {
          ...defaultPeopleSettings,
          operators: [operators[0], { name: 'Cem', badge: 'B-003' }],
          guards: ['settings', 'account', 'resolve'],
        },
      },
    ])
  })

  it('sets a PIN that was typed twice alike, which the window then forgets, and reports the mistake in any other', async () => {
    const { user, calls, rememberedInputs } = renderStation()
    const set = await screen.findByRole('button', { name: 'Set the PIN' })
    await user.type(screen.getByLabelText('New PIN (4 to 12 digits)'), '47')
    await user.click(set)
    expect(screen.getByText('A PIN has 4 to 12 digits.')).toBeTruthy()
    await user.type(screen.getByLabelText('New PIN (4 to 12 digits)'), '11')
    await user.click(set)
    expect(screen.getByText('This is not the same PIN.')).toBeTruthy()
    await user.type(screen.getByLabelText('The same PIN again'), '4711')
    await user.click(set)
    expect(calls('setPin')).toEqual([{ pin: '4711' }])
    expect(await screen.findByText('Done: it applies from now on.')).toBeTruthy()
    await vi.waitFor(() => expect(rememberedInputs()).toEqual([]))
  })
})
