import { act, screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Shell } from '../../src/renderer/app/Shell'
import { PeopleDialogs } from '../../src/renderer/features/people/PeopleDialogs'
import { ScalePanel } from '../../src/renderer/features/settings/ScalePanel'
import { SettingsForms } from '../../src/renderer/features/settings/tabForm'
import { appError } from '../../src/shared/errors'
import { orderSchema } from '../../src/shared/orders'
import { err, ok } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleOf } from '../support/sampleOf'
import { sampleSettings } from '../support/screenSamples'
import { renderApp } from './renderApp'

const scale = { vendorId: 0x0922, productId: 0x8003, name: 'DYMO M25' }

/** A fake WebHID scale that sends the test's reports. */
class FakeScale extends EventTarget {
  opened = false
  vendorId = scale.vendorId
  productId = scale.productId
  productName = scale.name
  collections = [{ usagePage: 0x8d }]
  async open(): Promise<void> {
    this.opened = true
  }
  async close(): Promise<void> {
    this.opened = false
  }
  /** Calls of the page on its permission for the device. */
  isForgotten = false
  async forget(): Promise<void> {
    this.isForgotten = true
  }
  /** Sends report 3: status, unit, exponent, weight in grams. */
  send(status: number, grams: number): void {
    const data = new DataView(new Uint8Array([status, 2, 0, grams % 256, Math.floor(grams / 256)]).buffer)
    act(() => {
      this.dispatchEvent(Object.assign(new Event('inputreport'), { reportId: 3, data }))
    })
  }
}

class FakeHid extends EventTarget {
  devices: FakeScale[] = []
  requests: unknown[] = []
  getDevices = async () => this.devices
  /** Main's answer to a request for a device. */
  onRequest = (): void => undefined
  async requestDevice(options: unknown) {
    this.requests.push(options)
    this.onRequest()
    return this.devices
  }
}

const [zero, moving, stable, negative, overload] = [2, 3, 4, 5, 6]

function renderStation(settings = sampleSettings({ scale })) {
  const fake = createFakeBridge({ settings })
  return renderApp(
    <SettingsForms>
      <Shell status={fake.state.status} settings={fake.state.settings} />
    </SettingsForms>,
    fake,
  )
}

let hid: FakeHid
beforeEach(() => {
  window.localStorage.setItem('packbench.sound', 'off')
  hid = new FakeHid()
  Object.defineProperty(navigator, 'hid', { value: hid, configurable: true })
})

async function weight(): Promise<string> {
  const field = await screen.findByLabelText('Weight (kg)')
  return field instanceof HTMLInputElement ? field.value : ''
}
const says = async (text: string) => within(await screen.findByTestId('scale')).findByText(text)

