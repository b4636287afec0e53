import { expect, it, vi } from 'vitest'
import { admitScale } from '../../../src/main/app/scaleAccess'
import type { Scale } from '../../../src/shared/scale'

type Check = (contents: null, permission: string, origin: string) => boolean
type DeviceCheck = (details: { deviceType: string; origin: string; device: object }) => boolean
type Select = (event: { preventDefault(): void }, details: object, decide: (id: unknown) => void) => void

const own = 'app://packbench'
const chosen = { vendorId: 0x0922, productId: 0x8003, name: 'DYMO M25' }
const device = { deviceId: 'one', vendorId: 0x0922, productId: 0x8003, name: 'DYMO M25' }

function station(scale: Scale | null, choose: (names: readonly string[]) => Promise<number | null>) {
  const checks: Check[] = []
  const deviceChecks: DeviceCheck[] = []
  const selects: Select[] = []
  const session = {
    setPermissionCheckHandler: (check: Check) => checks.push(check),
    setDevicePermissionHandler: (check: DeviceCheck) => deviceChecks.push(check),
    on: (_event: string, select: Select) => selects.push(select),
  }
  // @ts-expect-error of Electron's session only what is used
  admitScale(session, own, { scale: () => scale, choose })
  return {
    check: (permission: string, origin: string) => checks[0]?.(null, permission, origin),
    opens: (deviceType: string, origin: string, of: object) =>
      deviceChecks[0]?.({ deviceType, origin, device: of }),
    select: (deviceList: object[]) =>
      new Promise((resolve) => {
        selects[0]?.({ preventDefault: vi.fn() }, { deviceList }, resolve)
      }),
  }
}

const none = async () => null

it('lets the app’s own page ask for HID devices, and for nothing else', () => {
  const { check } = station(chosen, none)
  expect(check('hid', own)).toBe(true)
  expect(check('hid', `${own}/`)).toBe(true)
  expect(check('hid', 'https://elsewhere.example')).toBe(false)
  expect(check('hid', `${own}.elsewhere.example`)).toBe(false)
  for (const permission of ['usb', 'serial', 'media', 'geolocation', 'notifications', 'clipboard-read']) {
    expect(check(permission, own)).toBe(false)
  }
})

it('opens the chosen scale alone', () => {
  const { opens } = station(chosen, none)
  expect(opens('hid', own, device)).toBe(true)
  expect(opens('hid', 'https://elsewhere.example', device)).toBe(false)
  expect(opens('usb', own, device)).toBe(false)
  expect(opens('hid', own, { ...device, productId: 1 })).toBe(false)
  expect(opens('hid', own, { ...device, vendorId: 1 })).toBe(false)
  expect(station(null, none).opens('hid', own, device)).toBe(false)
})

it('has a person choose among several scales', async () => {
  const two = { ...device, deviceId: 'two', name: 'Other scale' }
  const { select } = station(null, async (names) => names.indexOf('Other scale'))
  expect(await select([device, two])).toBe('two')
  expect(await station(null, none).select([device, two])).toBeNull()
})
