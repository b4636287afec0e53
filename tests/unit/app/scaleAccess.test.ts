import { describe, expect, it, vi } from 'vitest'
import { allowScaleAccess } from '../../../src/main/app/scaleAccess'
import type { Scale } from '../../../src/shared/scale'

type Check = (contents: null, permission: string, origin: string) => boolean
type DeviceCheck = (details: { deviceType: string; origin: string; device: object }) => boolean
type Select = (event: { preventDefault(): void }, details: object, decide: (id: unknown) => void) => void

const own = 'app://packbench'
const chosen = { vendorId: 0x0922, productId: 0x8003, name: 'DYMO M25' }
const weighing = [{ usage: 1, usagePage: 0x8d }]
const device = { deviceId: 'one', ...chosen, collections: weighing }
const other = { ...device, deviceId: 'two', productId: 0x8004, name: 'Other scale' }

interface Person {
  /** The index of the scale that the person picks; null when the dialog is cancelled. */
  picks?: number | null
  agrees?: boolean
}

function station(scale: Scale | null, { picks = null, agrees = false }: Person = {}) {
  const checks: Check[] = []
  const deviceChecks: DeviceCheck[] = []
  const selects: Select[] = []
  const choose = vi.fn(async (_scales: readonly Scale[]) => picks)
  const adopt = vi.fn(async (_scale: Scale) => agrees)
  const session = {
    setPermissionCheckHandler: (check: Check) => checks.push(check),
    setDevicePermissionHandler: (check: DeviceCheck) => deviceChecks.push(check),
    on: (_event: string, select: Select) => selects.push(select),
  }
  // @ts-expect-error this fake has only the part of Electron's session that is used
  allowScaleAccess(session, own, { scale: () => scale, choose, adopt })
  return {
    choose,
    adopt,
    check: (permission: string, origin: string) => checks[0]?.(null, permission, origin),
    opens: (deviceType: string, origin: string, of: object) =>
      deviceChecks[0]?.({ deviceType, origin, device: of }),
    select: (deviceList: object[]) =>
      new Promise((resolve) => {
        selects[0]?.({ preventDefault: vi.fn() }, { deviceList }, resolve)
      }),
  }
}

it('allowScaleAccess grants the permission for HID devices to the app’s own page only, and no other permission', () => {
  const { check } = station(chosen)
  expect(check('hid', own)).toBe(true)
  expect(check('hid', `${own}/`)).toBe(true)
  expect(check('hid', 'https://elsewhere.example')).toBe(false)
  expect(check('hid', `${own}.elsewhere.example`)).toBe(false)
  for (const permission of ['usb', 'serial', 'media', 'geolocation', 'notifications', 'clipboard-read']) {
    expect(check(permission, own)).toBe(false)
  }
})

it('allowScaleAccess lets only the app’s own page open the chosen scale, and no other device', () => {
  const { opens } = station(chosen)
  expect(opens('hid', own, device)).toBe(true)
  expect(opens('hid', 'https://elsewhere.example', device)).toBe(false)
  expect(opens('usb', own, device)).toBe(false)
  expect(opens('hid', own, { ...device, productId: 1 })).toBe(false)
  expect(opens('hid', own, { ...device, vendorId: 1 })).toBe(false)
  expect(opens('hid', own, { ...device, collections: [{ usage: 6, usagePage: 1 }] })).toBe(false)
  expect(station(null).opens('hid', own, device)).toBe(false)
})

describe('a device that the page requests', () => {
  it('is selected without a question when it is the scale of the settings', async () => {
    const { select, choose, adopt } = station(chosen)
    expect(await select([device])).toBe('one')
    expect(choose).not.toHaveBeenCalled()
    expect(adopt).not.toHaveBeenCalled()
  })

  it('is selected only after a person agreed to it, also when it is the only one', async () => {
    const refusing = station(null)
    expect(await refusing.select([device])).toBeNull()
    expect(refusing.adopt).toHaveBeenCalledExactlyOnceWith(chosen)
    expect(await station(chosen).select([other])).toBeNull()
    expect(await station(null, { agrees: true }).select([device])).toBe('one')
  })

  it('is chosen by a person among several, and needs consent when it is not the scale of the settings', async () => {
    const { select, choose, adopt } = station(chosen, { picks: 1, agrees: true })
    expect(await select([device, other])).toBe('two')
    expect(choose).toHaveBeenCalledExactlyOnceWith([
      chosen,
      { ...chosen, productId: 0x8004, name: other.name },
    ])
    expect(adopt).toHaveBeenCalledOnce()
    expect(await station(chosen, { picks: 1 }).select([device, other])).toBeNull()
    expect(await station(chosen, { agrees: true }).select([device, other])).toBeNull()
    expect(await station(chosen, { picks: 0 }).select([device, other])).toBe('one')
  })

  it('is not offered when it is not a scale, even with the name and ids of one', async () => {
    const keyboard = { ...device, collections: [{ usage: 6, usagePage: 1 }] }
    const { select, choose, adopt } = station(chosen, { picks: 0, agrees: true })
    expect(await select([keyboard])).toBeNull()
    expect(await select([])).toBeNull()
    expect(await select([keyboard, device])).toBe('one')
    expect(choose).not.toHaveBeenCalled()
    expect(adopt).not.toHaveBeenCalled()
  })

  it('is refused while a question about another device is open', async () => {
    const { select, adopt } = station(null)
    let answer: (agrees: boolean) => void = () => undefined
    adopt.mockReturnValue(
      new Promise((resolve) => {
        answer = resolve
      }),
    )
    const first = select([device])
    expect(await select([other])).toBeNull()
    answer(true)
    expect(await first).toBe('one')
    expect(adopt).toHaveBeenCalledOnce()
  })
})

it('allowScaleAccess distinguishes two scales of one model by their serial numbers', async () => {
  const { opens } = station({ ...chosen, serialNumber: 'A-1' })
  expect(opens('hid', own, { ...device, serialNumber: 'A-1' })).toBe(true)
  expect(opens('hid', own, { ...device, serialNumber: 'B-2' })).toBe(false)
  expect(opens('hid', own, device)).toBe(false)
  // A scale stored without a serial number matches every scale of its model.
  expect(station(chosen).opens('hid', own, { ...device, serialNumber: 'B-2' })).toBe(true)
  const { adopt, select } = station(null, { agrees: true })
  await select([{ ...device, serialNumber: 'B-2' }])
  expect(adopt).toHaveBeenCalledWith({ ...chosen, serialNumber: 'B-2' })
})
