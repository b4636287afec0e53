import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { AccountForm } from '../../src/renderer/features/settings/AccountForm'
import { AccountTab } from '../../src/renderer/features/settings/AccountTab'
import { appError } from '../../src/shared/errors'
import { err } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleStatus } from '../support/screenSamples'
import { renderApp } from './renderApp'

function renderForm() {
  const fake = createFakeBridge()
  let connected = 0
  const rendered = renderApp(
    <AccountForm
      account={{ ...sampleStatus().account, state: 'none', host: null }}
      onConnected={() => {
        connected += 1
      }}
    />,
    fake,
  )
  const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name, { selector: 'input' })
  return { ...rendered, field, connections: () => connected }
}

describe('connecting an account', () => {
  it('requires all three fields, and moves to the first empty one', async () => {
    const { user, fake, field } = renderForm()
    await user.type(field('Base URL'), 'https://carrier.example/api')
    await user.type(field('Password'), 'secret')
    await user.click(screen.getByRole('button', { name: 'Connect' }))
    expect(fake.calls).toEqual([])
    expect(document.activeElement).toBe(field('User name'))
  })

  it('keeps the input when the service refuses, and removes user name and password once it is connected', async () => {
    const { user, fake, field, connections } = renderForm()
    const accept = fake.bridge.connectAccount
    const refusal = appError('account-refused', {
      serviceSays: 'Unknown user',
    })
    fake.bridge.connectAccount = () => Promise.resolve(err(refusal))
    await user.type(field('Base URL'), 'https://carrier.example/api')
    await user.type(field('User name'), 'operator')
    await user.type(field('Password'), 'secret')
    await user.click(screen.getByRole('button', { name: 'Connect' }))
    expect(await screen.findByText(/Unknown user/)).toBeDefined()
    expect([field('User name').value, field('Password').value]).toEqual(['operator', 'secret'])
    expect(connections()).toBe(0)
    fake.bridge.connectAccount = accept
    await user.click(screen.getByRole('button', { name: 'Connect' }))
    await expect.poll(connections).toBe(1)
    expect([field('User name').value, field('Password').value]).toEqual(['', ''])
    expect(screen.queryByText(/Unknown user/)).toBeNull()
  })
})

describe('an account in memory while the keyring is locked', () => {
  it('is said to be stored once the keyring is unlocked, and offers to unlock it', async () => {
    const fake = createFakeBridge()
    const account = { ...sampleStatus().account, storage: 'memory', isKeyringLocked: true } as const
    renderApp(<AccountTab account={account} />, fake)
    expect(screen.getByText(/^The keyring is locked: new credentials stay in memory/)).toBeDefined()
    expect(screen.queryByText(/has no keyring/)).toBeNull()
    expect(screen.getByRole('button', { name: 'Unlock and try again' })).toBeDefined()
  })
})
