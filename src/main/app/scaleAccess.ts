import type { Session } from 'electron'
import type { Scale } from '../../shared/scale'

export interface ScaleAccess {
  /** The scale of the settings; null while none is chosen, and before they are read. */
  scale(): Scale | null
  /** Has a person choose one of several scales by its name; null for none. */
  choose(names: readonly string[]): Promise<number | null>
}

/**
 * SECURITY: of all devices the page may open the one scale that the settings name, which are changed by a person's consent
 * alone. It may ask for scales: main shows which there are.
 * @param app the origin of the app's own page
 */
export function admitScale(session: Session, app: string, { scale, choose }: ScaleAccess): void {
  const isApp = (origin: string) => origin === app || origin === `${app}/`
  session.setPermissionCheckHandler((_contents, permission, origin) => permission === 'hid' && isApp(origin))
  session.setDevicePermissionHandler(({ deviceType, origin, device }) => {
    const chosen = scale()
    return (
      deviceType === 'hid' &&
      isApp(origin) &&
      'vendorId' in device &&
      chosen !== null &&
      device.vendorId === chosen.vendorId &&
      device.productId === chosen.productId
    )
  })
  session.on('select-hid-device', (event, { deviceList }, decide) => {
    event.preventDefault()
    void choose(deviceList.map(({ name }) => name)).then((index) =>
      decide(index === null ? null : deviceList[index]?.deviceId),
    )
  })
}
