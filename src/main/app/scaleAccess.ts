import type { HIDDevice, Session } from 'electron'
import { type Scale, weighingUsagePage } from '../../shared/scale'
import type { Desktop } from '../lib/desktop'
import type { Lifecycle } from './lifecycle'

export interface ScaleAccess {
  /** The scale in the settings; null while none is chosen, and before the settings are read. */
  scale(): Scale | null
  /** Lets a person choose one of several scales; returns its index, null when cancelled. */
  choose(scales: readonly Scale[]): Promise<number | null>
  /** Asks a person to agree to another scale and stores it in the settings; false when it may not be opened. */
  adopt(scale: Scale): Promise<boolean>
}

/** Scale access by the station's settings. Adopting another scale needs the same permission as any change of the settings. */
export function createScaleAccess(
  lifecycle: Pick<Lifecycle, 'settings' | 'services'>,
  desktop: Pick<Desktop, 'chooseScale'>,
): ScaleAccess {
  return {
    scale: () => lifecycle.settings().scale,
    choose: (scales) => desktop.chooseScale(lifecycle.settings().language, scales),
    async adopt(scale) {
      const services = lifecycle.services()
      if (!services.ok || !services.value.people.permit('changeSettings', { scale }).ok) return false
      return (await services.value.handlers.changeSettings({ scale })).ok
    },
  }
}

/**
 * SECURITY: the page may open only the scale in the settings, which change only with a person's consent. Electron grants the
 * page a selected device until the app closes, whatever the other handlers return. So only that scale is ever selected, after a
 * person agreed to it and it is stored.
 * @param app the origin of the app's own page
 */
export function allowScaleAccess(session: Session, app: string, { scale, choose, adopt }: ScaleAccess): void {
  let isAsking = false
  const isApp = (origin: string) => origin === app || origin === `${app}/`

  async function select(devices: readonly HIDDevice[]): Promise<string | null> {
    const index = devices.length > 1 ? await choose(devices.map(toScale)) : 0
    const device = index === null ? undefined : devices[index]
    if (device === undefined) return null
    return isScale(device, scale()) || (await adopt(toScale(device))) ? device.deviceId : null
  }

  session.setPermissionCheckHandler((_contents, permission, origin) => permission === 'hid' && isApp(origin))
  session.setDevicePermissionHandler(
    ({ deviceType, origin, device }) =>
      deviceType === 'hid' &&
      isApp(origin) &&
      'collections' in device &&
      isWeighing(device) &&
      isScale(device, scale()),
  )
  session.on('select-hid-device', async (event, { deviceList }, decide) => {
    event.preventDefault()
    // Repeated requests of the page must not flood the person with dialogs.
    if (isAsking) return decide(null)
    isAsking = true
    let selected: string | null = null
    try {
      selected = await select(deviceList.filter(isWeighing))
    } finally {
      isAsking = false
      decide(selected)
    }
  })
}

/** Checked here because the page's own filter can't be trusted: it may ask for every device. */
function isWeighing({ collections }: HIDDevice): boolean {
  return collections.some(({ usagePage }) => usagePage === weighingUsagePage)
}

function isScale(device: HIDDevice, scale: Scale | null): boolean {
  if (scale === null || device.vendorId !== scale.vendorId || device.productId !== scale.productId)
    return false
  return scale.serialNumber === undefined || toScale(device).serialNumber === scale.serialNumber
}

function toScale({ vendorId, productId, name, serialNumber = '' }: HIDDevice): Scale {
  const serial = toText(serialNumber)
  return { vendorId, productId, name: toText(name), ...(serial !== '' && { serialNumber: serial }) }
}

/** Trims a text that a device reports to what the settings accept. */
function toText(text: string): string {
  return text.slice(0, 200).toWellFormed().trim()
}
