import { screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { App } from '../../src/renderer/app/App'
import { renderApp } from './renderApp'

const broken = vi.hoisted(() => ({ screen: false, everything: false }))

vi.mock('../../src/renderer/features/track/Screen', () => ({
  TrackScreen() {
    if (broken.screen) throw new Error('no such column')
    return <h1>Parcels</h1>
  },
}))
vi.mock('../../src/renderer/app/StatusBar', () => ({
  StatusBar() {
    if (broken.everything) throw new Error('no such state')
    return null
  },
}))

it('the window keeps navigation and input when a screen throws, logs the error, and shows the screen again on request', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  broken.screen = true
  const { user, fake } = renderApp(<App nonce="" />)
  await user.type(await screen.findByRole('textbox', { name: /^Reference/ }), 'ORDER-7')
  await user.click(screen.getByRole('button', { name: 'Track' }))
  expect((await screen.findByRole('alert')).textContent).toContain('The other screens still work')
  expect(fake.calls.find(({ method }) => method === 'noteScreenError')?.input).toEqual({
    error: expect.stringContaining('no such column'),
  })

  await user.click(screen.getByRole('button', { name: 'Ship' }))
  expect((await screen.findByRole('textbox', { name: /^Reference/ })).getAttribute('value')).toBe('ORDER-7')

  await user.click(screen.getByRole('button', { name: 'Track' }))
  broken.screen = false
  await user.click(await screen.findByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('heading', { name: 'Parcels' })).toBeTruthy()
})

it('the window also shows the error when a component outside the screens throws', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  broken.everything = true
  const { user } = renderApp(<App nonce="" />)
  const again = await screen.findByRole('button', { name: 'Try again' })
  broken.everything = false
  await user.click(again)
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Ship' })).not.toBeNull())
})
