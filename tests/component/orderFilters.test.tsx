import { cleanup, screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { OrdersScreen } from '../../src/renderer/features/orders/Screen'
import { OrderValueField } from '../../src/renderer/ui/OrderValueField'
import { ok } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleSettings } from '../support/screenSamples'
import { renderApp } from './renderApp'

const carriers = [
  { name: 'PostNL', carrierId: 12, carrierOptionId: 1 },
  { name: 'DHL', carrierId: 13, carrierOptionId: 1 },
]

/** The screen in Dutch with its filters open, and its last query to main. */
async function renderFilters(choices = { countries: ['DE'], carrierOptionIds: ['1', '9'] }) {
  const fake = createFakeBridge({ settings: sampleSettings({ carriers }) })
  fake.bridge.listOrderFilters = async () =>
    ok({
      ...choices,
      ...{ origins: ['file', 'import-folder', 'other-station'], sources: ['orders.csv'] },
    })
  const { user } = renderApp(<OrdersScreen />, fake, 'nl')
  await user.click(screen.getByRole('button', { name: 'Filteren en sorteren' }))
  await screen.findByRole('option', { name: 'Importmap' })
  const asked = () => fake.calls.filter(({ method }) => method === 'listOrders').at(-1)?.input
  const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name)
  return { user, asked, field }
}

it('the origin filter restricts the list, with origins named in the operator’s language', async () => {
  const { user, asked, field } = await renderFilters()
  const origins = [...screen.getByLabelText<HTMLSelectElement>('Bron').options].map(({ text }) => text)
  expect(origins).toEqual(['Alle', 'Geïmporteerd bestand', 'Importmap', 'Ander station'])
  expect(screen.getByRole('option', { name: 'Duitsland (DE)' })).toBeTruthy()
  await user.selectOptions(field('Bron'), 'Importmap')
  await waitFor(() => expect(asked()).toMatchObject({ origin: 'import-folder', source: '' }))
  await user.click(screen.getByRole('button', { name: 'Geen filters' }))
  await waitFor(() => expect(asked()).toMatchObject({ origin: '' }))
})

it('orders whose file has an unknown country or carrier option can be filtered by that text', async () => {
  const carrierOptionId = 'PostNL Pakket naar NL en BE'
  const choices = { countries: ['DE', 'Duitschland'], carrierOptionIds: [carrierOptionId] }
  const { user, asked, field } = await renderFilters(choices)
  await user.selectOptions(field('Land'), 'Duitschland')
  await waitFor(() => expect(asked()).toMatchObject({ country: 'Duitschland' }))
  await user.selectOptions(field('Vervoerdersoptie'), carrierOptionId)
  await waitFor(() => expect(asked()).toMatchObject({ country: 'Duitschland', carrierOptionId }))
  await screen.findByText('Geen order gevonden')
  expect(screen.queryByRole('alert')).toBeNull()
})

it('two carriers with one option id are both named in the filter and in an order', async () => {
  await renderFilters()
  const texts = (name: string) =>
    [...screen.getByLabelText<HTMLSelectElement>(name).options].map(({ text }) => text)
  expect(texts('Vervoerdersoptie')).toEqual(['Alle', 'PostNL / DHL', '9'])
  cleanup()
  renderApp(
    <OrderValueField field="carrierOptionId" value="1" onChange={() => undefined} found={undefined} />,
    createFakeBridge({ settings: sampleSettings({ carriers }) }),
  )
  await screen.findByRole('option', { name: 'PostNL / DHL' })
  expect(texts('Carrier option')).toEqual(['By the rules', 'PostNL / DHL'])
})

it('the date filters accept dates as the language writes them or as year-month-day, and reject other text', async () => {
  const { user, asked, field } = await renderFilters()
  const from = field('Vanaf dag')
  const to = field('Tot en met dag')
  expect(from.placeholder).toBe('dd-mm-jjjj')
  await user.type(from, '1/11/2026')
  await waitFor(() => expect(asked()).toMatchObject({ from: '2026-11-01', to: '' }))
  expect(from.value).toBe('1/11/2026')
  await user.type(to, '2026-11-31')
  // An incomplete date is not an error while it is typed.
  expect(to.getAttribute('aria-invalid')).not.toBe('true')
  await user.click(from)
  expect(from.value).toBe('01-11-2026')
  expect(screen.getByText('zondag 1 november 2026')).toBeTruthy()
  expect(await screen.findByText(/Tot en met dag: typ een dag als dd-mm-jjjj/)).toBeTruthy()
  expect(to.value).toBe('2026-11-31')
  expect(asked()).toMatchObject({ from: '2026-11-01', to: '' })
  await user.clear(to)
  await user.type(to, '20261130')
  await waitFor(() => expect(asked()).toMatchObject({ to: '2026-11-30' }))
  await user.keyboard('{ArrowUp}')
  expect(to.value).toBe('01-12-2026')
  await waitFor(() => expect(asked()).toMatchObject({ to: '2026-12-01' }))
  await user.click(screen.getByRole('button', { name: 'Geen filters' }))
  expect([from.value, to.value]).toEqual(['', ''])
  await waitFor(() => expect(asked()).toMatchObject({ from: '', to: '' }))
})

it('a filter whose value is no choice any more shows the value, and «All» ends it', async () => {
  const fake = createFakeBridge({ settings: sampleSettings({ carriers }) })
  fake.bridge.listOrderFilters = async ({ state }) =>
    ok(
      state === 'to-ship'
        ? { countries: ['DE'], origins: ['import-folder'], sources: ['orders.csv'], carrierOptionIds: ['1'] }
        : { countries: [], origins: [], sources: [], carrierOptionIds: [] },
    )
  const { user } = renderApp(<OrdersScreen />, fake)
  const asked = () => fake.calls.filter(({ method }) => method === 'listOrders').at(-1)?.input
  const open = () => user.click(screen.getByRole('button', { name: /^Filter and sort|^\d filter/ }))
  const names = ['Carrier option', 'Country', 'Source', 'File']
  const shown = () =>
    names.map((name) => screen.getByLabelText<HTMLSelectElement>(name).selectedOptions[0]?.text)
  await open()
  const wanted = ['PostNL / DHL', 'Germany (DE)', 'Import folder', 'orders.csv']
  await screen.findByRole('option', { name: 'Germany (DE)' })
  for (const [at, name] of names.entries())
    await user.selectOptions(screen.getByLabelText(name), wanted[at] ?? '')
  expect(shown()).toEqual(wanted)
  await user.keyboard('{Escape}')
  await user.click(screen.getByRole('button', { name: /^Problems/ }))
  await open()
  await waitFor(() => expect(asked()).toMatchObject({ state: 'problem', country: 'DE' }))
  expect(shown()).toEqual(wanted)
  await user.selectOptions(screen.getByLabelText('Country'), 'All')
  await waitFor(() => expect(asked()).toMatchObject({ country: '', source: 'orders.csv' }))
  expect(screen.queryByRole('option', { name: 'Germany (DE)' })).toBeNull()
})
