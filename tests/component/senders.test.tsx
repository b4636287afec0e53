import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { Senders } from '../../src/renderer/features/settings/customs/Senders'
import type { SenderProfile } from '../../src/shared/customs'
import { appError } from '../../src/shared/errors'
import { err, ok } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'
import { Leavable, leaveOrReturn } from './leavable'
import { renderApp } from './renderApp'

const warehouse: SenderProfile = {
  id: '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c0001',
  name: 'Warehouse',
  party: {
    ...{ companyName: 'Packers BV', name: '', street: 'Dam', houseNumber: '1', postalCode: '1012 JS' },
    ...{ city: 'Amsterdam', country: 'NL', email: '', phoneNumber: '', type: 'Y' },
    ...{ vatNumber: '', eoriNumber: '' },
  },
}

/** The screen with the given stored senders. */
function renderSenders(...profiles: SenderProfile[]) {
  const fake = createFakeBridge()
  const { bridge } = fake
  const stored = new Map(profiles.map((profile) => [profile.id, profile]))
  bridge.listSenderProfiles = async () => ok([...stored.values()])
  bridge.saveSenderProfile = async (profile) => {
    stored.set(profile.id, profile)
    return ok(profile)
  }
  bridge.removeSenderProfile = async ({ id }) => {
    stored.delete(id)
    return ok(undefined)
  }
  const rendered = renderApp(
    <Leavable>
      <Senders />
    </Leavable>,
    fake,
  )
  const press = (name: string) => rendered.user.click(screen.getByRole('button', { name }))
  const names = () => screen.queryAllByLabelText<HTMLInputElement>(/^Name of this sender/)
  return { ...rendered, bridge, stored, press, names }
}

describe('a sender', () => {
  it('is added with the cursor in its name, and another one can be added once it is stored', async () => {
    const { user, press, names, stored } = renderSenders()
    await press('Add sender')
    expect(document.activeElement).toBe(names()[0])
    await user.keyboard('Warehouse')
    expect(screen.getByRole('button', { name: 'Add sender' })).toHaveProperty('disabled', true)
    await press('Save sender')
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Add sender' })).toHaveProperty('disabled', false),
    )
    expect([...stored.values()]).toMatchObject([{ name: 'Warehouse', party: { country: 'NL' } }])
    expect(names()).toHaveLength(1)
  })

  it('is not stored without a name, and the field shows the error', async () => {
    const { press, names, stored } = renderSenders()
    await press('Add sender')
    await press('Save sender')
    expect(stored.size).toBe(0)
    expect(names()[0]?.getAttribute('aria-invalid')).toBe('true')
  })

  it('keeps unsaved input while another tab or screen is shown', async () => {
    const { user, names, stored } = renderSenders(warehouse)
    await waitFor(() => expect(names()).toHaveLength(1))
    await user.type(screen.getByLabelText(/^Name of this sender/), ' 2')
    await leaveOrReturn(user)
    expect(names()).toHaveLength(0)
    await leaveOrReturn(user)
    expect(names()[0]?.value).toBe('Warehouse 2')
    expect(stored.get(warehouse.id)?.name).toBe('Warehouse')
  })

  it('keeps its input and shows the error when storing fails', async () => {
    const { bridge, user, press, names } = renderSenders(warehouse)
    bridge.saveSenderProfile = async () => err(appError('disk-full'))
    await waitFor(() => expect(names()).toHaveLength(1))
    await user.type(screen.getByLabelText(/^Name of this sender/), ' 2')
    await press('Save sender')
    expect(await screen.findByRole('alert')).toBeDefined()
    expect(names()[0]?.value).toBe('Warehouse 2')
  })

  it('is restored as it was stored after it was removed', async () => {
    const { user, press, names, stored } = renderSenders(warehouse)
    await waitFor(() => expect(names()).toHaveLength(1))
    await user.type(screen.getByLabelText(/^Name of this sender/), ' half typ')
    await press('Remove sender')
    await waitFor(() => expect(names()).toHaveLength(0))
    expect(stored.size).toBe(0)
    await press('Bring it back')
    await waitFor(() => expect(names()[0]?.value).toBe('Warehouse'))
    expect([...stored.values()]).toEqual([warehouse])
    expect(screen.queryByRole('status')).toBeNull()
  })

  it('is dropped without a call to main if it was never stored', async () => {
    const { fake, press, names } = renderSenders()
    await press('Add sender')
    await press('Remove sender')
    expect(names()).toHaveLength(0)
    expect(fake.calls.map(({ method }) => method)).toEqual(['listSenderProfiles'])
  })
})
