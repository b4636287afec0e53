import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { DetailsPane } from '../../src/renderer/features/history/DetailsPane'
import { ForgetConsignee } from '../../src/renderer/features/settings/ForgetConsignee'
import { ShipScreen } from '../../src/renderer/features/ship/Screen'
import type { BridgeClient } from '../../src/shared/bridge'
import type { Consignee, KnownConsignee } from '../../src/shared/consignees'
import { ok } from '../../src/shared/result'
import { deferred } from '../support/deferred'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleSettings, sampleShipment, sampleStatus } from '../support/screenSamples'
import { Leavable, leaveOrReturn } from './leavable'
import { renderApp } from './renderApp'

const anna: Consignee = {
  isCompany: false,
  companyName: '',
  firstName: 'Anna',
  lastName: 'van den Berg',
  street: 'Keizersgracht',
  houseNumber: '12B',
  postalCode: '1015 CN',
  city: 'Amsterdam',
  country: 'NL',
  email: 'anna@example.nl',
  phoneNumber: '+31612345678',
}
const zoe: Consignee = { ...anna, firstName: 'Anna Zoë', lastName: 'Müller', city: 'Köln', country: 'DE' }
const known = (...consignees: Consignee[]): KnownConsignee[] =>
  consignees.map((consignee, index) => ({
    id: `key-${index + 1}`,
    consignee,
    lastShippedAt: '2026-11-01T08:00:00.000Z',
  }))

type Created = Awaited<ReturnType<BridgeClient['createShipment']>>

/** A bridge that has remembered the consignees Anna and Zoë. */
function createSuggestions() {
  const settings = sampleSettings({ carriers: [{ name: 'Parcel', carrierId: 12, carrierOptionId: 34 }] })
  const fake = createFakeBridge({ settings })
  let people = known(anna, zoe)
  fake.bridge.suggestConsignees = async ({ text }) =>
    ok(
      people.filter(({ consignee }) =>
        consignee.firstName.toLowerCase().startsWith(text.trim().toLowerCase()),
      ),
    )
  fake.bridge.findConsignees = fake.bridge.suggestConsignees
  fake.bridge.forgetConsignee = async ({ id }) => {
    people = people.filter((each) => each.id !== id)
    return ok(undefined)
  }
  return { fake, settings }
}

function renderShip() {
  const { fake, settings } = createSuggestions()
  // The result is irrelevant to this test.
  const create = vi.fn((_: Parameters<BridgeClient['createShipment']>[0]) => deferred<Created>().promise)
  fake.bridge.createShipment = create
  return {
    ...renderApp(<ShipScreen account={sampleStatus().account} settings={settings} />, fake),
    fake,
    create,
  }
}

const field = (name: string) => {
  const input = document.querySelector<HTMLInputElement>(`input[data-field="${name}"]`)
  if (input === null) throw new Error(`there is no field ${name}`)
  return input
}
const options = () => screen.queryAllByRole('option').map((option) => option.textContent ?? '')

it('a shipment to a repeat customer needs fewer than 15 key presses', async () => {
  const { user, create } = renderShip()
  await waitFor(() => expect(field('carrier').value).toBe('Parcel'))
  let keys = 0
  const press = async (...names: string[]) => {
    for (const name of names) {
      keys += 1
      await user.keyboard(name)
    }
  }
  expect(document.activeElement).toBe(field('reference'))
  await press('7', '1', '{Enter}')
  expect(document.activeElement).toBe(field('companyName'))
  await press('a', 'n', 'n')
  await screen.findByRole('listbox', { name: 'Earlier consignees' })
  await press('{ArrowDown}', '{Enter}')
  await waitFor(() => expect(document.activeElement).toBe(field('weight')))
  await press('2', '{F9}')
  await waitFor(() => expect(create).toHaveBeenCalled())
  expect(create.mock.calls[0]?.[0].draft).toMatchObject({ ...anna, reference: '71', weight: 2 })
  expect(keys).toBeLessThan(15)
})

it('a suggestion is used only if an arrow key has marked it, and fills in the consignee only', async () => {
  const { user } = renderShip()
  await waitFor(() => expect(field('carrier').value).toBe('Parcel'))
  await user.type(field('content'), 'Books')
  await user.type(field('firstName'), 'anna')
  await waitFor(() => expect(options()).toHaveLength(2))
  expect(field('firstName').getAttribute('aria-expanded')).toBe('true')
  expect(field('firstName').getAttribute('aria-activedescendant')).toBeNull()
  await user.keyboard('{Enter}')
  expect([document.activeElement, field('firstName').value]).toEqual([field('lastName'), 'anna'])

  await user.type(field('firstName'), ' ')
  await waitFor(() => expect(options()).toHaveLength(2))
  await user.keyboard('{ArrowDown}{ArrowDown}')
  const marked = field('firstName').getAttribute('aria-activedescendant')
  expect(document.getElementById(marked ?? '')?.textContent).toContain('Müller')
  await user.keyboard('{Enter}')
  await waitFor(() => expect(field('city').value).toBe('Köln'))
  expect([field('content').value, field('reference').value]).toEqual(['Books', ''])
  expect(document.activeElement).toBe(field('reference'))
})

it('Escape closes the suggestions, and Shift and Delete delete the marked one', async () => {
  const { user, fake } = renderShip()
  const forget = vi.spyOn(fake.bridge, 'forgetConsignee')
  await user.type(field('firstName'), 'anna')
  await waitFor(() => expect(options()).toHaveLength(2))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(options()).toEqual([]))
  await user.type(field('firstName'), ' ')
  await waitFor(() => expect(options()).toHaveLength(2))
  await user.keyboard('{ArrowDown}{Shift>}{Delete}{/Shift}')
  await waitFor(() => expect(options()).toHaveLength(1))
  expect(forget).toHaveBeenCalledWith({ id: 'key-1' })
  expect(field('firstName').value).toBe('anna ')
})

