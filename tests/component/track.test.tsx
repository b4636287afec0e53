import { act, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { BulkPanel } from '../../src/renderer/features/track/BulkPanel'
import { useBulk } from '../../src/renderer/features/track/bulkStore'
import { LookUpPanel } from '../../src/renderer/features/track/LookUpPanel'
import { useNavigation } from '../../src/renderer/ui/navigation'
import { appError } from '../../src/shared/errors'
import { ok } from '../../src/shared/result'
import type { BulkRow, LookUp, TrackedCode } from '../../src/shared/tracking'
import { createFakeBridge, type FakeBridge } from '../support/fakeBridge'
import { sampleLookUp, sampleProgress } from '../support/fakeTracking'
import { renderApp } from './renderApp'

const event = {
  itemNumber: 0,
  code: '99',
  description: 'Label',
  location: '',
  dateTime: '2026-11-21 09:00:00',
}
const tracked: TrackedCode = { code: 'A', found: true, lastStatus: event, events: [event] }
const stored = { tracked, askedAt: '2026-11-21T09:00:00.000Z', language: 'en' } as const

/** The panel over a fake main; the test answers its calls, oldest first. */
function renderTrack(fake: FakeBridge = createFakeBridge()) {
  const answers: ((answer: Partial<LookUp>) => void)[] = []
  const ids: string[] = []
  const asked: string[] = []
  fake.bridge.trackCode = ({ lookUpId, code, options }) => {
    ids.push(lookUpId)
    asked.push(`${code} ${options.language}`)
    return new Promise((resolve) => {
      answers.push((answer) => resolve(ok(sampleLookUp({ code, ...answer }))))
    })
  }
  const rendered = renderApp(<LookUpPanel />, fake)
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Tracking code' })
  return {
    ...rendered,
    fake,
    field,
    asked,
    lookUp: (code: string) => rendered.user.type(field, `{Control>}a{/Control}${code}{Enter}`),
    answer: (index: number, answer: Partial<LookUp>) => act(async () => answers[index]?.(answer)),
    known: (index: number, lookUp: Partial<LookUp>) =>
      rendered.emit('lookUpProgressed', {
        lookUpId: ids[index] ?? '',
        lookUp: sampleLookUp({ tracked: null, ...lookUp }),
      }),
  }
}

const status = () => screen.queryByTestId('track-status')?.dataset.code ?? null
const storedNote = () => screen.queryByTestId('track-stored')?.textContent ?? null

describe('looking up one code', () => {
  it('makes one call over the bridge', async () => {
    const { lookUp, answer, fake } = renderTrack()
    await lookUp('A')
    await answer(0, { tracked })
    await expect.poll(status).toBe('99')
    expect(
      fake.calls.map(({ method }) => method).filter((method) => !/^get(AppStatus|Settings)$/.test(method)),
    ).toEqual(['trackCode'])
  })

  it('shows the stored result until the service has answered', async () => {
    const { lookUp, known, answer } = renderTrack()
    await lookUp('A')
    known(0, { stored })
    await expect.poll(storedNote).toContain('Asking the service')
    expect(status()).toBe('99')
    const newer = { ...event, code: '100' }
    await answer(0, { stored, tracked: { ...tracked, lastStatus: newer, events: [newer] } })
    await expect.poll(status).toBe('100')
    expect(storedNote()).toBeNull()
  })

  it('keeps the service’s answer when the stored result arrives after it', async () => {
    const { lookUp, known, answer } = renderTrack()
    await lookUp('A')
    await answer(0, { tracked })
    await expect.poll(status).toBe('99')
    await act(async () => known(0, {}))
    expect(status()).toBe('99')
  })

  it('keeps the stored result and shows the error when the service can’t be reached', async () => {
    const { lookUp, answer } = renderTrack()
    await lookUp('A')
    const error = appError('service-unreachable')
    await answer(0, { stored, tracked: null, error })
    await expect.poll(status).toBe('99')
    expect(storedNote()).toContain('could not be asked')
    expect(screen.getByRole('alert')).toBeDefined()
  })

  it('shows our shipment and its other parcels while the service is asked, and when it can’t be reached', async () => {
    const { lookUp, known, answer } = renderTrack()
    const ours: LookUp['ours'] = { id: crypto.randomUUID(), reference: 'ORDER-7', trackingLinkHost: null }
    const shown = () => [
      screen.queryByText('Shipped from this station: reference ORDER-7.') !== null,
      screen.queryByRole('button', { name: 'Look up B' }) !== null,
    ]
    await lookUp('A')
    expect(shown()).toEqual([false, false])
    known(0, { code: 'A', ours, otherParcels: ['B'] })
    await expect.poll(shown).toEqual([true, true])
    const error = appError('service-unreachable')
    await answer(0, { ours, otherParcels: ['B'], tracked: null, error })
    expect(screen.getByRole('alert')).toBeDefined()
    expect(shown()).toEqual([true, true])
  })

  it('keeps the stored result when the service no longer knows the code', async () => {
    const { lookUp, answer } = renderTrack()
    await lookUp('A')
    await answer(0, { stored })
    await expect.poll(status).toBe('99')
    expect(storedNote()).toMatch(/in English/)
    expect(screen.queryByText(/does not know/)).toBeDefined()
  })

  it('keeps the stored result when the service knows the code and says nothing of it', async () => {
    const { lookUp, answer } = renderTrack()
    const silent: TrackedCode = { code: 'A', found: true, lastStatus: null, events: [] }
    await lookUp('A')
    await answer(0, { stored, tracked: silent })
    await expect.poll(status).toBe('99')
    expect(storedNote()).toContain('names no status and no events now')
    await lookUp('B')
    await answer(1, { stored: { ...stored, tracked: silent }, tracked: silent })
    expect(await screen.findByText(/has no status yet/)).toBeDefined()
    expect(storedNote()).toBeNull()
  })

  it('shows our own shipment and its other parcels', async () => {
    const { lookUp, answer, asked } = renderTrack()
    await lookUp('order-7')
    const ours = { id: 'ours', reference: 'ORDER-7', trackingLinkHost: null }
    await answer(0, { code: '3SABCD1', tracked, ours, otherParcels: ['3SABCD2'] })
    expect(await screen.findByText('3SABCD1')).toBeDefined()
    expect(screen.getByText(/reference ORDER-7/)).toBeDefined()
    act(() => screen.getByRole('button', { name: /3SABCD2/ }).click())
    await expect.poll(() => asked).toEqual(['order-7 en', '3SABCD2 en'])
  })

  it('says that our shipment was cancelled, and does not offer to print its label', async () => {
    const { lookUp, answer } = renderTrack()
    await lookUp('A')
    const ours = { id: 'ours', reference: 'ORDER-7', trackingLinkHost: null, isCancelled: true }
    await answer(0, { tracked, ours })
    expect(await screen.findByText('Cancelled')).toBeDefined()
    expect(screen.queryByRole('button', { name: /^Reprint/ })).toBeNull()
  })

  it('looks up a parcel of the result as a barcode, although a waybill was asked for', async () => {
    const { user, lookUp, answer, fake } = renderTrack()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Kind of code' }), 'waybill')
    await lookUp('order-7')
    const ours = { id: 'ours', reference: 'ORDER-7', trackingLinkHost: null }
    await answer(0, { code: '3SABCD1', tracked, ours, otherParcels: ['3SABCD2'] })
    await user.click(await screen.findByRole('button', { name: /3SABCD2/ }))
    const lookUps = fake.calls.filter(({ method }) => method === 'trackCode')
    expect(lookUps.map(({ input }) => input)).toMatchObject([
      { code: 'order-7', options: { type: 'waybill' } },
      { code: '3SABCD2', options: { type: 'barcode' } },
    ])
    // Also that of the codes of a loaded list.
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Kind of code' }).value).toBe('waybill')
  })

  it('names the station of the fleet that shipped it, and shows it in the history of all stations', async () => {
    const { user, client, lookUp, answer } = renderTrack()
    await lookUp('order-7')
    const ours = { id: 'ours', reference: 'ORDER-7', trackingLinkHost: null, station: 'Bench 1' }
    await answer(0, { code: '3SABCD1', tracked, ours })
    expect(await screen.findByText('Shipped from Bench 1: reference ORDER-7.')).toBeDefined()
    await user.click(screen.getByRole('button', { name: /^Show ORDER-7/ }))
    const { history } = useNavigation.getStore(client).getState()
    expect(history).toMatchObject({ selectedId: 'ours', stations: 'all' })
  })

  it('is repeated for another language, but not for another kind of code', async () => {
    const { user, lookUp, answer, asked } = renderTrack()
    await lookUp('A')
    await answer(0, { tracked })
    await user.selectOptions(screen.getByRole('combobox', { name: 'Kind of code' }), 'box')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Language of the events' }), 'nl')
    await expect.poll(() => asked).toEqual(['A en', 'A nl'])
  })

  it('keeps the chosen language until the station’s language changes', async () => {
    const { user, lookUp, answer, asked, emit, fake } = renderTrack()
    const language = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Language of the events' })
    const { settings } = fake.state
    emit('settingsChanged', settings)
    await user.selectOptions(language, 'nl')
    await lookUp('A')
    await answer(0, { tracked })
    emit('settingsChanged', { ...settings, carriers: [] })
    expect(language.value).toBe('nl')
    expect(asked).toEqual(['A nl'])
    emit('settingsChanged', { ...settings, language: 'nl' })
    emit('settingsChanged', { ...settings, language: 'en' })
    expect(language.value).toBe('en')
    await expect.poll(() => asked).toEqual(['A nl', 'A en'])
  })

  it('keeps the text in the field when the language changes', async () => {
    const { user, lookUp, answer, asked, field } = renderTrack()
    await lookUp('A')
    await answer(0, { tracked })
    await user.clear(field)
    await user.type(field, 'B')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Language of the events' }), 'nl')
    await answer(1, { tracked })
    expect(asked).toEqual(['A en', 'A nl'])
    expect(field.value).toBe('B')
    await expect.poll(status).toBe('99')
  })

  it('is repeated for another language while it is in flight, and only the new answer is shown', async () => {
    const { user, lookUp, answer, asked } = renderTrack()
    const language = screen.getByRole('combobox', { name: 'Language of the events' })
    await user.selectOptions(language, 'nl')
    expect(asked).toEqual([])
    await lookUp('A')
    await user.selectOptions(language, 'en')
    expect(asked).toEqual(['A nl', 'A en'])
    await answer(1, { tracked })
    await answer(0, { tracked: { ...tracked, lastStatus: null, events: [] } })
    await expect.poll(status).toBe('99')
  })

  it('ignores a slow answer after a later look-up', async () => {
    const { lookUp, answer } = renderTrack()
    await lookUp('A')
    await lookUp('B')
    await answer(1, { tracked: { ...tracked, code: 'B' } })
    await answer(0, { tracked })
    expect(await screen.findByText('B')).toBeDefined()
    expect(screen.queryByText('A')).toBeNull()
  })

  it.each(['3SABC\tZwolle', '3SABC\n3SABC\n', '3SABC\r\n'])(
    'takes the only code of the pasted %j',
    async (text) => {
      const { user, field } = renderTrack()
      await user.click(field)
      await user.paste(text)
      expect(field.value).toBe('3SABC')
    },
  )

  it('requests nothing without a code', async () => {
    const { user, field, asked } = renderTrack()
    await user.type(field, '{Enter}')
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(asked).toEqual([])
  })
})

it('a bulk look-up draws its rows as they arrive', async () => {
  const { user, emit } = renderApp(
    <main>
      <BulkPanel />
    </main>,
  )
  await user.type(screen.getByLabelText('Tracking codes, one a line'), 'A{Enter}B{Enter}C')
  await user.click(screen.getByRole('button', { name: 'Look up all' }))
  const drawn = async () => Number((await screen.findByRole('table')).getAttribute('aria-rowcount')) - 1
  const row: BulkRow = { code: '', found: true, lastStatus: null, eventCount: 0, shipment: null }
  const answer = (code: string) =>
    emit('bulkTrackingProgressed', sampleProgress({ total: 3, rows: JSON.stringify([{ ...row, code }]) }))
  await expect.poll(drawn).toBe(0)
  answer('A')
  await expect.poll(drawn).toBe(1)
  answer('B')
  await expect.poll(drawn).toBe(2)
})

it('a file without a known heading is shown with the column that its codes are from', async () => {
  const fake = createFakeBridge()
  const file = { duplicates: 0, empty: 0, tooLong: 0, tooMany: 0, inexact: 0, cellErrors: 0 }
  fake.bridge.chooseCodesFile = async () => ok({ ...file, name: 'codes.csv', codes: ['A'], column: null })
  const { user } = renderApp(<BulkPanel />, fake)
  await user.click(screen.getByRole('button', { name: 'Choose a file…' }))
  expect((await screen.findByTestId('bulk-loaded')).textContent).toContain('from the first column')
})

it('typed codes come back when a list that replaced them is removed', async () => {
  const { user, client } = renderApp(<BulkPanel />)
  await user.type(screen.getByLabelText('Tracking codes, one a line'), 'A1{Enter}A2')
  act(() => useBulk.getStore(client).getState().load('B1\nB2'))
  await user.click(await screen.findByRole('button', { name: 'Remove this list' }))
  const field = await screen.findByLabelText<HTMLTextAreaElement>('Tracking codes, one a line')
  expect(field.value).toBe('A1\nA2')
})

it('a long paste keeps the codes that were typed before it, except those that it replaces', async () => {
  const { user } = renderApp(
    <main>
      <BulkPanel />
    </main>,
  )
  const field = screen.getByLabelText<HTMLTextAreaElement>('Tracking codes, one a line')
  await user.type(field, 'TYPED{Enter}REPLACED')
  field.setSelectionRange('TYPED\n'.length, field.value.length)
  await user.paste(Array.from({ length: 300 }, (_, index) => `CODE-${index}`).join('\n'))
  expect((await screen.findByTestId('bulk-loaded')).textContent).toContain('301 codes')
})
