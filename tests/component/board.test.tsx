import { act, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { BoardPanel } from '../../src/renderer/features/track/BoardPanel'
import { appError } from '../../src/shared/errors'
import { err, ok } from '../../src/shared/result'
import type { WatchedParcel } from '../../src/shared/tracking'
import { createFakeBridge } from '../support/fakeBridge'
import { emptyBoard } from '../support/fakeTracking'
import { sampleSettings } from '../support/screenSamples'
import { renderApp } from './renderApp'

function parcel(number: number): WatchedParcel {
  return {
    code: `P${number}`,
    shipment: { id: `${number}`, reference: `R${number}`, trackingLinkHost: null },
    consignee: '',
    city: '',
    country: '',
    shippedAt: '2026-11-21T09:00:00.000Z',
    state: 'in-transit',
    alert: null,
    lastStatus: null,
    changedAt: null,
    askedAt: null,
  }
}

/** A bridge with the given number of watched parcels, newest first. */
function bridgeWith(count: number) {
  const parcels = Array.from({ length: count }, (_, index) => parcel(count - index))
  const fake = createFakeBridge()
  fake.bridge.getTrackingBoard = () => Promise.resolve(ok({ ...emptyBoard, watched: parcels.length }))
  fake.bridge.listWatchedParcels = ({ limit, offset }) =>
    Promise.resolve(ok({ parcels: parcels.slice(offset, offset + limit), total: parcels.length }))
  return { fake, parcels }
}

const codes = () => screen.queryAllByTestId('parcel').map((line) => line.dataset.code)

it('the alerts of the board are named with the station’s limits, as the language writes numbers', async () => {
  const settings = sampleSettings()
  const tracking = { ...settings.tracking, notFoundAfterHours: 1.5, silentAfterDays: 2.5 }
  const fake = createFakeBridge({ settings: { ...settings, language: 'nl', tracking } })
  const alerts = (['not-found', 'silent'] as const).map((alert) => ({ alert, count: 1 }))
  fake.bridge.getTrackingBoard = async () => ok({ ...emptyBoard, alerts })
  renderApp(<BoardPanel />, fake, 'nl')
  expect(await screen.findByText('Niet gevonden na 1,5 u')).toBeDefined()
  expect(screen.getByText('Geen nieuws in 2,5 dagen')).toBeDefined()
})

describe('the list of the board', () => {
  it('contains no parcel twice, however quickly more are requested', async () => {
    const { user } = renderApp(<BoardPanel />, bridgeWith(120).fake)
    await expect.poll(() => codes().length).toBe(50)
    await user.dblClick(screen.getByRole('button', { name: 'Show more' }))
    await expect.poll(() => codes().length).toBeGreaterThanOrEqual(100)
    expect(new Set(codes()).size).toBe(codes().length)
  })

  it('contains no parcel twice when a new one shifted the pages', async () => {
    const { fake, parcels } = bridgeWith(120)
    const { user } = renderApp(<BoardPanel />, fake)
    await expect.poll(() => codes().length).toBe(50)
    parcels.unshift(parcel(121))
    await user.click(screen.getByRole('button', { name: 'Show more' }))
    await expect.poll(() => codes().length).toBeGreaterThan(90)
    expect(new Set(codes()).size).toBe(codes().length)
  })

  it('is updated by a round of tracking requests', async () => {
    const { fake, parcels } = bridgeWith(1)
    const { emit } = renderApp(<BoardPanel />, fake)
    await expect.poll(codes).toEqual(['P1'])
    parcels.unshift(parcel(2))
    emit('watchedParcelsChanged', { ...emptyBoard.watch, lastRoundAt: '2026-11-21T09:00:00.000Z' })
    await expect.poll(codes).toEqual(['P2', 'P1'])
  })

  it('keeps the error of a failed request visible', async () => {
    const { fake } = bridgeWith(0)
    fake.bridge.askWatchedParcels = () => Promise.resolve(err(appError('internal')))
    const { user, emit } = renderApp(<BoardPanel />, fake)
    await user.click(await screen.findByRole('button', { name: 'Ask now' }))
    expect(await screen.findByRole('alert')).toBeDefined()
    emit('watchedParcelsChanged', emptyBoard.watch)
    await act(async () => undefined)
    expect(screen.getByRole('alert')).toBeDefined()
  })
})
