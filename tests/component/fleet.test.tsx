import { screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import * as en from '../../src/locales/en'
import { StatusBar } from '../../src/renderer/app/StatusBar'
import { FleetTab } from '../../src/renderer/features/settings/FleetTab'
import { SettingsForms } from '../../src/renderer/features/settings/tabForm'
import { appError } from '../../src/shared/errors'
import { type FleetOverview, type FleetStatus, maxFleetRows } from '../../src/shared/fleet'
import { err, ok } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleStatus } from '../support/screenSamples'
import { renderApp } from './renderApp'

const joined: FleetStatus = { state: 'joined', error: null, shipsWhenAway: false, backlog: 3, conflicts: 1 }
const side = { shipmentId: 's1', station: 'Bench 1', barcodes: ['3S1'], takenAt: '2026-11-22T10:00:00.000Z' }
const overview: FleetOverview = {
  status: joined,
  hasPassword: true,
  stations: [
    {
      ...{
        id: '1',
        name: 'Bench 1',
        version: '0.1.0',
        isThisOne: true,
        isLost: false,
        createdToday: 12,
        silentSeconds: 2,
      },
      seenAt: '2026-11-22T10:00:00.000Z',
    },
    {
      ...{ id: '6f1c1d1e-0000-4000-8000-000000000003', name: 'Bench 9', version: '0.1.0', isThisOne: false },
      ...{ isLost: false, createdToday: 0, silentSeconds: 3600, seenAt: '2026-11-22T09:00:00.000Z' },
    },
  ],
  conflicts: [
    {
      ...{
        id: '6f1c1d1e-0000-4000-8000-000000000001',
        kind: 'both-shipped',
        reference: 'BOTH',
        notedAt: side.takenAt,
      },
      ...{ one: side, other: { ...side, station: 'Bench 2', barcodes: ['3S2'] } },
    },
  ],
  holds: [
    {
      ...{ reference: 'HELD-1', shipmentId: '6f1c1d1e-0000-4000-8000-000000000002', station: 'Bench 2' },
      ...{ operator: 'Ann', isUnknown: true, since: '2026-11-22T10:00:00.000Z' },
    },
  ],
}

function renderTab(change: Partial<FleetOverview> = {}, fake = createFakeBridge()) {
  fake.bridge.getFleet = async () => ok({ ...overview, ...change })
  const rendered = renderApp(
    <SettingsForms>
      <FleetTab />
    </SettingsForms>,
    fake,
  )
  return { ...rendered, fake }
}

it('the Fleet tab lets a station leave a fleet that its settings do not name, after a question', async () => {
  const missing = appError('fleet-settings-missing')
  const { user, fake } = renderTab({ status: { ...joined, state: 'refused', error: missing } })
  await user.click(await screen.findByRole('button', { name: en.fleet.leave.open }))
  const changes = () =>
    fake.calls.flatMap(({ method, input }) => (method === 'changeSettings' ? [input] : []))
  expect(changes()).toEqual([])
  await user.click(await screen.findByRole('button', { name: en.fleet.leave.confirm }))
  await waitFor(() => expect(changes()).toEqual([{ fleet: null }]))
})

it.each([appError('fleet-station-copied'), appError('fleet-station-lost')])(
  'the Fleet tab lets a station join as a new one after $code, after a question',
  async (error) => {
    const { user, fake } = renderTab({ status: { ...joined, state: 'refused', error } })
    await user.click(await screen.findByRole('button', { name: en.fleet.joinAsNew.open }))
    const isAsked = () => fake.calls.some(({ method }) => method === 'joinFleetAsNewStation')
    expect(isAsked()).toBe(false)
    await user.click(await screen.findByRole('button', { name: en.fleet.joinAsNew.confirm }))
    await waitFor(() => expect(isAsked()).toBe(true))
    expect(fake.calls.some(({ method }) => method === 'changeSettings')).toBe(false)
  },
)

it('the Fleet tab says why a station set to «ship» creates nothing before it has joined its database', async () => {
  const details = { host: 'db.example:5432', reason: 'ENOTFOUND' }
  const error = appError('fleet-unreachable', { ...details, case: 'unjoined' })
  renderTab({ status: { ...joined, state: 'away', error } })
  expect(await screen.findByText(/has not joined it since it started/)).toBeTruthy()
  expect(screen.getByText(en.fleet.awayHolds)).toBeTruthy()
})

it('the Fleet tab tests the connection with the typed values and password, and shows the error', async () => {
  const { user, fake } = renderTab()
  await user.click(await screen.findByLabelText(en.fleet.on))
  await user.type(screen.getByLabelText(en.fleet.fields.station), 'Bench 1')
  await user.type(screen.getByLabelText(en.fleet.fields.host), 'db.example')
  await user.type(screen.getByLabelText(en.fleet.newPassword), 'typed-7')
  const error = appError('fleet-access-refused', { host: 'db.example:5432', user: 'packbench' })
  fake.bridge.testFleet = async () => err(error)
  await user.click(screen.getByRole('button', { name: en.common.testConnection }))
  expect(await screen.findByText(/refused the user packbench/)).toBeTruthy()
  const { input } = fake.calls.find(({ method }) => method === 'testFleet') ?? {}
  expect(input).toMatchObject({
    settings: { host: 'db.example', port: 5432, tls: 'verify' },
    password: 'typed-7',
  })
})

it('the Fleet tab lists the stations and the conflicts, and closes a conflict on request', async () => {
  const { user, fake } = renderTab()
  expect(await screen.findByText('Bench 1 (this one)')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Close the conflict of BOTH' }))
  expect(fake.calls).toContainEqual({
    method: 'closeFleetConflict',
    input: { id: '6f1c1d1e-0000-4000-8000-000000000001' },
  })
})

it('the status bar shows the consequence of an unreachable database', async () => {
  const error = appError('fleet-unreachable', { host: 'db.example:5432', case: 'hold' })
  const fleet = { ...joined, state: 'away' as const, error }
  renderApp(<StatusBar status={sampleStatus({ fleet })} />)
  expect(await screen.findByText(/Fleet away: nothing is created · 3 to publish/)).toBeTruthy()
})

it('the Fleet tab shows which station holds which reference, and asks before a silent station is declared lost', async () => {
  const { user, fake } = renderTab()
  expect(await screen.findByText('Ann')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Unknown: see HELD-1' })).toBeTruthy()
  expect(screen.getAllByRole('button', { name: en.fleet.lost.declare })).toHaveLength(1)
  await user.click(screen.getByRole('button', { name: en.fleet.lost.declare }))
  expect(fake.calls.some(({ method }) => method === 'declareStationLost')).toBe(false)
  await user.click(await screen.findByRole('button', { name: en.fleet.lost.confirm }))
  expect(fake.calls).toContainEqual({
    method: 'declareStationLost',
    input: { stationId: '6f1c1d1e-0000-4000-8000-000000000003' },
  })
})

it('the Fleet tab says that the list of conflicts is longer than shown', async () => {
  const conflicts = Array.from({ length: maxFleetRows }, (_, index) =>
    overview.conflicts.map((conflict) => ({ ...conflict, id: String(index), reference: `BOTH-${index}` })),
  ).flat()
  renderTab({ conflicts })
  expect(await screen.findAllByText(/The oldest 200 are shown/)).toHaveLength(1)
  expect(screen.getByText('BOTH-199')).toBeTruthy()
})
