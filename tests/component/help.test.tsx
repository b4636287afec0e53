import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { App } from '../../src/renderer/app/App'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleStatus } from '../support/screenSamples'
import { type RenderedApp, renderApp } from './renderApp'
import { giveRoom } from './roomForRows'

async function openHelp({ user }: RenderedApp): Promise<HTMLElement> {
  await user.keyboard('{F1}')
  const dialog = await screen.findByRole('dialog')
  await within(dialog).findByRole('searchbox', {}, { timeout: 10_000 })
  return dialog
}

function startApp(state = {}) {
  giveRoom(880)
  return renderApp(<App nonce="" />, createFakeBridge(state))
}

const focused = () => document.activeElement?.textContent

describe('the help', () => {
  it('opens at the page of the current screen', async () => {
    const app = startApp()
    await screen.findByRole('heading', { level: 1, name: 'Ship a parcel' })
    const help = await openHelp(app)
    await expect.poll(focused).toBe('Ship a parcel')
    expect(within(help).getByRole('button', { name: 'Operator' }).getAttribute('aria-current')).toBe('page')

    await app.user.keyboard('{Escape}')
    await app.user.keyboard('{Control>}4{/Control}')
    await openHelp(app)
    await expect.poll(focused).toBe('When a label waits')
  })

  it('opens when the app has a start error', async () => {
    const startError = { code: 'disk-full', message: 'The disk is full.' } as const
    const app = startApp({ status: sampleStatus({ startError }) })
    await app.user.click(await screen.findByRole('button', { name: 'Help' }))
    const help = await screen.findByRole('dialog')
    await within(help).findByRole('searchbox')
    await expect.poll(focused).toBe('Packbench does not start')
  })

  it('finds sections by words in any order and without accents, and opens them', async () => {
    const app = startApp()
    await screen.findByRole('heading', { level: 1, name: 'Ship a parcel' })
    const help = await openHelp(app)
    await app.user.click(within(help).getByRole('searchbox'))
    await app.user.paste('keyring  GNOME')
    const found = await within(help).findByRole('button', { name: /^Account and keyring/ })
    await app.user.click(found)
    await expect.poll(focused).toBe('Account and keyring')
    await app.user.click(within(help).getByRole('searchbox'))
    await app.user.paste('zyzzyva')
    await within(help).findByText(/No section has all/)
  })

  it('follows links between its pages only', async () => {
    const app = startApp()
    await screen.findByRole('heading', { level: 1, name: 'Ship a parcel' })
    const help = await openHelp(app)
    await app.user.click(within(help).getAllByRole('button', { name: 'Outcome unknown' })[0] ?? help)
    await expect.poll(focused).toBe('Outcome unknown')
    const pageList = within(help).getByRole('navigation')
    for (const page of ['Administrator', 'Troubleshooting', 'Packages', 'A fleet of stations']) {
      await app.user.click(within(pageList).getByRole('button', { name: page }))
      expect(within(help).queryAllByRole('link')).toEqual([])
    }
  })
})
