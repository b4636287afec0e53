import type { BridgeClient } from '../shared/bridge'

declare global {
  interface Window {
    /** The bridge to main, exposed by the preload. */
    readonly packbench: BridgeClient
  }
}
