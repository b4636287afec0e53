import type { BridgeClient } from '../shared/bridge'

declare global {
  interface Window {
    /** The bridge to main, exposed by the preload. */
    readonly packbench: BridgeClient
  }

  // The part of WebHID (https://wicg.github.io/webhid/) that the app uses; TypeScript's own types lack it.
  interface HIDDevice extends EventTarget {
    readonly opened: boolean
    readonly vendorId: number
    readonly productId: number
    readonly productName: string
    readonly collections: readonly { readonly usagePage?: number }[]
    open(): Promise<void>
    close(): Promise<void>
    /** Revokes the page's permission for the device. */
    forget(): Promise<void>
    addEventListener(type: 'inputreport', listener: (event: HIDInputReportEvent) => void): void
    removeEventListener(type: 'inputreport', listener: (event: HIDInputReportEvent) => void): void
  }
  interface HIDInputReportEvent extends Event {
    readonly reportId: number
    readonly data: DataView
  }
  interface HIDConnectionEvent extends Event {
    readonly device: HIDDevice
  }
  interface HID extends EventTarget {
    getDevices(): Promise<HIDDevice[]>
    requestDevice(options: { filters: { usagePage: number }[] }): Promise<HIDDevice[]>
    addEventListener(type: 'connect' | 'disconnect', listener: (event: HIDConnectionEvent) => void): void
    removeEventListener(type: 'connect' | 'disconnect', listener: (event: HIDConnectionEvent) => void): void
  }
  interface Navigator {
    readonly hid?: HID
  }
}