describe('the scale on Ship', () => {
  it('fills in a stable weight, shows its state, and leaves a typed weight unchanged', async () => {
    const device = new FakeScale()
    hid.devices = [device]
    const { user } = renderStation()
    await vi.waitFor(() => expect(device.opened).toBe(true))
    device.send(moving, 900)
    await says('weighing…')
    expect(await weight()).toBe('')
    device.send(stable, 1250)
    await says('1.25 kg')
    expect(await weight()).toBe('1.25')
    device.send(negative, 3)
    await says('below zero: take everything off and set it to zero')
    device.send(overload, 0)
    await says('overloaded: take the parcel off')
    device.send(zero, 0)
    await says('empty')
    expect(await weight()).toBe('1.25')

    await user.clear(await screen.findByLabelText('Weight (kg)'))
    await user.type(await screen.findByLabelText('Weight (kg)'), '3')
    device.send(stable, 2000)
    await says('2 kg')
    expect(await weight()).toBe('3')
    await user.click(await screen.findByRole('button', { name: 'Take 2 kg' }))
    expect(await weight()).toBe('2')
  })

  it('is reported as missing until it is plugged in, and again when it is unplugged', async () => {
    renderStation()
    await says('not connected')
    const device = new FakeScale()
    hid.devices = [device]
    act(() => {
      hid.dispatchEvent(Object.assign(new Event('connect'), { device }))
    })
    await says('connected; no weight received yet')
    hid.devices = []
    act(() => {
      hid.dispatchEvent(Object.assign(new Event('disconnect'), { device }))
    })
    await says('not connected')
  })

  /** Ships a parcel of 1.25 kg, which stays on the scale. */
  async function shipFirst() {
    const device = new FakeScale()
    hid.devices = [device]
    const { user, fake } = renderStation()
    const order = { ...orderSchema.parse(sampleOf(orderSchema)), values: { reference: 'A-1' }, issues: [] }
    const values = { reference: 'A-1', lastName: 'Smit', street: 'Markt', city: 'Delft' }
    const found = { order, values, signatureRequired: null, extras: {}, consigneeKey: 'key', companions: [] }
    fake.bridge.findOrderToShip = async ({ reference }) => ok(reference === 'A-1' ? found : null)
    fake.bridge.takeOrder = async () => ok(null)
    await vi.waitFor(() => expect(device.opened).toBe(true))
    const reference = await screen.findByLabelText('Reference')
    await user.type(reference, 'A-1{Enter}')
    await vi.waitFor(async () => expect(screen.getByLabelText('City')).toHaveProperty('value', 'Delft'))
    device.send(stable, 1250)
    expect(await weight()).toBe('1.25')
    await user.keyboard('{F9}')
    await vi.waitFor(() => expect(reference).toHaveProperty('value', ''))
    return { device, user, reference }
  }

  it('gives the next parcel its own weight after the label was pressed onto the shipped one', async () => {
    const { device, user, reference } = await shipFirst()
    device.send(moving, 2000)
    device.send(stable, 2400)
    expect(await weight()).toBe('')
    device.send(stable, 1250)
    await user.type(reference, 'B-2{Enter}')
    expect(await weight()).toBe('')
    device.send(zero, 0)
    device.send(stable, 7000)
    await says('7 kg')
    expect(await weight()).toBe('7')
  })

  it('removes the weight of a shipped parcel that was put back with a hand on it', async () => {
    const { device, user, reference } = await shipFirst()
    await user.type(reference, 'B-2{Enter}')
    device.send(moving, 300)
    device.send(stable, 2400)
    expect(await weight()).toBe('2.4')
    device.send(stable, 1250)
    expect(await weight()).toBe('')
    device.send(moving, 300)
    device.send(stable, 7000)
    expect(await weight()).toBe('7')
  })

  it.each([
    ['was put back with a hand on it', [moving, 300], [stable, 2400]],
    ['came to rest while it was taken off', [moving, 1000], [stable, 550]],
  ])('gives the next parcel its own weight after the shipped one %s', async (_case, ...lifted) => {
    const { device, user, reference } = await shipFirst()
    await user.type(reference, 'B-2{Enter}')
    for (const [status = zero, grams = 0] of lifted) device.send(status, grams)
    expect(await weight()).not.toBe('')
    device.send(zero, 0)
    device.send(stable, 7000)
    expect(await weight()).toBe('7')
    device.send(zero, 0)
    device.send(stable, 4000)
    expect(await weight()).toBe('7')
  })

  it('says why a parcel as heavy as the shipped one gets no weight, and takes it when asked', async () => {
    const { device, user } = await shipFirst()
    device.send(moving, 300)
    device.send(stable, 1260)
    await says('1.26 kg, maybe the shipped parcel: take it off')
    expect(await weight()).toBe('')
    await user.click(await screen.findByRole('button', { name: 'Take 1.26 kg' }))
    expect(await weight()).toBe('1.26')
    await says('1.26 kg')
  })

  it('gives no other parcel the weight of the shipped one when it is unplugged and plugged in again', async () => {
    const { device } = await shipFirst()
    for (const type of ['disconnect', 'connect']) {
      act(() => {
        hid.dispatchEvent(Object.assign(new Event(type), { device }))
      })
    }
    await says('connected; no weight received yet')
    device.send(stable, 1250)
    await says('1.25 kg, maybe the shipped parcel: take it off')
    expect(await weight()).toBe('')
    device.send(zero, 0)
    device.send(stable, 700)
    expect(await weight()).toBe('0.7')
  })

  it('uses no weight of a device that is not a scale, and shows nothing if none is chosen', async () => {
    const device = new FakeScale()
    device.collections = [{ usagePage: 1 }]
    hid.devices = [device]
    renderStation()
    await says('not connected')
    expect(device.opened).toBe(false)
  })
})