it('a known postal code fills in street and city, and text that was removed stays empty', async () => {
  const { user, fake } = renderShip()
  fake.bridge.findStreet = async ({ postalCode }) =>
    ok(postalCode === '1015CN' ? { street: 'Keizersgracht', city: 'Amsterdam', country: 'NL' } : null)
  await user.type(field('postalCode'), '1015CN')
  expect(field('street').value).toBe('')
  await user.type(field('houseNumber'), '7')
  await waitFor(() =>
    expect([field('street').value, field('city').value]).toEqual(['Keizersgracht', 'Amsterdam']),
  )
  await user.clear(field('street'))
  await user.clear(field('city'))
  await user.type(field('houseNumber'), '1')
  expect([field('street').value, field('houseNumber').value]).toEqual(['', '71'])
})

it('the street of a postal code is filled in for each parcel, and not again when Ship is opened again', async () => {
  const { fake, settings } = createSuggestions()
  fake.bridge.findStreet = async () => ok({ street: 'Keizersgracht', city: 'Amsterdam', country: 'NL' })
  const { user } = renderApp(
    <Leavable>
      <ShipScreen account={sampleStatus().account} settings={settings} />
    </Leavable>,
    fake,
  )
  for (const houseNumber of ['7', '9']) {
    await user.type(field('postalCode'), '1015CN')
    await user.type(field('houseNumber'), houseNumber)
    await waitFor(() => expect(field('city').value).toBe('Amsterdam'))
    if (houseNumber === '7') await user.click(screen.getByRole('button', { name: 'Clear form' }))
  }
  await user.clear(field('street'))
  await user.clear(field('city'))
  await leaveOrReturn(user)
  const asked = vi.spyOn(fake.bridge, 'findStreet')
  await leaveOrReturn(user)
  await user.type(field('houseNumber'), '1')
  expect([field('street').value, field('houseNumber').value]).toEqual(['', '91'])
  expect(asked).not.toHaveBeenCalled()
})

it('Ship loads a created shipment without its reference and weight, and a refused one unchanged', async () => {
  const shipped = sampleShipment({ state: 'created' })
  const refused = { ...sampleShipment({ state: 'refused' }), id: '0b0f1c52-58a5-4a0e-9d7e-000000000099' }
  const settings = sampleSettings()
  const fake = createFakeBridge({ settings, shipments: [shipped, refused] })
  const { user } = renderApp(
    <>
      <ShipScreen account={sampleStatus().account} settings={settings} />
      <DetailsPane shipmentId={shipped.id} settings={settings} />
      <DetailsPane shipmentId={refused.id} settings={settings} />
    </>,
    fake,
  )
  await user.click(await screen.findByRole('button', { name: 'Ship again' }))
  const { draft } = shipped
  await waitFor(() => expect(field('street').value).toBe(draft.street))
  expect([field('reference').value, field('weight').value]).toEqual(['', ''])
  expect(document.activeElement).toBe(field('reference'))

  await user.click(await screen.findByRole('button', { name: 'Correct and send' }))
  await waitFor(() => expect(field('reference').value).toBe(draft.reference))
  expect([field('city').value, field('weight').value]).toEqual([draft.city, String(draft.weight)])
})

it('a button in Settings deletes one consignee', async () => {
  const { fake } = createSuggestions()
  const { user } = renderApp(<ForgetConsignee />, fake)
  await user.type(screen.getByRole('textbox', { name: /Find a consignee to forget/ }), 'anna')
  const list = within(await screen.findByRole('list', { name: 'Earlier consignees' }))
  expect(list.getAllByRole('listitem')).toHaveLength(2)
  await user.click(list.getByRole('button', { name: 'Forget Anna van den Berg' }))
  await waitFor(() => expect(list.getAllByRole('listitem')).toHaveLength(1))
  expect(list.getByText('Anna Zoë Müller')).toBeTruthy()
})

it('a postal code that is corrected gets its own street; one that was typed stays', async () => {
  const { fake } = renderShip()
  const streets = new Map([
    ['1015CN', 'Keizersgracht'],
    ['1015CX', 'Prinsengracht'],
  ])
  fake.bridge.findStreet = async ({ postalCode }) => {
    const street = streets.get(postalCode)
    return ok(street === undefined ? null : { street, city: 'Amsterdam', country: 'NL' })
  }
  const address = () => [field('street').value, field('city').value]
  const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } })
  type('houseNumber', '7')
  type('postalCode', '1015CN')
  await waitFor(() => expect(address()).toEqual(['Keizersgracht', 'Amsterdam']))
  type('postalCode', '1015CX')
  await waitFor(() => expect(address()).toEqual(['Prinsengracht', 'Amsterdam']))
  type('postalCode', '1015C')
  expect(address()).toEqual(['', ''])
  type('postalCode', '1015CN')
  await waitFor(() => expect(address()).toEqual(['Keizersgracht', 'Amsterdam']))
  type('city', 'Amsterdam-Centrum')
  type('postalCode', '1015CX')
  expect(address()).toEqual(['', 'Amsterdam-Centrum'])
  type('street', 'Keizersgracht West')
  type('postalCode', '1015CN')
  expect(address()).toEqual(['Keizersgracht West', 'Amsterdam-Centrum'])
})