it('a scale is chosen in Settings from connected scales only, and can be tried there', async () => {
  const device = new FakeScale()
  hid.devices = [device]
  const { user, fake, emit } = renderStation(sampleSettings())
  // Main stores the operator's choice; the page stores nothing.
  hid.onRequest = () => {
    fake.state.settings = { ...fake.state.settings, scale }
  }
  expect(screen.queryByTestId('scale')).toBeNull()
  await user.click(await screen.findByRole('button', { name: /^Settings/ }))
  await user.click(await screen.findByRole('tab', { name: 'Station' }))
  await user.click(await screen.findByRole('button', { name: 'Choose a scale' }))
  expect(hid.requests).toEqual([{ filters: [{ usagePage: 0x8d }] }])
  await vi.waitFor(() => expect(fake.state.settings.scale).toEqual(scale))
  emit('settingsChanged', fake.state.settings)
  await vi.waitFor(() => expect(device.opened).toBe(true))
  device.send(stable, 500)
  expect(await screen.findByText(/0\.5 kg/)).toBeTruthy()
  await user.click(await screen.findByRole('button', { name: 'Use no scale' }))
  await vi.waitFor(() => expect(fake.state.settings.scale).toBeNull())
  expect(device.isForgotten).toBe(false)
  emit('settingsChanged', fake.state.settings)
  await vi.waitFor(() => expect(device.isForgotten).toBe(true))
  expect(device.opened).toBe(false)
})

it('choosing a scale asks for the PIN first if it guards the settings, and says so if nobody enters it', async () => {
  const fake = createFakeBridge({ settings: sampleSettings() })
  let isGranted = false
  fake.bridge.changeSettings = async () =>
    isGranted ? ok(fake.state.settings) : err(appError('pin-required'))
  fake.bridge.enterPin = async () => {
    isGranted = true
    return ok({ operator: null, hasPin: true, isGranted, retryAt: null })
  }
  const { user } = renderApp(
    <>
      <ScalePanel />
      <PeopleDialogs />
    </>,
    fake,
  )
  const askForPin = async () => {
    await user.click(await screen.findByRole('button', { name: 'Choose a scale' }))
    return within(await screen.findByRole('dialog', { name: 'Administrator’s PIN' }))
  }
  await user.click((await askForPin()).getByRole('button', { name: 'Cancel' }))
  expect((await screen.findByRole('alert')).textContent).toContain('The administrator’s PIN is needed')
  expect(hid.requests).toEqual([])
  await user.type((await askForPin()).getByLabelText('PIN'), '4711{Enter}')
  await vi.waitFor(() => expect(hid.requests).toHaveLength(1))
})

it('the page revokes the permission for a scale that another one of its model replaces', async () => {
  const [first, second] = [new FakeScale(), new FakeScale()]
  hid.devices = [first]
  const { fake, emit } = renderStation(sampleSettings({ scale: { ...scale, serialNumber: 'A' } }))
  await vi.waitFor(() => expect(first.opened).toBe(true))
  hid.devices = [second, first]
  fake.state.settings = { ...fake.state.settings, scale: { ...scale, serialNumber: 'B' } }
  emit('settingsChanged', fake.state.settings)
  await vi.waitFor(() => expect(second.opened).toBe(true))
  expect([first.opened, first.isForgotten, second.isForgotten]).toEqual([false, true, false])
})
